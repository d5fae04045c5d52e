// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import "strings"

// maxAfar is how far from its name a value is looked for that is not directly beside it, in
// bytes.
const maxAfar = 300

// afar looks for the value of the name [start,stop) where nothing is directly beside it:
// in a column of a table, behind a number, behind words, or in a block.
func (sc *scanner) afar(s string, start, stop int, v verdict) int {
	if v.level == secret {
		if from, to := sentenceValue(s, stop); to > from && judge(s[from:to], s[start:stop], v, operand{op: '=', quoted: true}, false) {
			sc.spend(to - stop)
			return sc.takeNamed(s, from, to, v.kind)
		}
		if from, to := blockDefault(s, stop); to > from && judge(s[from:to], s[start:stop], v, operand{op: '=', quoted: true}, false) {
			sc.spend(to - stop)
			return sc.takeNamed(s, from, to, v.kind)
		}
	}
	from, to := randomAhead(s, stop, v.level == secret)
	sc.spend(max(0, to-stop))
	if to <= from || v.kind == idSignature || v.kind == idCookie || v.kind == idVendor && v.level < secret {
		return 0
	}
	if value := s[from:to]; isReference(value) || isPlaceholder(value) || isPath(value) || isRelease(value) || isMark(value) {
		return 0
	}
	return sc.takeNamed(s, from, to, v.kind)
}

// mayStandAfar reports whether afar may find something for a name that ends at stop.
func mayStandAfar(s string, stop int) bool {
	if stop+2 < len(s) && s[stop] == ' ' && isLetter(s[stop+1]) && shortWord(s, stop+1) && !hasFold(s, stop, " for ") && !hasFold(s, stop, " of ") {
		return false // running text
	}
	if _, to := randomAhead(s, stop, true); to > 0 {
		return true
	}
	if _, to := sentenceValue(s, stop); to > 0 {
		return true
	}
	_, to := blockDefault(s, stop)
	return to > 0
}

// longWord is the shortest word that may be drawn by chance, in bytes.
const longWord = 16

// shortWord reports whether the word at p is too short to be drawn by chance.
func shortWord(s string, p int) bool {
	n := 0
	for p+n < len(s) && n < longWord && s[p+n] != ' ' {
		n++
	}
	return n < longWord
}

// randomAhead is the word of 16 bytes or more that looks drawn by chance and stands behind
// the name that ends at stop: in the next column of a table, behind a number and a colon,
// or, if alone, behind a blank. Digits of a digest need more than a blank.
func randomAhead(s string, stop int, alone bool) (from, to int) {
	p := stop
	for p < len(s) && p-stop < 8 && strings.IndexByte("`*\"'", s[p]) >= 0 {
		p++
	}
	blank := p
	for p < len(s) && p-blank < 40 && s[p] == ' ' {
		p++
	}
	switch {
	case p < len(s) && s[p] == '|' && p+1 < len(s) && s[p+1] != '|':
		for p++; p < len(s) && p-blank < 80 && strings.IndexByte(" `*", s[p]) >= 0; p++ {
		}
	case p > blank && p+2 < len(s) && isDigit(s[p]) && (s[p+1] == ':' || isDigit(s[p+1]) && s[p+2] == ':'): // Unseal Key 1:
		for p++; p < len(s) && strings.IndexByte("0123456789: ", s[p]) >= 0; p++ {
		}
	case p == blank+1 && alone:
	default:
		return 0, 0
	}
	from = p
	for p < len(s) && p-from < 512 && (chars[s[p]]&chB64 != 0 || s[p] == '=' || s[p] == '.' || s[p] == '~') {
		p++
	}
	for p > from && s[p-1] == '.' {
		p--
	}
	if p < len(s) && !isSpace(s[p]) && strings.IndexByte("|`\"'*,;)<\\", s[p]) < 0 {
		return 0, 0
	}
	if v := s[from:p]; len(v) < 16 || !hasDigit(v) || !random(strings.TrimRight(v, "=")) {
		return 0, 0
	}
	return from, p
}

// sentenceValue is the literal of a sentence about a name: the password for the user 'ann'
// is 'x'.
func sentenceValue(s string, stop int) (from, to int) {
	if !hasFold(s, stop, " for ") && !hasFold(s, stop, " of ") {
		return 0, 0
	}
	const is = " is "
	if stop+2 < len(s) && s[stop+1]|0x20 != 'f' && s[stop+1]|0x20 != 'o' {
		return 0, 0
	}
	words := s[stop:min(len(s), stop+80)]
	i := strings.Index(words, is)
	if i < 0 || stop+i+len(is) >= len(s) || strings.IndexByte(words[:i], '\n') >= 0 || strings.Contains(words[:i], ". ") {
		return 0, 0
	}
	open := stop + i + len(is)
	quote := s[open]
	if quote != '"' && quote != '\'' && quote != '`' {
		return 0, 0
	}
	end := quoteEnd(s, open+1, quote)
	if end == len(s) || s[end] != quote {
		return 0, 0
	}
	return open + 1, end
}

// blockDefault is the literal that a Terraform variable of a name has by default.
func blockDefault(s string, stop int) (from, to int) {
	p := stop
	for p < len(s) && p-stop < 4 && strings.IndexByte("\"' ", s[p]) >= 0 {
		p++
	}
	if p >= len(s) || s[p] != '{' || p == stop {
		return 0, 0
	}
	block := s[p+1 : min(len(s), p+maxAfar)]
	if end := strings.IndexByte(block, '}'); end >= 0 {
		block = block[:end]
	}
	offset := p + 1
	for line := range strings.Lines(block) {
		name, value, ok := strings.Cut(line, "=")
		if ok && strings.TrimSpace(name) == "default" {
			open := offset + len(name) + 1
			for open < len(s) && s[open] == ' ' {
				open++
			}
			if strings.HasPrefix(strings.TrimLeft(value, " "), `"`) {
				return open + 1, quoteEnd(s, open+1, '"')
			}
		}
		offset += len(line)
	}
	return 0, 0
}

// pairLiteral is the second literal of a call, or of a pair, whose first one is [o.start,
// o.end): BasicAuth("ann", "x"), auth=("ann", "x").
func pairLiteral(s string, start, stop int, o operand) (from, to int) {
	if !o.quoted || o.op != '(' && (o.op != '=' || o.start < 2 || s[o.start-2] != '(') || o.end+1 >= len(s) {
		return 0, 0
	}
	switch name := s[start:stop]; {
	case endsFold(name, "auth"), endsFold(name, "credential"), endsFold(name, "credentials"), endsFold(name, "userpassword"), endsFold(name, "authentication"):
	default:
		return 0, 0
	}
	p := o.end + 1
	for p < len(s) && (s[p] == ',' || isSpace(s[p])) && p-o.end < 40 {
		p++
	}
	if p == o.end+1 || p >= len(s) || s[p] != '"' && s[p] != '\'' {
		return 0, 0
	}
	return p + 1, quoteEnd(s, p+1, s[p])
}

func endsFold(s, low string) bool { return len(s) >= len(low) && hasFold(s, len(s)-len(low), low) }
