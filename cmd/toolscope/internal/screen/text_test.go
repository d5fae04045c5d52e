// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package screen

import (
	"strings"
	"testing"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text  string
		cells int
		want  string
	}{
		{"short", 10, "short"},
		{"one\ntwo\r\n", 10, "one|two"},
		{"abcdefgh", 3, "abc|def|gh"},
		{"日本語", 4, "日本|語"},
		{"日本", 1, "日|本"},
		{"a\x1b[0m", 4, `a\x1|b[0m`},
		{"", 5, ""},
		{"invalid input here", 9, "invalid |input |here"},
		{"a bcdefghij", 6, "a bcde|fghij"},
		{"one two", 7, "one two"},
		{"日本 日本", 7, "日本 |日本"},
	} {
		if got := strings.Join(Wrap(c.text, c.cells), "|"); got != c.want {
			t.Errorf("Wrap(%q, %d): got %q, want %q", c.text, c.cells, got, c.want)
		}
	}
	if lines := Wrap(strings.Repeat("x", 10*MaxWrapped), 80); len(lines) > MaxWrapped/80+3 ||
		!strings.Contains(lines[len(lines)-1], "more") {
		t.Errorf("got %d lines, the last %q", len(lines), lines[len(lines)-1])
	}
}

func TestSpark(t *testing.T) {
	for _, c := range []struct {
		values []float64
		cells  int
		want   string
	}{
		{nil, 5, ""}, {[]float64{0, 0}, 5, "  "}, {
			[]float64{1, 8, 0, 4}, 4, "▁█ ▄",
		}, {[]float64{1, 1, 2, 2}, 2, "▄█"}, {
			[]float64{0, 0.0001, 1000}, 3, " ▁█",
		},
	} {
		if got := Spark(c.values, c.cells); got != c.want {
			t.Errorf("%v: got %q, want %q", c.values, got, c.want)
		}
	}
}
