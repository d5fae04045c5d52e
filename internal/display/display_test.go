// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package display_test

import (
	"math"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/toolscope/toolscope/internal/display"
)

func TestPlain(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"ordinary text stays", "read_file: größer ≥ 日本 🙂", "read_file: größer ≥ 日本 🙂"},
		{"a terminal's colours", "\x1b[31mred\x1b[0m", `\x1b[31mred\x1b[0m`},
		{"a terminal's title", "\x1b]0;owned\a", `\x1b]0;owned\x07`},
		{"eight-bit control", "\u009b31m", `\u009b31m`},
		{"right-to-left override", "a\u202egpj.exe", `a\u202egpj.exe`},
		{"isolates", "\u2066x\u2069", `\u2066x\u2069`},
		{"zero width", "a\u200bb\ufeff", `a\u200bb\ufeff`},
		{"line ends", "one\r\ntwo\u2028three", `one\x0d\ntwo\u2028three`},
		{"tab", "a\tb", "a b"},
		{"bytes that are no UTF-8", "a\xffb", `a\xffb`},
		{"tag characters", "a\U000e0041", `a\U000e0041`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := display.Plain(c.in); got != c.want {
				t.Errorf("Plain(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func FuzzPlain(f *testing.F) {
	f.Add("a\x1b[0m\u202e\xff", 4)
	f.Fuzz(func(t *testing.T, s string, width int) {
		for _, got := range []string{display.Plain(s), display.Clip(s, width)} {
			for _, r := range got {
				if !unicode.IsGraphic(r) {
					t.Fatalf("of %q: got %U, want graphic characters only", s, r)
				}
			}
		}
		if width > 0 {
			if n := len([]rune(display.Clip(s, width))); n > width {
				t.Fatalf("Clip(%q, %d) has %d characters", s, width, n)
			}
		}
		if p := display.Plain(s); display.Plain(p) != p {
			t.Fatalf("Plain twice differs from once for %q", s)
		}
	})
}

func TestClip(t *testing.T) {
	for _, c := range []struct {
		in    string
		width int
		want  string
	}{
		{"short", 10, "short"},
		{"exactly10!", 10, "exactly10!"},
		{"eleven char", 10, "eleven ch…"},
		{"日本語日本語", 3, "日本…"},
		{"anything", 0, "anything"},
		{strings.Repeat("x", 1000), 5, "xxxx…"},
		{strings.Repeat("\x1b", 1000), 6, `\x1b\…`},
	} {
		if got := display.Clip(c.in, c.width); got != c.want {
			t.Errorf("Clip(%.20q, %d) = %q, want %q", c.in, c.width, got, c.want)
		}
	}
}

func TestUnits(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{display.Duration(0), "0 ns"},
		{display.Duration(310), "310 ns"},
		{display.Duration(4210 * time.Microsecond), "4.21 ms"},
		{display.Duration(999600 * time.Nanosecond), "1.00 ms"},
		{display.Duration(1500 * time.Millisecond), "1.50 s"},
		{display.Duration(12*time.Minute + 30*time.Second), "12.5 min"},
		{display.Duration(200 * time.Hour), "200 h"},
		{display.Duration(math.MinInt64), "-2562048 h"},
		{display.Milliseconds(0.0003), "300 ns"},
		{display.Milliseconds(math.NaN()), "–"},
		{display.Milliseconds(math.Inf(1)), "1281024 h"},
		{display.Three(0.0123), "0.012"},
		{display.Three(99.96), "100"},
		{display.Count(999), "999"},
		{display.Number(0, "call"), "0 calls"},
		{display.Number(1, "call"), "1 call"},
		{display.Number(1200, "call"), "1\u2009200 calls"},
		{display.Count(1234567), "1\u2009234\u2009567"},
		{display.Percent(0), "0 %"},
		{display.Percent(0.00001), "<0.01 %"},
		{display.Percent(0.125), "12.5 %"},
		{display.Percent(0.9999), ">99.9 %"},
		{display.Percent(1), "100 %"},
		{display.Rate(9, 12.5), "12.5/s"},
		{display.Rate(9, 0.07), "4.20/min"},
		{display.Rate(2, 0.0005), "1.80/h"},
		{display.Rate(1, 0.5), ""},
		{display.Rate(9, 0), ""},
		{display.Bytes(512), "512 B"},
		{display.Bytes(4096), "4.00 KiB"},
		{display.Bytes(1<<20 - 1), "1.00 MiB"},
		{display.Bytes(math.MaxUint64), "16.0 EiB"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
