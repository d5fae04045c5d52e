// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/toolkit"
)

func TestListAndSearch(t *testing.T) {
	h := newHouse(t)
	for i := range 150 {
		if err := os.WriteFile(filepath.Join(h.dir, "docs", fmt.Sprintf("n%03d.md", i)), []byte("needle\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		tool string
		args object
		want string
		kind error
	}{
		{"file_list", object{"path": "src"}, "deep/\n  er/\n    x.go\nmain.go\n", nil},
		{"file_list", object{"path": "src", "depth": 1}, "deep/ (not opened)\nmain.go\n", nil},
		{"file_list", object{"path": "src", "depth": 0}, "depth", toolkit.ErrInvalidArguments},
		{"file_list", object{"path": "a.txt"}, "goes through a file", toolkit.ErrTool},
		{"file_search", object{"text": "two"}, "a.txt:2: two\ncrlf.txt:2: two\nsrc/deep/er/x.go:1: package x // two\n1 files were passed over", nil},
		{"file_search", object{"text": "two", "pattern": "*.go"}, "src/deep/er/x.go:1: package x // two\n", nil},
		{"file_search", object{"text": "two", "path": "a.txt"}, "a.txt:2: two\n", nil},
		{"file_search", object{"pattern": "*.go"}, "src/deep/er/x.go\nsrc/main.go\n", nil},
		{"file_search", object{"pattern": "**/er/*.go"}, "src/deep/er/x.go\n", nil},
		{"file_search", object{"pattern": "src/*.go"}, "src/main.go\n", nil},
		{"file_search", object{"pattern": "*.md", "path": "docs:"}, "docs:guide.md\ndocs:n000.md\n", nil},
		{"file_search", object{"text": "needle", "path": "docs:"}, "docs:n099.md:1: needle\nstopped after 100 results", nil},
		{"file_search", object{"text": "absent"}, "nothing found\n", nil},
		{"file_search", object{}, "none", toolkit.ErrInvalidArguments},
		{"file_search", object{"pattern": "[a"}, "pattern", toolkit.ErrInvalidArguments},
		{"file_search", object{"text": "x", "path": "missing"}, "does not exist", toolkit.ErrTool},
		{"file_info", object{"path": "docs:guide.md"}, "real path: guide.md\ntype: file\nsize: 8 bytes\n", nil},
		{"file_info", object{"path": "src/"}, "type: directory", nil},
		{"file_info", object{"path": "missing"}, "does not exist", toolkit.ErrTool},
	}
	for _, test := range tests {
		res := h.call(t.Context(), test.tool, test.args)
		if !strings.Contains(res.Output, test.want) || !errors.Is(res.Fault, test.kind) {
			t.Errorf("%s %v: got %q, want %q and %v", test.tool, test.args, res.Output, test.want, test.kind)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if res := h.call(ctx, "file_search", object{"text": "x"}); !errors.Is(res.Fault, context.Canceled) {
		t.Errorf("cancelled: got %s", res.Output)
	}
}
