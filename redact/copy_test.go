// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/toolscope/toolscope/internal/canary"
)

// TestStringForms: the forms for strings say what JSONMax says, JSONTextMax gives a clean
// text back as it is, and what JSONCopyMax gives is not shared.
func TestStringForms(t *testing.T) {
	secret := canary.Secrets(21)[0].Value
	for _, text := range []string{"", "{}", object("note", "nothing"), object("password", secret),
		"[" + strings.Repeat(object("password", secret)+",", 200) + "1]", "plain words"} {
		for _, limit := range []int{0, 100, 4096} {
			src := []byte(text)
			want, wantReport := Default().JSONMax(src, limit)
			same, report := Default().JSONTextMax(text, limit)
			if same != string(want) || !slices.Equal(report.Findings, wantReport.Findings) ||
				report.Truncated != wantReport.Truncated || report.Size != len(text) {
				t.Errorf("JSONTextMax of %.40q at %d: got %.80q and %+v, want %.80q and %+v", text, limit, same,
					report, want, wantReport)
			}
			if same == text && text != "" && unsafe.StringData(same) != unsafe.StringData(text) {
				t.Errorf("JSONTextMax of %.40q at %d: got a copy, want the text itself", text, limit)
			}
			own, report := Default().JSONCopyMax(src, limit)
			if own != string(want) || !slices.Equal(report.Findings, wantReport.Findings) {
				t.Errorf("JSONCopyMax of %.40q at %d: got %.80q, want %.80q", text, limit, own, want)
			}
			before := strings.Clone(own)
			clear(src)
			if own != before {
				t.Errorf("JSONCopyMax of %.40q at %d: it changed with its source", text, limit)
			}
		}
	}
}

// TestPathsAreTheirOwn: paths are remembered from text to text, and none is ever told for
// another place, nor for another redactor.
func TestPathsAreTheirOwn(t *testing.T) {
	secret := canary.Secrets(22)[0].Value
	value := object("password", secret)
	strict, err := New(Options{Preset: Strict})
	if err != nil {
		t.Fatal(err)
	}
	docs := []string{
		value, `{"a":` + value + `}`, `{"a/b":` + value + `}`, `{"a":{"b":` + value + `}}`, `[` + value + `]`,
		`[0,` + value + `]`, `{"0":` + value + `}`, `{"1:a":` + value + `}`,
		`{"a~b":` + value + `}`, `{"":` + value + `}`, `{"mail jane@example.org":` + value + `}`,
		`{"` + strings.Repeat("long", 100) + `":` + value + `}`,
		`{"` + strings.Repeat("long", 100) + `":[0,` + value + `]}`, strings.Repeat(`{"n":`, 100) + value +
			strings.Repeat("}", 100), strings.Repeat(`[`, 100) + value + strings.Repeat("]", 100),
	}
	for range 3 {
		for _, doc := range docs {
			for _, r := range []*Redactor{Default(), strict} {
				fresh := *r // has no path remembered, since it is another redactor
				_, want := fresh.JSON([]byte(doc))
				if _, got := r.JSON([]byte(doc)); !slices.Equal(got, want) {
					t.Errorf("%.60s: got %+v, want %+v", doc, got, want)
				}
			}
		}
	}
}
