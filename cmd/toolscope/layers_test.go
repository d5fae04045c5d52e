// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mayImport says which packages of internal each one may import. Commands may import all but commands.
var mayImport = map[string][]string{
	"screen": nil, "calllog": nil, "mcpclients": nil, "logexport": nil, "demo": nil, "bridge": nil,
	"configfile": {"recordings"}, "signin": nil,
	"cli":        {"screen"},
	"foreign":    {"calllog"},
	"transcript": {"calllog", "foreign"},
	"recordings": {"calllog"},
	"recorded":   {"calllog", "recordings", "transcript"},
	"expect":     {"recorded"},
	"logfile":    {"screen", "recordings", "transcript"},
	"summary":    {"screen", "logfile"},
	"programs":   {"cli"},
	"telemetry":  {"programs"},
	"builtin":    {"cli", "signin"},
	"toolpins":   {"cli", "screen"},
	"top":        {"screen", "summary"},
}

// Dependencies between the packages of the command run one way.
func TestLayers(t *testing.T) {
	const prefix = "github.com/toolscope/toolscope/cmd/toolscope/internal/"
	files, err := filepath.Glob("internal/*/*.go")
	if err != nil || len(files) < 60 {
		t.Fatalf("got %d files and %v", len(files), err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		from := filepath.Base(filepath.Dir(name))
		allowed, shared := mayImport[from]
		if !shared && !strings.HasSuffix(from, "cmd") {
			t.Errorf("%s: got package %s, want it in mayImport", name, from)
		}
		for _, i := range file.Imports {
			path, _ := strconv.Unquote(i.Path.Value)
			to, ours := strings.CutPrefix(path, prefix)
			if ours && (strings.HasSuffix(to, "cmd") || shared && !slices.Contains(allowed, to)) {
				t.Errorf("%s imports %s", name, to)
			}
		}
	}
}
