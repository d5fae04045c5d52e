// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package values

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/chance"
	"github.com/toolscope/toolscope/redact/internal/names"
)

// IsPlaceholder reports whether v stands for a value to be filled in.
func IsPlaceholder(v string) bool {
	if n := len(v); n > 3 && v[0] == '[' && v[n-1] == ']' && chars.IsIdentifier(v[1:n-1]) &&
		(strings.ToUpper(v) == v || names.Classify(v).Level > names.Harmless) {
		return true
	}
	if chance.MayRepeatItself(v) && (chance.IsRepeated(v) || chance.IsRepeatedBody(v)) ||
		strings.HasSuffix(v, "EXAMPLE") || strings.HasSuffix(v, "EXAMPLEKEY") ||
		strings.Contains(v, "-EXAMPLE") || v == "short" {
		return true
	}
	if i := max(strings.LastIndexByte(v, '-'), strings.LastIndexByte(v, '_')); len(v)-i > 3 && i > 0 && i < 8 &&
		strings.IndexByte("xX.*", v[i+1]) >= 0 && strings.Trim(v[i+1:], v[i+1:i+2]) == "" {
		return true // sk-xxx
	}
	if chars.HasFold(v, 0, "todo: ") {
		return true
	}
	if len(v) > 48 || chance.Random(v) {
		return false
	}
	for i := range max(0, len(v)-1) {
		first := chars.Fold[v[i]] & 127
		if placeholderSeconds[first]>>(v[i+1]&31)&1 == 0 {
			continue
		}
		for _, p := range placeholdersBy[first] {
			if chars.HasFold(v, i, p) && (len(v) <= len(p)+14 || strings.IndexByte(p, ' ') >= 0) {
				return !isNumbered(v, i, p)
			}
		}
	}
	return chars.HasFold(v, 0, "your") && len(v) > 5 && !chars.HasDigit(v)
}

// isNumbered reports whether v is the stock word p with a number behind it, and signs around that, as people
// make passwords: changeme1234, Changeme2015!.
func isNumbered(v string, at int, p string) bool {
	if at > 0 || p[0] != 'c' || len(v) <= len(p)+2 {
		return false
	}
	return chars.IsDigits(strings.Trim(v[len(p):], "!@#$%^&*?.+~=_-"))
}

var placeholders = []string{
	"changeme", "change_me", "change-me", "placeholder", "your_", "your-", "yourpass", "yoursecret", "redacted",
	"dummy", "notapassword", "insert_", "insert-", "replace_me", "replaceme",
	"replace-me", "todo", "not-set", "notset", "not_set", "xxxxxx", "******", "......", "enter ", "afakekey",
	"too-short", "example_", "example-", "_here", "-here", "my_password", "my-password", "_short", "-short",
}

// placeholderSeconds are sets of what follows the first byte of a placeholder, by the five bits that capitals and small
// letters have in common.
var placeholderSeconds = func() (t [128]uint32) {
	for _, p := range placeholders {
		t[p[0]] |= 1 << (p[1] & 31)
	}
	return t
}()

// placeholdersBy are the placeholders that begin with a byte of ASCII.
var placeholdersBy = func() *[128][]string {
	t := new([128][]string)
	for _, p := range placeholders {
		t[p[0]] = append(t[p[0]], p)
	}
	return t
}()
