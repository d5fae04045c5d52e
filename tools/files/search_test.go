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
	"github.com/toolscope/toolscope/tools/files"
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
		{"file_search", object{"text": "two"},
			"a.txt:2: two\ncrlf.txt:2: two\nsrc/deep/er/x.go:1: package x // two\n1 files were passed over", nil},
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

func TestIgnored(t *testing.T) {
	h := newHouse(t)
	h.write(t, "desk/.gitignore", "*.log\n/build/\n")
	h.write(t, "desk/src/.ignore", "!keep.log\ngen\n")
	for _, name := range []string{"x.log", "build/out.txt", "src/keep.log", "src/gen/code.go", "src/build/in.txt"} {
		h.write(t, "desk/"+name, "needle\n")
	}
	h.run(t, []step{
		{"file_search", object{"text": "needle"}, "src/build/in.txt:1: needle\nsrc/keep.log:1: needle\n1 files " +
			"were passed over: binary\n4 entries that ignore files name", nil},
		{"file_search", object{"text": "needle", "path": "src"},
			"src/build/in.txt:1: needle\nsrc/keep.log:1: needle\n1 entries", nil},
		{"file_search", object{"text": "needle", "path": "build"}, "build/out.txt:1: needle\n", nil}, // asked for by name
		{"file_search", object{"text": "needle", "ignored": true, "pattern": "*.{log,txt}"},
			"build/out.txt:1: needle\nsrc/build/in.txt:1: needle\nsrc/keep.log:1: needle\nx.log:1: needle\n", nil},
		{"file_search", object{"text": "two", "ignored": true, "path": ".git"}, ".git/HEAD:1: two", nil},
		{"file_list", object{"path": "src", "depth": 1},
			".ignore\nbuild/ (not opened)\ndeep/ (not opened)\nkeep.log\nmain.go\n1 entries", nil},
		{"file_list", object{"path": "src", "depth": 1, "ignored": true}, "gen/ (not opened)\nkeep.log", nil},
	})
}

func TestSearchLines(t *testing.T) {
	h := newHouse(t)
	h.write(t, "desk/n", "1\n2 x\n3\n4\n5\n6\n7\n8 X\n9 x\n10")
	h.write(t, "desk/crlf", "a\r\nb\r\n")
	h.write(t, "desk/long", strings.Repeat("y", 5000)+"z\n")
	h.write(t, "desk/na\u202eme\n", "strange\n")
	invalid := toolkit.ErrInvalidArguments
	h.run(t, []step{
		{"file_search", object{"path": "n", "text": "x"}, "n:2: 2 x\nn:9: 9 x\n", nil},
		{"file_search", object{"path": "n", "text": "x", "ignore_case": true}, "n:2: 2 x\nn:8: 8 X\nn:9: 9 x\n", nil},
		{"file_search", object{"path": "n", "text": "x", "ignore_case": true, "context": 1},
			"n-1- 1\nn:2: 2 x\nn-3- 3\n--\nn-7- 7\nn:8: 8 X\nn:9: 9 x\nn-10- 10\n", nil},
		{"file_search", object{"path": "n", "text": "x", "limit": 1}, "n:2: 2 x\nstopped after 1 results", nil},
		{"file_search", object{"path": "n", "regexp": `^\d\d$`}, "n:10: 10\n", nil},
		{"file_search", object{"path": "n", "regexp": `^`}, "n:1: 1\nn:2: 2 x\n", nil},
		{"file_search", object{"path": "n", "regexp": `3\n4`}, "n:3: 3\n", nil},
		{"file_search", object{"path": "crlf", "regexp": `^b$`}, "crlf:2: b\n", nil},
		{"file_search", object{"path": "crlf", "regexp": `z*$`}, "crlf:1: a\ncrlf:2: b\n", nil},
		{"file_search", object{"path": "long", "text": "z"}, "long:1: " + strings.Repeat("y", 300) + "…\n", nil},
		{"file_search", object{"text": "strange"}, `"na\u202eme\n":1: strange`, nil},
		{"file_search", object{"path": "n", "regexp": "(?=x)"}, "which has no look-around", invalid},
		{"file_search", object{"path": "n", "regexp": "x", "text": "x"}, "one of the two", invalid},
		{"file_search", object{"path": "n", "text": "x", "context": 11}, "0 to 10", invalid},
		{"file_search", object{"path": "n", "text": "x", "limit": 0}, "1 to 1000", invalid},
		{"file_search", object{"path": "n", "pattern": "*"}, "a text to find in the file", invalid},
		{"file_search", object{"path": "n", "text": strings.Repeat("x", 5000)}, "at most 4096", invalid},
		{"file_search", object{"path": "bin", "text": "x"}, "is binary", toolkit.ErrTool},
	})
}

// BenchmarkSearch searches a tree of 2,000 files of 4 KiB.
func BenchmarkSearch(b *testing.B) {
	dir := b.TempDir()
	for i := range 2000 {
		path := filepath.Join(dir, fmt.Sprintf("d%d", i%50), fmt.Sprintf("f%d.go", i))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.Repeat("some line of a program\n", 180)), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	tools, err := files.New(files.Options{Roots: []files.Root{{Path: dir}}})
	if err != nil {
		b.Fatal(err)
	}
	defer tools.Close()
	registry := new(toolkit.Registry)
	if err := registry.Register(tools.Tools()...); err != nil {
		b.Fatal(err)
	}
	h := house{dir, registry}
	for name, args := range map[string]object{"text": {"text": "absent"}, "regexp": {"regexp": `abs[e]nt\d`},
		"names": {"pattern": "**/nothing*.go"}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if res := h.call(b.Context(), "file_search", args); res.Fault != nil {
					b.Fatal(res.Output)
				}
			}
		})
	}
}
