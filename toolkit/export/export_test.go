// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package export_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/export"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// everything is a definition with every field set, and the least one.
var everything = []toolkit.Definition{{
	Name:        "run_query",
	Title:       "Run a query",
	Description: "Runs SQL: a < b && c > d.",
	InputSchema: json.RawMessage(`{ "type": "object", "properties": {"sql": {"type": "string", "description": ` +
		`"<one> statement"}}, "required": ["sql"] }`),
	OutputSchema:     json.RawMessage(`{"type":"object"}`),
	Type:             toolkit.ToolDatastore,
	Category:         "database",
	Risk:             toolkit.RiskMedium,
	ReadOnly:         toolkit.Yes,
	Idempotent:       toolkit.Yes,
	Destructive:      toolkit.No,
	OpenWorld:        toolkit.No,
	RequiresApproval: true,
	Timeout:          1500 * time.Millisecond,
	RateLimit:        toolkit.RateLimit{MaxCalls: 10, Window: time.Minute},
	CacheTTL:         time.Hour,
	Cost:             0.25,
}, {Name: "least"}}

func TestExports(t *testing.T) {
	for name, write := range map[string]func([]toolkit.Definition) (json.RawMessage, error){
		"openai": export.OpenAI, "anthropic": export.Anthropic, "mcp": export.MCP,
	} {
		t.Run(name, func(t *testing.T) {
			got, err := write(everything)
			if err != nil {
				t.Fatal(err)
			}
			var indented bytes.Buffer
			if err := json.Indent(&indented, got, "", "  "); err != nil {
				t.Fatal(err)
			}
			indented.WriteByte('\n')
			file := filepath.Join("testdata", name+".json")
			if *update {
				if err := os.WriteFile(file, indented.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(indented.Bytes(), bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n"))) {
				t.Errorf("got\n%swant\n%s", &indented, want)
			}
			if none, err := write(nil); err != nil || string(none) != "[]" {
				t.Errorf("no definitions: got %s, %v, want []", none, err)
			}
			if _, err := write([]toolkit.Definition{{Name: "x", InputSchema: json.RawMessage("{")}}); err == nil {
				t.Error("an invalid schema: got nil, want an error")
			}
		})
	}
}
