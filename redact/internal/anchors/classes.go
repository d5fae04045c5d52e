// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package anchors

// The first stage looks at three bytes at a time. Each byte is folded to one of 32
// classes, so three of them make 15 bits. A [filter] tells where anchors may begin; only
// there those are compared that begin with the same three.

// classOf folds a byte: letters in any case 1 to 26, digits, and a few kinds of
// punctuation; all else is 0. Of the rarest letters two share a class: q is as j, z as x.
var classOf = func() (t [256]uint8) {
	for c := byte('a'); c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = c-'a'+1, c-'a'+1
	}
	t['q'], t['Q'], t['z'], t['Z'] = t['j'], t['j'], t['x'], t['x']
	for c := byte('0'); c <= '9'; c++ {
		t[c] = classDigit
	}
	for class, of := range map[uint8]string{classBlank: " ()", classColon: ":~+", classJoin: "_-", classDot: "./",
		classAt: "@%=<"} {
		for _, c := range []byte(of) {
			t[c] = class
		}
	}
	for c := 0x80; c <= 0xff; c++ {
		t[c] = classBeyond
	}
	return t
}()

const (
	classOther = 0
	classBlank = 'q' - 'a' + 1 // blank and parentheses
	classColon = 'z' - 'a' + 1 // : ~ +
)

const (
	classDigit  = 27 + iota
	classJoin   // '_' and '-'
	classDot    // . and /
	classAt     // @ % = <
	classBeyond // bytes beyond ASCII: other scripts, apart from the punctuation that JSON and source code are full of
	classes     // how many there are
)

const trigrams = classes * classes * classes
