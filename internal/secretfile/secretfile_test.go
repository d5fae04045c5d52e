// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package secretfile_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/internal/secretfile"
)

// A file that only its owner can read is not mentioned, and others are once.
func TestWarn(t *testing.T) {
	var out bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&out, nil)))
	defer slog.SetDefault(before)
	dir := t.TempDir()
	for name, c := range map[string]struct {
		mode os.FileMode
		want int
	}{"own": {0o600, 0}, "read": {0o400, 0}, "written": {0o622, 0}, "group": {0o640, 1}, "others": {0o604, 1}} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, c.mode); err != nil {
			t.Fatal(err)
		}
		out.Reset()
		secretfile.Warn(path)
		secretfile.Warn(path)
		if got := strings.Count(out.String(), "level=WARN"); got != c.want || got > 0 && !strings.Contains(out.String(), path) {
			t.Errorf("%s: got %q, want %d lines", name, out.String(), c.want)
		}
	}
	out.Reset()
	secretfile.Warn(filepath.Join(dir, "missing"))
	if secretfile.Warn(dir); out.Len() > 0 {
		t.Errorf("got %q of what is no file", out.String())
	}
}
