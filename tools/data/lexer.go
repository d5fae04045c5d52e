// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxExpression = 4096 // bytes
	maxTokens     = 1000
)

// token is a part of an expression.
type token struct {
	kind tokenKind
	text string
	at   int // the byte it begins at
}

type tokenKind uint8

const (
	endToken tokenKind = iota
	numberToken
	nameToken
	signToken
)

// signs are the operators, the longer ones first, with what they are called here.
var signs = []struct{ text, is string }{
	{"**", "^"}, {"//", "//"}, {"->", "to"}, {"→", "to"}, {"×", "*"}, {"·", "*"}, {"÷", "/"}, {"−", "-"},
	{"+", "+"}, {"-", "-"}, {"*", "*"}, {"/", "/"}, {"%", "%"}, {"^", "^"}, {"!", "!"}, {"(", "("}, {")", ")"},
	{",", ","}, {"√", "√"},
}

// lex splits an expression.
func lex(s string) (tokens []token, err error) {
	if len(s) > maxExpression {
		return nil, wrong(fmt.Sprintf("the expression has %d bytes, want at most %d", len(s), maxExpression))
	}
next:
	for at := 0; at < len(s); {
		if len(tokens) == maxTokens {
			return nil, wrong(fmt.Sprintf("the expression has more than %d parts", maxTokens))
		}
		r, size := utf8.DecodeRuneInString(s[at:])
		switch {
		case unicode.IsSpace(r):
			at += size
			continue
		case r >= '0' && r <= '9' || r == '.':
			n := numberLength(s[at:])
			tokens = append(tokens, token{numberToken, strings.ReplaceAll(s[at:at+n], "_", ""), at})
			at += n
			continue
		case nameStart(r):
			n := strings.IndexFunc(s[at+size:], func(r rune) bool { return !nameStart(r) && !(r >= '0' && r <= '9') })
			if n < 0 {
				n = len(s) - at - size
			}
			tokens = append(tokens, token{nameToken, s[at : at+size+n], at})
			at += size + n
			continue
		}
		for _, sign := range signs {
			if strings.HasPrefix(s[at:], sign.text) {
				kind := signToken
				if sign.is == "to" {
					kind = nameToken
				}
				tokens = append(tokens, token{kind, sign.is, at})
				at += len(sign.text)
				continue next
			}
		}
		return nil, wrong(fmt.Sprintf("at byte %d: got %q, want a number, name or operator", at, r))
	}
	return tokens, nil
}

// numberLength is how long the number at the beginning of s is: digits, "_" between
// them, a point, an exponent.
func numberLength(s string) int {
	n := 0
	digits := func() {
		for n < len(s) && (s[n] >= '0' && s[n] <= '9' || s[n] == '_') {
			n++
		}
	}
	digits()
	if n < len(s) && s[n] == '.' {
		n++
		digits()
	}
	if n < len(s) && (s[n] == 'e' || s[n] == 'E') {
		sign := n + 1
		if sign < len(s) && (s[sign] == '+' || s[sign] == '-') {
			sign++
		}
		if sign < len(s) && s[sign] >= '0' && s[sign] <= '9' {
			n = sign
			digits()
		}
	}
	return n
}

func nameStart(r rune) bool {
	return unicode.IsLetter(r) || r == '_' || r == '°'
}
