// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"context"
	"io"
	"regexp"
	"unicode/utf8"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/internal/arg"
)

const (
	maxPattern = 1000    // bytes of a regular expression
	maxMatches = 100_000 // of one search
)

// searcher finds all matches of a regular expression as [regexp.Regexp.FindAllStringSubmatchIndex]
// does, but can be stopped: with some expressions each match looks at all that
// follows, which takes a square of the text's length.
type searcher struct {
	first *regexp.Regexp
	// later finds the next match from the character before it on, so that word
	// boundaries and beginnings of lines are seen.
	later *regexp.Regexp
}

func newSearcher(pattern string, ignoreCase bool) (*searcher, error) {
	if len(pattern) > maxPattern || pattern == "" {
		return nil, arg.Invalid("pattern", "a regular expression of another length", "1 to 1000 bytes")
	}
	if ignoreCase {
		pattern = "(?i)" + pattern
	}
	first, err := regexp.Compile(pattern)
	if err != nil {
		return nil, arg.Invalid("pattern", "no regular expression ("+err.Error()+")",
			"one of RE2, without look-around and back references")
	}
	later, err := regexp.Compile(`\A(?s:.)(?s:.*?)(` + pattern + `)`)
	if err != nil {
		return nil, arg.Invalid("pattern", "an expression that is too large", "a smaller one")
	}
	return &searcher{first, later}, nil
}

// each visits the matches of a text until visit returns false.
func (s *searcher) each(ctx context.Context, text string, visit func(match []int) bool) error {
	from, end := 0, -1 // end: where the match before ended
	for n := 0; from <= len(text); n++ {
		m := s.find(ctx, text, from)
		if ctx.Err() != nil {
			return &toolkit.Error{Kind: toolkit.ErrTimeout, Message: "the regular expression takes too long on " +
				"this text", Cause: ctx.Err()}
		}
		if m == nil {
			return nil
		}
		if n == maxMatches {
			return &toolkit.Error{Kind: toolkit.ErrTool, Message: "the text has more than 100000 matches"}
		}
		from = m[1]
		if m[0] == m[1] {
			_, size := utf8.DecodeRuneInString(text[from:])
			from += max(1, size)
		}
		if m[0] == m[1] && m[0] == end {
			continue // an empty match right behind another is none
		}
		end = m[1]
		if !visit(m) {
			return nil
		}
	}
	return nil
}

// find gives the next match that begins at from or later, as places in the text.
func (s *searcher) find(ctx context.Context, text string, from int) []int {
	if from == 0 {
		return s.first.FindReaderSubmatchIndex(&runes{ctx: ctx, text: text})
	}
	_, size := utf8.DecodeLastRuneInString(text[:from])
	begin := from - size
	all := s.later.FindReaderSubmatchIndex(&runes{ctx: ctx, text: text, at: begin})
	if all == nil {
		return nil
	}
	m := all[2:] // its first group is the match
	for i := range m {
		if m[i] >= 0 {
			m[i] += begin
		}
	}
	return m
}

// runes reads a text until the context ends.
type runes struct {
	ctx  context.Context
	text string
	at   int
	read int
}

// ReadRune gives the next character; io.EOF when the time is over.
func (r *runes) ReadRune() (rune, int, error) {
	if r.read++; r.read%1024 == 0 && r.ctx.Err() != nil || r.at >= len(r.text) {
		return 0, 0, io.EOF
	}
	c, size := utf8.DecodeRuneInString(r.text[r.at:])
	r.at += size
	return c, size, nil
}
