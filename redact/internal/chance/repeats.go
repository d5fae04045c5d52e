// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package chance

import "strings"

// MayRepeatItself rules out most of what is neither [IsRepeated], [IsRepeatedBody] nor
// [patterned]: each of them has seven bytes or more that are the same as the one before, or is short.
func MayRepeatItself(v string) bool {
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

// IsRepeatedBody reports whether v is a token's prefix with the same character again and
// again behind it: sk-api-aaaaaaaaaaaaaaaa, glc_1111111111111111=.
func IsRepeatedBody(v string) bool {
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

// Patterned reports whether v is made of runs of the same character, one after another,
// as examples are: 5555aaaa7777.
func Patterned(v string) bool {
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

// IsRepeated reports whether v is little more than filler characters again and again.
func IsRepeated(v string) bool {
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
	return longest+1 == len(v) || filler && longest >= 7 && longest*3 >= len(v)*2 || Patterned(v)
}
