// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package approve

import (
	"fmt"
	"slices"

	"github.com/toolscope/toolscope/middleware/internal/check"
)

// sensitiveWords are those of [Options.SensitiveWords] by default. "tokens" is none of them: as in max_tokens it
// is nearly always a number of language tokens.
var sensitiveWords = []string{
	"password", "passwords", "secret", "secrets", "token", "key", "keys", "apikey",
	"delete", "deletes", "drop", "drops", "destroy", "destroys",
}

// The bounds of [Options.SensitiveWords].
const (
	maxWords = 100
	maxWord  = 64 // bytes
)

// checkWords reports words that could never be found, and too many of them.
func checkWords(c *check.Options, words []string) {
	c.If(len(words) > maxWords, "SensitiveWords", fmt.Sprintf("%d words", len(words)), fmt.Sprintf("at most %d", maxWords))
	for i, w := range words {
		ok := w != "" && len(w) <= maxWord
		for j := range len(w) {
			ok = ok && w[j] >= 'a' && w[j] <= 'z'
		}
		c.If(!ok, fmt.Sprintf("SensitiveWords[%d]", i), fmt.Sprintf("%.70q", w),
			fmt.Sprintf("one word of at most %d letters from a to z", maxWord))
	}
}

// wordSet is what is looked for in arguments.
type wordSet struct {
	words []string
	first [256]bool // bytes that begin one of them, in either case
}

func newWordSet(words []string) *wordSet {
	if len(words) == 0 {
		words = sensitiveWords
	}
	s := &wordSet{words: slices.Clone(words)}
	for _, w := range words {
		s.first[w[0]], s.first[w[0]-'a'+'A'] = true, true
	}
	return s
}

// find returns the first of the words in the arguments, in names or values and in any case; "" if there is none.
// A word ends where something else than an ASCII letter begins, and where a camelCase name begins its next part.
func (s *wordSet) find(arguments []byte) string {
	text := unescaped(arguments)
	for i, c := range text {
		if !s.first[c] || !startsWord(text, i) {
			continue
		}
		for _, w := range s.words {
			if lower(c) == w[0] && hasWord(text[i:], w) {
				return w
			}
		}
	}
	return ""
}

// startsWord reports whether a word or a part of a camelCase name starts at the letter text[i]: the P of newPassword, the K of
// APIKey.
func startsWord(text []byte, i int) bool {
	if i == 0 || !letter(text[i-1]) {
		return true
	}
	if i > 1 && text[i-2] == '\\' { // an escape of a JSON text within the text
		return true
	}
	return upper(text[i]) && (!upper(text[i-1]) || i+1 < len(text) && letter(text[i+1]) && !upper(text[i+1]))
}

// hasWord reports whether text starts with the whole word.
func hasWord(text []byte, word string) bool {
	if len(text) < len(word) {
		return false
	}
	for i := range len(word) {
		if lower(text[i]) != word[i] {
			return false
		}
	}
	return len(text) == len(word) || !letter(text[len(word)]) || startsWord(text, len(word))
}

func letter(c byte) bool { return lower(c) >= 'a' && lower(c) <= 'z' }
func upper(c byte) bool  { return c >= 'A' && c <= 'Z' }

func lower(c byte) byte {
	if upper(c) {
		c += 'a' - 'A'
	}
	return c
}

// unescaped is JSON text with the escapes of ASCII characters resolved, so that neither \u0070assword nor a line break
// before a word hides it. It is arguments itself if it has no escapes.
func unescaped(arguments []byte) []byte {
	first := 0
	for first < len(arguments) && arguments[first] != '\\' {
		first++
	}
	if first == len(arguments) {
		return arguments
	}
	out := append(make([]byte, 0, len(arguments)), arguments[:first]...)
	for i := first; i < len(arguments); i++ {
		if arguments[i] != '\\' || i+1 == len(arguments) {
			out = append(out, arguments[i])
			continue
		}
		i++
		switch arguments[i] {
		case 'b', 'f', 'n', 'r', 't':
			out = append(out, ' ')
		case 'u':
			c, n := escaped(arguments[i+1:])
			out = append(out, c)
			i += n
		default:
			out = append(out, arguments[i])
		}
	}
	return out
}

// escaped is the ASCII character of four hexadecimal digits, and how many bytes they are; a blank for any other.
func escaped(digits []byte) (c byte, n int) {
	if len(digits) < 4 {
		return ' ', 0
	}
	value := 0
	for _, d := range digits[:4] {
		switch d = lower(d); {
		case d >= '0' && d <= '9':
			value = value<<4 | int(d-'0')
		case d >= 'a' && d <= 'f':
			value = value<<4 | int(d-'a'+10)
		default:
			return ' ', 0
		}
	}
	if value >= 0x80 {
		return ' ', 4
	}
	return byte(value), 4
}
