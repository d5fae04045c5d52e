// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"unicode/utf16"
	"unicode/utf8"
)

// The methods here read JSON (RFC 8259) from the front of what is left of a line.

func (l *logLine) blanks() {
	i := 0
	for i < len(l.text) && (l.text[i] == ' ' || l.text[i] == '\t' || l.text[i] == '\r' || l.text[i] == '\n') {
		i++
	}
	l.text = l.text[i:]
}

func (l *logLine) take(c byte) bool {
	if len(l.text) == 0 || l.text[0] != c {
		return false
	}
	l.text = l.text[1:]
	return true
}

func (l *logLine) word(w string) bool {
	if len(l.text) < len(w) || string(l.text[:len(w)]) != w {
		return false
	}
	l.text = l.text[len(w):]
	return true
}

// str reads a string; false if there is none, or one that is not JSON.
func (l *logLine) str() ([]byte, bool) {
	if len(l.text) == 0 || l.text[0] != '"' {
		return nil, false
	}
	for i := 1; i < len(l.text); i++ {
		switch c := l.text[i]; {
		case c == '"':
			s := l.text[1:i]
			l.text = l.text[i+1:]
			return s, true
		case c == '\\':
			return l.escaped(i)
		case c < ' ':
			return nil, false
		}
	}
	return nil, false
}

// escaped reads a string whose first escape is at i.
func (l *logLine) escaped(i int) ([]byte, bool) {
	start := len(l.spare)
	l.spare = append(l.spare, l.text[1:i]...)
	for i < len(l.text) {
		switch c := l.text[i]; {
		case c == '"':
			l.text = l.text[i+1:]
			return l.spare[start:len(l.spare):len(l.spare)], true
		case c < ' ':
			return nil, false
		case c != '\\':
			l.spare = append(l.spare, c)
			i++
		case i+1 == len(l.text):
			return nil, false
		case l.text[i+1] == 'u':
			r, ok := hex4(l.text[i+2:])
			if !ok {
				return nil, false
			}
			i += 6
			if utf16.IsSurrogate(r) {
				low, ok := rune(0), false
				if i+1 < len(l.text) && l.text[i] == '\\' && l.text[i+1] == 'u' {
					low, ok = hex4(l.text[i+2:])
				}
				if r = utf16.DecodeRune(r, low); ok && r != utf8.RuneError {
					i += 6
				} else {
					r = utf8.RuneError
				}
			}
			l.spare = utf8.AppendRune(l.spare, r)
		default:
			to := escapes[l.text[i+1]]
			if to == 0 {
				return nil, false
			}
			l.spare = append(l.spare, to)
			i += 2
		}
	}
	return nil, false
}

// escapes are what the letters after a backslash stand for.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func hex4(s []byte) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	r := rune(0)
	for _, c := range s[:4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// number reads a number in the form that JSON has.
func (l *logLine) number() ([]byte, bool) {
	i := 0
	digits := func() bool {
		from := i
		for i < len(l.text) && l.text[i] >= '0' && l.text[i] <= '9' {
			i++
		}
		return i > from
	}
	at := func(set ...byte) bool {
		for _, c := range set {
			if i < len(l.text) && l.text[i] == c {
				i++
				return true
			}
		}
		return false
	}
	at('-')
	if !at('0') && !digits() {
		return nil, false
	}
	if at('.') && !digits() {
		return nil, false
	}
	if at('e', 'E') {
		at('+', '-')
		if !digits() {
			return nil, false
		}
	}
	n := l.text[:i]
	l.text = l.text[i:]
	return n, true
}

// maxNesting is how deep values may be that are passed over.
const maxNesting = 64

// skip passes a value over.
func (l *logLine) skip(depth int) error {
	if depth > maxNesting {
		return errDepth
	}
	if len(l.text) == 0 {
		return errJSON
	}
	ok := false
	switch l.text[0] {
	case '"':
		_, ok = l.str()
	case '{':
		return l.skipList('}', true, depth)
	case '[':
		return l.skipList(']', false, depth)
	case 't':
		ok = l.word("true")
	case 'f':
		ok = l.word("false")
	case 'n':
		ok = l.word("null")
	default:
		_, ok = l.number()
	}
	if !ok {
		return errJSON
	}
	return nil
}

// skipList passes an object or an array over.
func (l *logLine) skipList(end byte, named bool, depth int) error {
	l.text = l.text[1:]
	l.blanks()
	if l.take(end) {
		return nil
	}
	for {
		l.blanks()
		if named {
			if _, ok := l.str(); !ok {
				return errJSON
			}
			l.blanks()
			if !l.take(':') {
				return errJSON
			}
			l.blanks()
		}
		if err := l.skip(depth + 1); err != nil {
			return err
		}
		l.blanks()
		if !l.take(',') {
			break
		}
	}
	if !l.take(end) {
		return errJSON
	}
	return nil
}
