// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"strings"
	"sync"
	"testing"

	"github.com/toolscope/toolscope/internal/canary"
	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/marks"
)

func TestOptions(t *testing.T) {
	const text = "password=hu3nter2Zq for jane@mail.example.org, ticket PURPLE-ELEPHANT"
	for _, c := range []struct {
		name    string
		options Options
		want    string
	}{
		{"none", Options{}, "password=[REDACTED:passwd] for [REDACTED:email], ticket PURPLE-ELEPHANT"},
		{"Off", Options{Preset: Off}, text},
		{"SecretsOnly", Options{Preset: SecretsOnly},
			"password=[REDACTED:passwd] for jane@mail.example.org, ticket PURPLE-ELEPHANT"},
		{"Off and a kind", Options{Preset: Off, Kinds: []string{"email"}},
			"password=hu3nter2Zq for [REDACTED:email], ticket PURPLE-ELEPHANT"},
		{"WithoutKinds", Options{WithoutKinds: []string{"email", kinds.PasswdName}}, text},
		{"in Kinds and WithoutKinds", Options{Kinds: []string{"email"}, WithoutKinds: []string{"email",
			kinds.PasswdName}}, text},
		{"Allow", Options{Allow: []string{"jane@mail.example.org", "hu3nter2Zq"}}, text},
		{"Known", Options{Known: []string{"PURPLE-ELEPHANT"}},
			"password=[REDACTED:passwd] for [REDACTED:email], ticket [REDACTED:known-value]"},
		{"Known overlapping", Options{Known: []string{"ELEPHANT", "PURPLE-ELEPHANT"}},
			"password=[REDACTED:passwd] for [REDACTED:email], ticket [REDACTED:known-value]"},
	} {
		r, err := New(c.options)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if out, _ := r.Text(text); out != c.want {
			t.Errorf("%s: got %q, want %q", c.name, out, c.want)
		}
	}
}

func TestOptionsThatAreWrong(t *testing.T) {
	for _, c := range []struct {
		options Options
		want    string
	}{
		{Options{Preset: 4}, "redact: Options.Preset: got 4, want"},
		{Options{Kinds: []string{"no-such-kind"}}, `redact: Options.Kinds: got "no-such-kind"`},
		{Options{WithoutKinds: []string{"no-such-kind"}}, `redact: Options.WithoutKinds: got "no-such-kind"`},
		{Options{Allow: []string{"ok", ""}}, `redact: Options.Allow: got ""`},
		{Options{Known: []string{"longer", "short"}}, "redact: Options.Known[1]: got 5 bytes, want 6"},
		{Options{KnownEnv: []string{"["}}, `redact: Options.KnownEnv: got "["`},
		{Options{HMACKey: []byte{}}, "redact: Options.HMACKey: got a key of 0 bytes, want 16"},
	} {
		if _, err := New(c.options); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// TestKnownEscaped: a known value is found however JSON writes it.
func TestKnownEscaped(t *testing.T) {
	const known = "PURPLE-elephant \"quoted\" ä"
	r, err := New(Options{Known: []string{known}})
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range []string{object("a", known), escapeAll(object("a", known)), object("a", object("b", known)),
		object(known, "a")} {
		if out, found := r.Text(doc); strings.Contains(unescapeAll(out), "elephant") || found.Count() != 1 {
			t.Errorf("survives in %s", out)
		}
	}
}

func TestNilIsDefault(t *testing.T) {
	var r *Redactor
	want, _ := Default().Text(`{"password":"hu3nter2Zq"}`)
	if out, _ := r.JSON([]byte(`{"password":"hu3nter2Zq"}`)); string(out) != want {
		t.Errorf("JSON: got %s", out)
	}
	if out, _ := r.JSONMax([]byte(`{"password":"hu3nter2Zq"}`), 100); string(out) != want {
		t.Errorf("JSONMax: got %s", out)
	}
	if out, _ := r.TextMax(`{"password":"hu3nter2Zq"}`, 100); out != want {
		t.Errorf("TextMax: got %s", out)
	}
	if out := r.Named("password", "hu3nter2Zq"); out != marks.Text(kinds.PasswdName) {
		t.Errorf("Named: got %s", out)
	}
}

// TestConcurrent: the working memory of one redaction never shows in another.
func TestConcurrent(t *testing.T) {
	var all sync.WaitGroup
	for seed := range uint64(8) {
		all.Go(func() {
			for _, s := range canary.Secrets(seed) {
				doc := escapeAll(object("text", object("note", s.Text)))
				want, _ := Default().Text(doc)
				for range 50 {
					if out, found := Default().Text(doc); out != want || found.Count() == 0 {
						t.Errorf("got %q, want %q", out, want)
						return
					}
				}
			}
		})
	}
	all.Wait()
}

func TestLimits(t *testing.T) {
	r, err := New(Options{Limits: Limits{Nesting: 3, Inner: 1}})
	if err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{
		`[[[1]]]`:                         `[[[1]]]`,
		`[[[[1],{"password":"x1y2z3"}]]]`: `[[["[REDACTED:unscanned]","[REDACTED:unscanned]"]]]`,
		object("a", object("b", "c")):     object("a", object("b", "c")),
		object("a", object("b", `"c"`)):   object("a", object("b", "[REDACTED:unscanned]")),
	} {
		if out, _ := r.Text(in); out != want {
			t.Errorf("%s: got %s, want %s", in, out, want)
		}
	}
	for _, l := range []Limits{{Nesting: -1}, {Nesting: 10001}, {Inner: 17}, {Work: 1}} {
		if _, err := New(Options{Limits: l}); err == nil || !strings.Contains(err.Error(), "redact: Options.Limits.") {
			t.Errorf("%+v: got %v, want an error", l, err)
		}
	}
}
