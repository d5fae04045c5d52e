// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package validate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/validate"
	"github.com/toolscope/toolscope/toolkit"
)

// BenchmarkValidate checks 300 bytes of arguments by the schema library alone and by the
// policy, which also refuses names given twice.
func BenchmarkValidate(b *testing.B) {
	arguments := json.RawMessage(`{"path":"src/` + strings.Repeat("directory/", 15) +
		`main.go","limit":20,"mode":"fast","tags":["a","b","c","` + strings.Repeat("x", 40) +
		`"],"deep":{"on":true,"a/b~c":1.5,"more":"text"}}`)
	ctx := context.Background()
	next := func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{}, nil }
	b.Run("library", func(b *testing.B) {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(schema))
		if err != nil {
			b.Fatal(err)
		}
		c := jsonschema.NewCompiler()
		if err := c.AddResource("x:y", doc); err != nil {
			b.Fatal(err)
		}
		s := c.MustCompile("x:y")
		b.ReportAllocs()
		for b.Loop() {
			value, err := jsonschema.UnmarshalJSON(bytes.NewReader(arguments))
			if err != nil || s.Validate(value) != nil {
				b.Fatal(err)
			}
		}
	})
	run := func(name string, h toolkit.Handler, tool *toolkit.Definition) {
		observed := toolkit.Observe(func(string) *toolkit.Definition { return tool }, nothing{})(h)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			call := toolkit.Call{Name: "tool", Arguments: arguments}
			for b.Loop() {
				if _, err := observed(ctx, call); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	checked := &toolkit.Definition{Name: "tool", InputSchema: json.RawMessage(schema)}
	policy := middleware.Wrap(next, newPolicy(b, validate.Options{}))
	run("without", next, checked)
	run("idle", policy, &toolkit.Definition{Name: "tool"})
	run("policy", policy, checked)
}

// nothing observes nothing: calls have a record.
type nothing struct{}

func (nothing) Begin(ctx context.Context, _ toolkit.Call, _ *toolkit.CallInfo) context.Context {
	return ctx
}
func (nothing) Wants(context.Context) bool          { return false }
func (nothing) End(context.Context, *toolkit.Ended) {}
