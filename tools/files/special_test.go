// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package files_test

import (
	"errors"
	"net"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/toolscope/toolscope/toolkit"
)

// TestSpecialFiles checks that a pipe and a socket are refused and not waited for.
func TestSpecialFiles(t *testing.T) {
	h := newHouse(t)
	if err := syscall.Mkfifo(filepath.Join(h.dir, "desk", "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(h.dir) // a socket's path must be short
	listener, err := net.Listen("unix", "desk/socket")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	for _, path := range []string{"pipe", "socket"} {
		for tool, args := range map[string]object{
			"file_read": {}, "file_write": {"content": "x"}, "file_edit": {"source_text": "x", "target_text": "y"},
		} {
			args["path"] = path
			if res := h.call(t.Context(), tool, args); !errors.Is(res.Fault, toolkit.ErrPermissionDenied) {
				t.Errorf("%s of %s: got %s", tool, path, res.Output)
			}
		}
	}
	if res := h.call(t.Context(), "file_search", object{"text": "x"}); res.Fault != nil {
		t.Errorf("search beside a pipe: got %s", res.Output)
	}
}
