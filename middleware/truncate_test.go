// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package middleware_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

// fitted is what the model gets of a result, and the tag told.
func fitted(t *testing.T, o middleware.TruncateOptions, res toolkit.Result) (toolkit.Result, string) {
	t.Helper()
	fit, err := middleware.Truncate(o)
	if err != nil {
		t.Fatal(err)
	}
	seen := new(tooltest.Recorder)
	h := toolkit.Observe(nil, seen)(middleware.Wrap(
		func(context.Context, toolkit.Call) (toolkit.Result, error) { return res, nil }, fit))
	got, err := h(t.Context(), toolkit.Call{Name: "read"})
	if err != nil {
		t.Fatal(err)
	}
	tag := ""
	for _, x := range seen.All()[0].Disposition.Tags {
		tag += x.Key + "=" + x.Value + " "
	}
	return got, tag
}

func TestFitKeepsHeadAndTail(t *testing.T) {
	text := "HEAD" + strings.Repeat("é", 5000) + "TAIL"
	got, tag := fitted(t, middleware.TruncateOptions{Limit: 1000, Hints: map[string]string{"read": "give a line range"}},
		toolkit.Result{Output: text})
	if len(got.Output) > 1000 || len(got.Output) < 990 || !utf8.ValidString(got.Output) {
		t.Errorf("got %d bytes, valid: %t; want 1000 or a few less, valid", len(got.Output), utf8.ValidString(got.Output))
	}
	var missing, of int
	mark := got.Output[strings.Index(got.Output, "[..."):]
	if _, err := fmt.Sscanf(mark, "[... %d of %d bytes left out: give a line range ...]", &missing, &of); err != nil ||
		of != len(text) {
		t.Fatalf("got the mark %.80q: %v", mark, err)
	}
	before, after, _ := strings.Cut(got.Output, "\n[...")
	after = after[strings.Index(after, "...]\n")+5:]
	if len(before)+len(after)+missing != of || !strings.HasPrefix(before, "HEAD") || !strings.HasSuffix(after, "TAIL") {
		t.Errorf("head %d, tail %d, missing %d, of %d", len(before), len(after), missing, of)
	}
	if want := fmt.Sprintf("truncate=cut truncate.bytes=%d ", len(text)-len(got.Output)); tag != want {
		t.Errorf("got the tag %q, want %q", tag, want)
	}
}

func TestFitKeepsJSONValid(t *testing.T) {
	doc := `{"rows":[` + strings.Repeat(`{"id":1,"secret":"password=hunter2"},`, 500) + `{}],"text":"` +
		strings.Repeat("x", 3000) + `"}`
	got, _ := fitted(t, middleware.TruncateOptions{Limit: 2000}, toolkit.Result{Output: doc})
	if len(got.Output) > 2000 || !json.Valid([]byte(got.Output)) {
		t.Errorf("got %d bytes, valid: %t", len(got.Output), json.Valid([]byte(got.Output)))
	}
	if strings.Contains(got.Output, "REDACTED") || !strings.Contains(got.Output, "password=hunter2") {
		t.Errorf("the model's own result was redacted: %.200s", got.Output)
	}
}

func TestFitLeavesAlone(t *testing.T) {
	long := strings.Repeat("x", 5000)
	for name, c := range map[string]struct {
		o   middleware.TruncateOptions
		res toolkit.Result
	}{
		"short":     {middleware.TruncateOptions{Limit: 5000}, toolkit.Result{Output: long}},
		"no limit":  {middleware.TruncateOptions{Limit: -1}, toolkit.Result{Output: long}},
		"its own":   {middleware.TruncateOptions{Limit: 600, Tools: map[string]int{"read": 5000}}, toolkit.Result{Output: long}},
		"default":   {middleware.TruncateOptions{}, toolkit.Result{Output: long}},
		"suspended": {middleware.TruncateOptions{Limit: 600}, toolkit.Result{Output: long, Suspended: true}},
		"other parts": {middleware.TruncateOptions{Limit: 600},
			toolkit.Result{Parts: []toolkit.Part{{Kind: toolkit.PartStructured, JSON: json.RawMessage(`"` + long + `"`)}}}},
	} {
		got, tag := fitted(t, c.o, c.res)
		if got.Output != c.res.Output || tag != "" || len(got.Parts) == 1 && len(got.Parts[0].JSON) != 5002 {
			t.Errorf("%s: got %d bytes and the tag %q, want it left alone", name, len(got.Output), tag)
		}
	}
}

func TestFitCopiesPartsBeforeItCuts(t *testing.T) {
	long := strings.Repeat("x", 5000)
	parts := []toolkit.Part{{Kind: toolkit.PartText, Text: "short"}, {Kind: toolkit.PartText, Text: long},
		{Kind: toolkit.PartText, Text: long}}
	got, tag := fitted(t, middleware.TruncateOptions{Limit: 600}, toolkit.Result{Parts: parts})
	if len(parts[1].Text) != 5000 || len(parts[2].Text) != 5000 {
		t.Error("the tool's own parts were changed")
	}
	if got.Parts[0].Text != "short" || len(got.Parts[1].Text) != 600 || len(got.Parts[2].Text) != 600 ||
		tag != "truncate=cut truncate.bytes=8800 " {
		t.Errorf("got %d and %d bytes, %s", len(got.Parts[1].Text), len(got.Parts[2].Text), tag)
	}
}

func TestFitRefusesTinyLimits(t *testing.T) {
	for _, o := range []middleware.TruncateOptions{{Limit: 511}, {Tools: map[string]int{"a": 1}}} {
		if _, err := middleware.Truncate(o); err == nil || !strings.Contains(err.Error(), "want at least 512") {
			t.Errorf("%+v: got %v", o, err)
		}
	}
}

func TestInjectWantsParameters(t *testing.T) {
	if p, err := middleware.Inject(nil); p != nil || err == nil ||
		!strings.Contains(err.Error(), "want those of toolkit.NewHostParams") {
		t.Errorf("got %v, %v", p, err)
	}
}

func TestInjectIsPartOfTheCall(t *testing.T) {
	params, err := toolkit.NewHostParams(toolkit.HostParam{Name: "project", Tools: "file_*",
		Value: func(context.Context) (any, error) { return "p1", nil }})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		params     *toolkit.HostParams
		tool, want string
	}{{params, "file_read", `{"a":1,"project":"p1"}`}, {params, "sum", `{"project":"x","a":1}`}} {
		inject, err := middleware.Inject(c.params)
		if err != nil {
			t.Fatal(err)
		}
		h := middleware.Wrap(func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
			return toolkit.Result{Output: string(call.Arguments)}, nil
		}, inject)
		res, err := h(t.Context(), toolkit.Call{Name: c.tool, Arguments: json.RawMessage(`{"project":"x","a":1}`)})
		if err != nil || res.Output != c.want {
			t.Errorf("%s: got %s, %v, want %s", c.tool, res.Output, err, c.want)
		}
	}
}
