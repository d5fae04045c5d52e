// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/export"
)

func TestValidate(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*toolkit.Definition)
		wrong  string // "" if it is valid
	}{
		{"the least", func(*toolkit.Definition) {}, ""},
		{"another script", func(d *toolkit.Definition) { d.Name = "поиск_файлов" }, ""},
		{"the longest name", func(d *toolkit.Definition) { d.Name = strings.Repeat("a", 128) }, ""},
		{"no name", func(d *toolkit.Definition) { d.Name = "" }, "Name: got an empty name, want 1 to 128"},
		{"too long a name", func(d *toolkit.Definition) { d.Name = strings.Repeat("a", 129) }, "Name: got 129 bytes"},
		{"a blank", func(d *toolkit.Definition) { d.Name = "a b" }, "Name: got the character U+0020"},
		{"another blank", func(d *toolkit.Definition) { d.Name = "a\u00a0b" }, "Name: got the character U+00A0"},
		{"a control character", func(d *toolkit.Definition) { d.Name = "a\x00" }, "Name: got the character U+0000"},
		{"a mark of direction", func(d *toolkit.Definition) { d.Name = "a\u202e" }, "Name: got the character U+202E"},
		{"invalid UTF-8", func(d *toolkit.Definition) { d.Name = "a\xff" }, "Name: got invalid UTF-8"},
		{"a schema", func(d *toolkit.Definition) { d.InputSchema = json.RawMessage(" {} \n") }, ""},
		{"a schema of blanks", func(d *toolkit.Definition) { d.InputSchema = json.RawMessage(" ") },
			"InputSchema: got text that is no JSON object"},
		{"a schema that is true", func(d *toolkit.Definition) { d.InputSchema = json.RawMessage("true") }, "InputSchema: got text"},
		{"a schema cut off", func(d *toolkit.Definition) { d.InputSchema = json.RawMessage("{") }, "InputSchema: got text"},
		{"an output schema that is none", func(d *toolkit.Definition) { d.OutputSchema = json.RawMessage("[]") },
			"OutputSchema: got text"},
		{"a type", func(d *toolkit.Definition) { d.Type = toolkit.ToolDatastore }, ""},
		{"another type", func(d *toolkit.Definition) { d.Type = "magic" }, `Type: got "magic", want "function"`},
		{"another risk", func(d *toolkit.Definition) { d.Risk = "huge" }, `Risk: got "huge", want "low", "medium" or "high"`},
		{"a limit", func(d *toolkit.Definition) { d.RateLimit = toolkit.RateLimit{MaxCalls: 1, Window: time.Second} }, ""},
		{"a limit without a window", func(d *toolkit.Definition) { d.RateLimit.MaxCalls = 1 }, "RateLimit: got 1 calls in 0s"},
		{"a limit below 0", func(d *toolkit.Definition) { d.RateLimit.MaxCalls = -1 }, "RateLimit: got -1 calls"},
		{"a cost below 0", func(d *toolkit.Definition) { d.Cost = -1 }, "Cost: got -1, want a number of 0 or more"},
		{"no number", func(d *toolkit.Definition) { d.Cost = math.NaN() }, "Cost: got NaN"},
		{"no end", func(d *toolkit.Definition) { d.Cost = math.Inf(1) }, "Cost: got +Inf"},
		{"times below 0", func(d *toolkit.Definition) { d.Timeout, d.CacheTTL = -1, -1 }, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := named("tool")
			tt.change(&d)
			err := d.Validate()
			if tt.wrong == "" && err != nil || tt.wrong != "" && (err == nil || !strings.Contains(err.Error(), tt.wrong)) {
				t.Errorf("got %v, want %q", err, tt.wrong)
			}
			if err == nil {
				if _, err := export.MCP([]toolkit.Definition{d}); err != nil {
					t.Errorf("a valid definition cannot be exported: %v", err)
				}
			}
		})
	}
}

func TestNewToolKeepsTheDefinition(t *testing.T) {
	given := toolkit.Definition{
		Name: "t", Description: "text", Timeout: time.Minute, Risk: toolkit.RiskHigh, Category: "files",
		ReadOnly: toolkit.Yes, Idempotent: toolkit.Yes, Destructive: toolkit.No,
		InputSchema: json.RawMessage("{}"), Resources: []string{"files"},
	}
	tool := toolkit.NewTool[struct{}](given, nil)
	given.InputSchema[0], given.Resources[0] = 'x', "x"
	d := tool.Definition()
	if d.Name != "t" || d.Description != "text" || d.Timeout != time.Minute || d.Risk != toolkit.RiskHigh || d.Category != "files" ||
		d.ReadOnly != toolkit.Yes || d.Idempotent != toolkit.Yes || d.Destructive != toolkit.No || string(d.InputSchema) != "{}" ||
		d.Resources[0] != "files" {
		t.Errorf("got %+v", d)
	}
}

func TestOutcomesAndEndingsHaveNames(t *testing.T) {
	var got []string
	for _, o := range toolkit.Outcomes() {
		got = append(got, o.String())
	}
	for _, e := range []toolkit.Ending{
		toolkit.EndingReturned, toolkit.EndingFailed, toolkit.EndingPanicked, toolkit.EndingGoexit,
		toolkit.EndingAbandoned,
	} {
		got = append(got, e.String())
	}
	got = append(got, toolkit.Outcome(200).String(), toolkit.Ending(200).String())
	want := "executed cache_hit coalesced repeated refused returned failed panicked goexit abandoned unknown unknown"
	if strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
	if toolkit.HintOf(true) != toolkit.Yes || toolkit.HintOf(false) != toolkit.No {
		t.Error("HintOf")
	}
}
