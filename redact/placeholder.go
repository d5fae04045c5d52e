// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import "strings"

// isPlaceholder reports whether v stands for a value to be filled in.
func isPlaceholder(v string) bool {
	if n := len(v); n > 3 && v[0] == '[' && v[n-1] == ']' && isIdentifier(v[1:n-1]) && strings.ToUpper(v) == v {
		return true
	}
	if mayRepeatItself(v) && (isRepeated(v) || isRepeatedBody(v)) || strings.HasSuffix(v, "EXAMPLE") || strings.HasSuffix(v, "EXAMPLEKEY") || v == "short" {
		return true
	}
	if len(v) > 48 || random(v) {
		return false
	}
	for i := range len(v) {
		for _, p := range placeholdersBy[lower[v[i]]] {
			if hasFold(v, i, p) && (len(v) <= len(p)+14 || strings.IndexByte(p, ' ') >= 0) {
				return true
			}
		}
	}
	return hasFold(v, 0, "your") && len(v) > 5 && !hasDigit(v)
}

// mayRepeatItself rules out most of what is neither [isRepeated], [isRepeatedBody] nor
// [patterned]: each of them has seven bytes or more that are the same as the one before, or is short.
func mayRepeatItself(v string) bool {
	if len(v) < 9 {
		return true
	}
	same := 0
	for i := 1; i < len(v); i++ {
		if v[i] == v[i-1] {
			same++
		}
	}
	return same >= 7
}

// isRepeatedBody reports whether v is a token's prefix with the same character again and
// again behind it: sk-api-aaaaaaaaaaaaaaaa, glc_1111111111111111=.
func isRepeatedBody(v string) bool {
	v = strings.TrimRight(v, "=")
	if len(v) < 16 {
		return false
	}
	last := v[len(v)-1]
	n := 0
	for n < len(v) && v[len(v)-1-n] == last {
		n++
	}
	before := len(v) - n
	return n >= 12 && (before == 0 || before <= 20 && strings.IndexByte("_-.", v[before-1]) >= 0)
}

// patterned reports whether v is made of runs of the same character, one after another,
// as examples are: 5555aaaa7777.
func patterned(v string) bool {
	var run, longest, runs int
	for i := 1; i < len(v); i++ {
		if v[i] != v[i-1] {
			run, runs = 0, runs+1
		} else if run++; run > longest {
			longest = run
		}
	}
	return len(v) >= 24 && runs >= 4 && runs*3 < len(v) && longest*2 < len(v)
}

// isRepeated reports whether v is little more than filler characters again and again.
func isRepeated(v string) bool {
	if len(v) < 3 {
		return strings.Trim(v, "xX*.-_#?") == ""
	}
	var run, longest int
	filler := false
	for i := 1; i < len(v); i++ {
		if v[i] != v[i-1] {
			run = 0
			continue
		}
		if run++; run > longest {
			longest, filler = run, strings.IndexByte("xX*.-_#?0", v[i]) >= 0
		}
	}
	return longest+1 == len(v) || filler && longest >= 7 && longest*3 >= len(v)*2 || patterned(v)
}

var placeholders = []string{
	"changeme", "change_me", "change-me", "placeholder", "your_", "your-", "yourpass", "yoursecret", "redacted", "dummy", "notapassword", "insert_", "insert-", "replace_me", "replaceme",
	"replace-me", "todo", "not-set", "notset", "not_set", "xxxxxx", "******", "......", "enter ", "afakekey", "too-short", "example_", "example-", "_here", "-here", "my_password", "my-password", "_short", "-short",
}

// placeholdersBy are the placeholders that begin with a byte.
var placeholdersBy = func() (t [256][]string) {
	for _, p := range placeholders {
		t[p[0]] = append(t[p[0]], p)
	}
	return t
}()
