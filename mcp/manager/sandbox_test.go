// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/mcp/manager"
)

func TestASandboxedServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		sandbox *manager.Sandbox
		want    string // whether it may read, write and connect
	}{
		{"none", nil, "true true true"},
		{"the least", &manager.Sandbox{}, "false false false"},
		{"no files", &manager.Sandbox{Files: "none", Paths: []string{dir}, Network: true}, "false false true"},
		{"read", &manager.Sandbox{Files: "read", Paths: []string{dir}}, "true false false"},
		{"write", &manager.Sandbox{Files: "readwrite", Paths: []string{dir}}, "true true false"},
	} {
		t.Run(c.name, func(t *testing.T) {
			conf := child("a", "a")
			conf.Sandbox = c.sandbox
			m := prepare(t, manager.Options{Servers: []manager.Server{conf}})
			if err := m.Start(context.Background()); err != nil {
				if text := err.Error(); c.sandbox != nil &&
					(strings.Contains(text, "Landlock") || strings.Contains(text, "landlock")) {
					t.Skip("this kernel cannot: ", err)
				}
				t.Fatal(err)
			}
			wantCall(t, m, "a__reach", dir+" "+l.Addr().String(), c.want)
		})
	}
}
