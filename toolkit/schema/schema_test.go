// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package schema_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/schema"
)

type search struct {
	Pattern string   `json:"pattern" jsonschema:"what to look for"`
	Paths   []string `json:"paths,omitempty" jsonschema:"where to look; everywhere by default"`
	Limit   *int     `json:"limit,omitzero"`
}

type node struct{ Next *node }

func TestFor(t *testing.T) {
	for _, tt := range []struct {
		name  string
		make  func() (json.RawMessage, error)
		want  string // the schema
		wrong string // or a part of the error
	}{
		{"struct", schema.For[search], `{"type":"object","properties":{"pattern":{"type":"string","description":"what to look for"},` +
			`"paths":{"type":["null","array"],"items":{"type":"string"},"description":"where to look; everywhere by default"},` +
			`"limit":{"type":["null","integer"]}},"required":["pattern"],"additionalProperties":false}`, ""},
		{"empty struct", schema.For[struct{}], `{"type":"object","additionalProperties":false}`, ""},
		{"map", schema.For[map[string]int], `{"type":"object","additionalProperties":{"type":"integer"}}`, ""},
		{"string", schema.For[string], "", `type string: got a JSON Schema of another type than "object"`},
		{"pointer", schema.For[*search], "", "want a struct or a map with string keys"},
		{"any", schema.For[any], "", "want a struct or a map with string keys"},
		{"channel inside", schema.For[struct{ C chan int }], "", "toolkit/schema: type struct { C chan int }"},
		{"cycle", schema.For[node], "", "toolkit/schema: type schema_test.node"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.make()
			if tt.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), tt.wrong) {
					t.Errorf("got error %v, want one with %q", err, tt.wrong)
				}
				return
			}
			if err != nil || string(got) != tt.want {
				t.Errorf("got  %s, %v\nwant %s", got, err, tt.want)
			}
		})
	}
}

func TestNewTool(t *testing.T) {
	find := func(_ context.Context, in search) (string, error) { return "found " + in.Pattern, nil }
	tool, err := schema.NewTool(toolkit.Definition{
		Name: "search", Description: "Searches files.",
		ReadOnly: toolkit.Yes, Idempotent: toolkit.Yes, Destructive: toolkit.No,
	}, find)
	if err != nil {
		t.Fatal(err)
	}
	want, err := schema.For[search]()
	if err != nil {
		t.Fatal(err)
	}
	if def := tool.Definition(); string(def.InputSchema) != string(want) || def.ReadOnly != toolkit.Yes ||
		def.Description != "Searches files." {
		t.Errorf("got definition %+v", def)
	}
	res, err := tool.Handle(t.Context(), toolkit.Call{Arguments: []byte(`{"pattern":"x"}`)})
	if res.Output != "found x" || err != nil {
		t.Errorf("got %q, %v, want the function's answer", res.Output, err)
	}
	if _, err := tool.Handle(t.Context(), toolkit.Call{Arguments: []byte(`{"pattern":1}`)}); !errors.Is(err,
		toolkit.ErrInvalidArguments) {
		t.Errorf("got %v, want invalid arguments", err)
	}

	byHand := json.RawMessage(`{"type":"object","minProperties":1}`)
	tool, err = schema.NewTool(toolkit.Definition{Name: "search", InputSchema: byHand}, find)
	if err != nil || string(tool.Definition().InputSchema) != string(byHand) {
		t.Errorf("got %v, %v, want the schema given by hand", tool, err)
	}
}

func TestNewToolRefuses(t *testing.T) {
	run := func(context.Context, struct{}) (string, error) { return "", nil }
	_, noRun := schema.NewTool[search](toolkit.Definition{Name: "search"}, nil)
	_, noName := schema.NewTool(toolkit.Definition{}, run)
	_, noSchema := schema.NewTool(toolkit.Definition{Name: "text"},
		func(context.Context, string) (string, error) { return "", nil })
	for _, tt := range []struct {
		err  error
		want string
	}{
		{noRun, `tool "search": run: got nil, want a function`},
		{noName, "Name: got an empty name"},
		{noSchema, "type string"},
	} {
		if tt.err == nil || !strings.Contains(tt.err.Error(), tt.want) {
			t.Errorf("got %v, want an error with %q", tt.err, tt.want)
		}
	}
}
