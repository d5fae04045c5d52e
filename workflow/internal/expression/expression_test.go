// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package expression_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/workflow/internal/expression"
)

var scope = expression.Scope{
	Names: []string{"input", "var", "find", "item"}, Variables: []string{"urls"},
	Unknown: func(name string) string {
		if name == "later" {
			return "later, a step that comes later"
		}
		return ""
	},
}

var env = map[string]any{
	"input": map[string]any{"a": 1, "none": nil, "list": []any{"x", "y"}, "m": map[string]any{"z": 3, "b": 2, "k": 1}},
	"var":   map[string]any{"urls": []any{"u"}},
	"find":  map[string]any{"result": map[string]any{"items": []any{map[string]any{"url": "p"}, map[string]any{"url": "q"}}}},
	"item":  "i",
}

func TestValues(t *testing.T) {
	for _, c := range []struct {
		value, want any
		err         string // of the evaluation
	}{
		{value: "plain", want: "plain"},
		{value: "$$5", want: "$5"},
		{value: "costs $5", want: "costs $5"},
		{value: 7, want: 7},
		{value: "$input.a", want: 1},
		{value: "$input", want: env["input"]},
		{value: "$input.list.1", want: "y"},
		{value: "$input.list.2", err: "$input.list.2: there is no element \"2\" in a list of 2"},
		{value: "$input.b", err: "$input.b: there is no member \"b\""},
		{value: "$input.none", want: nil},
		{value: "$find.result.items.0.url", want: "p"},
		{value: map[string]any{"q": "$input.a", "l": []any{"$item", 2}}, want: map[string]any{"q": 1, "l": []any{"i", 2}}},
		{value: "${ map(find.result.items, .url) }", want: []any{"p", "q"}},
		{value: "${ find.result.items[-1].url }", want: "q"},
		{value: "${ input.b }", err: "there is no member \"b\""},
		{value: "${ input?.b }", want: nil},
		{value: "${ input?.b?.c ?? 'd' }", want: "d"},
		{value: "${ input.a + 1 == 2 }", want: true},
		{value: "${ keys(input.m) }", want: []any{"b", "k", "z"}},
		{value: "${ values(input.m) }", want: []any{2, 1, 3}},
		{value: "${ toPairs(input.m)[0] }", want: []any{"b", 2}},
		{value: "${ 1..3 }", want: []any{1, 2, 3}},
		{value: "${ groupBy(input.list, #) }", want: map[string]any{"x": []any{"x"}, "y": []any{"y"}}},
		{value: "${ var.urls[0] + item }", want: "ui"},
		{value: "${ len(1..10000000) }", err: "memory budget"},
		{value: "${ {'a': 'x}'}.a }", want: "x}"},
	} {
		v, err := expression.Compile(c.value, scope)
		if err != nil {
			t.Errorf("%v: %v", c.value, err)
			continue
		}
		for range 3 {
			got, err := v.Eval(env)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("%v: got error %v, want %q", c.value, err, c.err)
				}
			} else if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("%v: got %#v, %v, want %#v", c.value, got, err, c.want)
			}
		}
	}
}

func TestWrongValues(t *testing.T) {
	for value, want := range map[string]string{
		"$later.result":           "got later, a step that comes later, want one of input, var, find, item",
		"${ later.result }":       "got later, a step that comes later",
		"$other":                  "unknown name \"other\"",
		"${ other }":              "unknown name \"other\"",
		"$":                       "want a path",
		"$input..a":               "want a path",
		"$var.nothing":            "unknown variable \"nothing\", want one of urls",
		"${ var.nothing }":        "unknown variable \"nothing\"",
		"${ 1 + }":                "the expression",
		"${ 1 + 2":                "ends with }",
		"a ${ b }":                "within a text",
		"${ now() }":              "unknown name \"now\"",
		"${ reduce([1], #acc) }":  "unknown function \"reduce\"",
		"${ date('2026-01-01') }": "unknown name \"date\"",
	} {
		_, err := expression.Compile(map[string]any{"q": []any{value}}, scope)
		if err == nil || !strings.HasPrefix(err.Error(), "q[0]: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want q[0] and %q", value, err, want)
		}
	}
}

func TestNamesOfAValue(t *testing.T) {
	v, err := expression.Compile([]any{"$input.a", "${ find.result.items[0].url + item }", "x"}, scope)
	if err != nil {
		t.Fatal(err)
	}
	if got := v.Names(); !reflect.DeepEqual(got, []string{"find", "input", "item"}) || v.Bare() {
		t.Errorf("got %v, bare %v", got, v.Bare())
	}
}

func TestNumbersKeepTheirDigits(t *testing.T) {
	got, err := expression.Decode([]byte("[1, 1.5, 12345678901234567890, 1e3]"))
	if err != nil {
		t.Fatal(err)
	}
	list := got.([]any)
	if list[0] != 1 || list[1] != 1.5 || list[3] != 1e3 || reflect.TypeOf(list[2]).String() != "json.Number" {
		t.Errorf("got %#v", got)
	}
	if _, err := expression.Decode([]byte("1 2")); err == nil {
		t.Error("two values: got no error")
	}
}
