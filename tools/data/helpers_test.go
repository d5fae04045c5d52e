// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package data_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/data"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type object map[string]any

func call(ctx context.Context, t testing.TB, o data.Options, name string, args any) toolkit.Result {
	t.Helper()
	tools, err := data.New(o)
	if err != nil {
		t.Fatal(err)
	}
	r := new(toolkit.Registry)
	if err := r.Register(tools.Tools()...); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return r.Execute(ctx, toolkit.Call{Name: name, Arguments: text}).Result
}

// scenario is one call and what it answers: the whole text, or a part of it for a failure.
type scenario struct {
	name string
	args object
	want string
	kind toolkit.Kind // "" is a success
}

func (s scenario) run(t *testing.T, o data.Options, tool string) {
	t.Helper()
	res := call(t.Context(), t, o, tool, s.args)
	switch {
	case s.kind == "" && (res.Fault != nil || res.Output != s.want):
		t.Errorf("%s: got\n%s\nwant\n%s", s.name, res.Output, s.want)
	case s.kind != "" && (!errors.Is(res.Fault, s.kind) || !strings.Contains(res.Output, s.want)):
		t.Errorf("%s: got %.300s, want %s with %q", s.name, res.Output, s.kind, s.want)
	}
}

func TestNew(t *testing.T) {
	for field, o := range map[string]data.Options{"MaxInput": {MaxInput: -1}, "MaxOutput": {MaxOutput: -1},
		"Timeout": {Timeout: -1}} {
		if _, err := data.New(o); err == nil || !strings.Contains(err.Error(), "data: Options."+field+": got -1") {
			t.Errorf("%s: got %v, want an error that names it", field, err)
		}
	}
}

func TestDefinitions(t *testing.T) {
	for _, jq := range []bool{false, true} {
		tools, err := data.New(data.Options{JQ: jq})
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range tools.Tools() {
			def := tool.Definition()
			names = append(names, def.Name)
			if err := def.Validate(); err != nil {
				t.Error(err)
			}
			now := def.Name == "date_now"
			if def.ReadOnly != toolkit.Yes || def.Destructive != toolkit.No || def.OpenWorld != toolkit.No ||
				def.Idempotent != toolkit.HintOf(!now) || (def.CacheTTL < 0) != now || def.Risk != toolkit.RiskLow ||
				len(def.Resources) == 0 {
				t.Errorf("%s: got %+v", def.Name, def)
			}
			if !json.Valid(def.InputSchema) || strings.Contains(string(def.InputSchema), "%!") {
				t.Errorf("%s: the schema is not right: %s", def.Name, def.InputSchema)
			}
			if def.Name == "json" && strings.Contains(string(def.InputSchema), "jq") != jq {
				t.Errorf("jq is %v, and the schema is %s", jq, def.InputSchema)
			}
		}
		if got := strings.Join(names, " "); got != "calculator text json csv_to_json date date_now" {
			t.Errorf("got %s", got)
		}
	}
}
