// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/kinds"
)

// phraseDetector finds the words of a wallet (BIP 39) by what is said of them: twelve or more of 3 to 8 letters.
func phraseDetector() kinds.Detector {
	const fewest, most = 12, 24
	return kinds.Detector{
		Kind:    kinds.New("wallet-key", kinds.GroupToken, "a wallet's extended key, or its words", true),
		Anchors: []string{"seed phrase", "recovery phrase", "secret phrase", "mnemonic"},
		Match: func(s string, _, end int) (int, int, bool) {
			start := chars.SkipAny(s[:min(len(s), end+16)], end, " :=\"'")
			if chars.HasFold(s, start, "is ") {
				start = chars.SkipAny(s[:min(len(s), start+16)], start+len("is "), " :\"'")
			}
			words, stop := 0, start
			for p := start; words < most; {
				q := chars.Skip(s[:min(len(s), p+9)], p, chars.Lower)
				if q-p < 3 || q-p > 8 || q < len(s) && chars.IsAlnum(s[q]) {
					break
				}
				words, stop = words+1, q
				if q == len(s) || s[q] != ' ' {
					break
				}
				p = q + 1
			}
			return start, stop, words >= fewest
		},
	}
}
