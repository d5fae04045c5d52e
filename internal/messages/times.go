// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package messages

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
)

// timeLen is a date, a time of day, or both, as RFC 3339 and Go's log print them.
func timeLen(s string) int {
	n := 0
	if d := pattern(s, "dddd-dd-dd"); d > 0 {
		n = d
	} else if d := pattern(s, "dddd/dd/dd"); d > 0 {
		n = d
	}
	if n > 0 && n < len(s) && (s[n] == 'T' || s[n] == ' ') {
		if c := clockLen(s[n+1:]); c > 0 {
			return n + 1 + c
		}
	}
	if n == 0 {
		return clockLen(s)
	}
	if n < len(s) && isWordByte(s[n]) {
		return 0
	}
	return n
}

func clockLen(s string) int {
	n := pattern(s, "dd:dd:dd")
	if n == 0 {
		return 0
	}
	if n < len(s) && (s[n] == '.' || s[n] == ',') {
		d := digits(s[n+1:])
		if d > 0 {
			n += 1 + d
		}
	}
	if n < len(s) && s[n] == 'Z' {
		return n + 1
	}
	if z := max(pattern(s[n:], "+dd:dd"), pattern(s[n:], "-dd:dd")); z > 0 {
		return n + z
	}
	return n
}

// durationLen is a duration as Go prints it.
func durationLen(s string) int {
	n := 0
	for {
		d := numberLen(s[n:])
		if d == 0 {
			break
		}
		u := unitLen(s[n+d:])
		if u == 0 {
			return 0
		}
		n += d + u
	}
	if n < len(s) && isWordByte(s[n]) {
		return 0
	}
	return n
}

func unitLen(s string) int {
	for _, u := range [...]string{"ms", "ns", "us", "µs", "μs", "h", "m", "s"} {
		if strings.HasPrefix(s, u) {
			return len(u)
		}
	}
	return 0
}

// pattern compares s with p, where d stands for a digit.
func pattern(s, p string) int {
	if len(s) < len(p) {
		return 0
	}
	for i := range len(p) {
		if p[i] == 'd' && !chars.IsDigit(s[i]) || p[i] != 'd' && s[i] != p[i] {
			return 0
		}
	}
	return len(p)
}
