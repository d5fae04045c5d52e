// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// The bounds of a walk. Arguments are nested in each other 128 times at most, or have no
// identity; schemas that refer to themselves, or to many others at once, end here.
const (
	maxWalkDepth = 512
	minWalkSteps = 1000
)

// walk is one way through a text that is known to be valid JSON, without a name twice in
// an object. Its methods return where the value ends, or unsure.
type walk struct {
	text  []byte
	steps int // that are left
}

const unsure = -1

// accepts reports whether the schema's library is certain to accept text, which must be
// valid JSON with unique names. false says nothing.
func (sh *shape) accepts(text []byte) bool {
	w := walk{text, minWalkSteps + 4*len(text)}
	return w.value(sh, w.space(0), 0) >= 0
}

// at is the byte at i; 0 beyond the end.
func (w *walk) at(i int) byte {
	if i < len(w.text) {
		return w.text[i]
	}
	return 0
}

func (w *walk) space(i int) int {
	for c := w.at(i); c == ' ' || c == '\n' || c == '\t' || c == '\r'; c = w.at(i) {
		i++
	}
	return i
}

func (w *walk) value(sh *shape, i, depth int) (end int) {
	if w.steps--; w.steps < 0 || depth > maxWalkDepth {
		return unsure
	}
	if sh == nil {
		return w.skip(i)
	}
	for _, part := range sh.all {
		if w.value(part, i, depth+1) < 0 {
			return unsure
		}
	}
	for n, part := range sh.any {
		if w.value(part, i, depth+1) >= 0 {
			break
		}
		if n == len(sh.any)-1 {
			return unsure
		}
	}
	switch c := w.at(i); c {
	case '{':
		return w.object(sh, i+1, depth+1)
	case '[':
		return w.array(sh, i+1, depth+1)
	case '"':
		return w.string(sh, i+1)
	case 't', 'f', 'n':
		if c == 'n' && sh.kinds&kindNull == 0 || c != 'n' && sh.kinds&kindBoolean == 0 {
			return unsure
		}
		return w.skip(i)
	}
	return w.number(sh, i)
}

func (w *walk) object(sh *shape, i, depth int) (end int) {
	if sh.kinds&kindObject == 0 {
		return unsure
	}
	missing := sh.required
	for i = w.space(i); w.at(i) == '"'; {
		close, plain := w.quote(i + 1)
		if !plain {
			return unsure // it may be any name
		}
		next := sh.others
		if m, ok := sh.members[string(w.text[i+1:close])]; ok {
			next = m.shape
			if m.required {
				missing--
			}
		}
		if i = w.value(next, w.space(w.space(close+1)+1), depth); i < 0 {
			return unsure
		}
		if i = w.space(i); w.at(i) == ',' {
			i = w.space(i + 1)
		}
	}
	if w.at(i) != '}' || missing > 0 {
		return unsure
	}
	return i + 1
}

func (w *walk) array(sh *shape, i, depth int) (end int) {
	if sh.kinds&kindArray == 0 {
		return unsure
	}
	n := 0
	for i = w.space(i); w.at(i) != ']'; n++ {
		if i = w.value(sh.items, i, depth); i < 0 {
			return unsure
		}
		if i = w.space(i); w.at(i) == ',' {
			i = w.space(i + 1)
		}
	}
	if n < sh.minItems || n > sh.maxItems {
		return unsure
	}
	return i + 1
}

// string is a string whose text begins at i. The length of a text without escapes is that of
// what it says.
func (w *walk) string(sh *shape, i int) (end int) {
	close, plain := w.quote(i)
	switch text := w.text[i:close]; {
	case sh.kinds&kindString == 0:
		return unsure
	case sh.texts != nil && (!plain || !sh.texts[string(text)]):
		return unsure
	case sh.minText > 0 || sh.maxText < len(text):
		if n := utf8.RuneCount(text); !plain || n < sh.minText || n > sh.maxText {
			return unsure
		}
	}
	return close + 1
}

// maxExact is how many characters an integer may have that is a float64 for certain.
const maxExact = 15

// number is a number that begins at i. Rounding keeps order: what lies on one side of a
// bound when it was rounded lies there indeed, but what lies on the bound may not.
func (w *walk) number(sh *shape, i int) (end int) {
	kind := kindInteger
	for end = i; ; end++ {
		if c := w.at(end); c == '.' {
			kind = kindFraction
		} else if c != '-' && (c < '0' || c > '9') {
			break
		}
	}
	if c := w.at(end); c == 'e' || c == 'E' {
		return unsure // the library refuses exponents beyond some size
	}
	if sh.kinds&kind == 0 {
		return unsure
	}
	f, err := strconv.ParseFloat(string(w.text[i:end]), 64)
	switch {
	case err != nil:
		return unsure
	case f < sh.atLeast || f > sh.atMost || f <= sh.above || f >= sh.below:
		return unsure
	case (f == sh.atLeast || f == sh.atMost) && (kind != kindInteger || end-i > maxExact):
		return unsure
	}
	return end
}

// skip goes over a value of any kind.
func (w *walk) skip(i int) (end int) {
	for depth := 0; i < len(w.text); {
		switch c := w.text[i]; c {
		case '"':
			i, _ = w.quote(i + 1)
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return i // the end of what the value is in
			}
		case ',', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return i
}

// quote finds the end of a string whose text begins at i, and whether it has no escapes.
func (w *walk) quote(i int) (close int, plain bool) {
	rest := w.text[min(i, len(w.text)):]
	n := bytes.IndexByte(rest, '"')
	if n >= 0 && bytes.IndexByte(rest[:n], '\\') < 0 {
		return i + n, true
	}
	for n = 0; n < len(rest) && rest[n] != '"'; n++ {
		if rest[n] == '\\' {
			n++
		}
	}
	return min(i+n, len(w.text)), false
}
