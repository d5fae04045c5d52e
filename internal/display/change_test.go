// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package display

import "testing"

func TestChange(t *testing.T) {
	for _, c := range []struct {
		was, is    float64
		text, mood string
	}{
		{0, 5, "", ""}, {5, 5, "", ""}, {100, 100.2, "as before", ""}, {100, 105, "▲ 5.0 %", ""}, {100, 150, "▲ 50.0 %", "bad"},
		{100, 50, "▼ 50.0 %", "good"}, {1, 20, "▲ 20.0 times", "bad"},
	} {
		if text, mood := Change(c.was, c.is); text != c.text || mood != c.mood {
			t.Errorf("from %v to %v: got %q %q, want %q %q", c.was, c.is, text, mood, c.text, c.mood)
		}
	}
	for _, c := range []struct {
		was, is    float64
		text, mood string
	}{{0.1, 0.1, "as before", ""}, {0, 0.05, "▲ 5.00 points", "bad"}, {0.05, 0.02, "▼ 3.00 points", "good"},
		{0.01, 0.015, "▲ 0.5 points", ""}} {
		if text, mood := Points(c.was, c.is); text != c.text || mood != c.mood {
			t.Errorf("from %v to %v: got %q %q, want %q %q", c.was, c.is, text, mood, c.text, c.mood)
		}
	}
}
