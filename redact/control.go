// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"fmt"
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/names"
	"github.com/toolscope/toolscope/redact/internal/scan"
)

// A Pattern is a form of token of your application or company. Its kind is "custom".
type Pattern struct {
	// Literal is the beginning of the token, in any case: 3 to 24 bytes of ASCII.
	Literal string
	// Regexp, a *regexp.Regexp that begins with "^", matches the whole token, the literal included;
	// a match elsewhere is none. nil is the literal and the letters, digits, '_' and '-' behind it. At
	// most 4 KiB are matched. It is an interface so that programs without patterns do not link regexp.
	Regexp interface{ FindStringIndex(s string) []int }
	// Keywords are words of which one has to stand within 64 bytes before. Nil wants none.
	Keywords []string
}

func (s *settings) setPatterns(o *Options) error {
	for i, p := range o.Patterns {
		if n := len(p.Literal); n < 3 || n > 24 || strings.ContainsFunc(p.Literal,
			func(r rune) bool { return r > '~' || r < ' ' }) {
			return fmt.Errorf("redact: Options.Patterns[%d].Literal: got %.40q, want 3 to 24 bytes of ASCII", i,
				p.Literal)
		}
		pattern := scan.Pattern{Literal: chars.FoldString(p.Literal), Regexp: p.Regexp}
		for _, k := range p.Keywords {
			if k == "" {
				return fmt.Errorf(`redact: Options.Patterns[%d].Keywords: got "", want a word`, i)
			}
			pattern.Keywords = append(pattern.Keywords, chars.FoldString(k))
		}
		s.Patterns = append(s.Patterns, pattern)
	}
	return nil
}

func (s *settings) setNames(o *Options) error {
	add := func(field string, list []string, v names.Verdict) error {
		for i, name := range list {
			key := scan.NameKey(name)
			if len(key) < 2 || len(name) > names.MaxName {
				return fmt.Errorf("redact: Options.%s[%d]: got %.40q, want a name of 2 to %d bytes", field, i,
					name, names.MaxName)
			}
			if s.Names == nil {
				s.Names = make(map[string]names.Verdict)
			}
			s.Names[key] = v
			if v.Level > names.Harmless {
				s.NameAnchors = append(s.NameAnchors, chars.FoldString(name), key)
			}
		}
		return nil
	}
	if err := add("Names", o.Names, names.Verdict{Level: names.Secret, Kind: kinds.Secret}); err != nil {
		return err
	}
	return add("WithoutNames", o.WithoutNames, names.Verdict{})
}
