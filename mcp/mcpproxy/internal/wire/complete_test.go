// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"strings"
	"testing"
)

func TestCompletion(t *testing.T) {
	for _, tt := range []struct {
		text string
		at   int // the length of the beginning that is complete first, 0 for none
	}{
		{`{}`, 2},
		{` {"a":[1,{"b":"}"}]}` + "\n", 20},
		{`[{"a":"]\\"}]`, 13},
		{`{"a":"\"}"}`, 11},
		{`{"a":"\\\\"} `, 12},
		{`{"a":"` + strings.Repeat("x", 100) + `"}`, 108},
		{`"}"`, 0},
		{`7`, 0},
		{`}{"a":1`, 0},
		{`{"a":"}`, 0},
		{``, 0},
	} {
		var byBytes Completion
		for i := range len(tt.text) {
			var whole Completion
			want := tt.at > 0 && i+1 >= tt.at
			if got := byBytes.Add([]byte{tt.text[i]}); got != want {
				t.Errorf("%q: byte %d: got %t, want %t", tt.text, i, got, want)
			}
			if got := whole.Add([]byte(tt.text[:i+1])); got != want {
				t.Errorf("%q: first %d bytes: got %t, want %t", tt.text, i+1, got, want)
			}
		}
	}
}
