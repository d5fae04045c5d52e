// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bash

import "strings"

// syntaxOf says which options a program takes before its first operand.
type syntaxOf struct {
	flags  string // letters that take no value
	values string // letters that take one
	glued  string // letters whose value, if any, is in the same word
	// long are the long options without their dashes; "name=" takes a value, "name=?"
	// may have one behind an equals sign.
	long []string
	plus bool // +x are options, too
}

// An option is one option as found. Letters are one character, long ones more.
type option struct {
	name  string
	value Word
}

// scan reads options up to the first operand. It is sure if it met known options only
// and no word that may turn into one.
func (s *syntaxOf) scan(words []Word) (options []option, rest []Word, sure bool) {
	sure = true
	for len(words) > 0 {
		w := words[0]
		if w.loose {
			sure = false
		}
		t := w.Text
		switch {
		case t == "--":
			return options, words[1:], sure
		case strings.HasPrefix(t, "--"):
			words = words[1:]
			name, value, has := strings.Cut(t[2:], "=")
			takes, ok := s.takes(name)
			if !ok {
				sure = false
			}
			o := option{name: name, value: Word{Text: value, Known: w.Known}}
			if ok && takes && !has && len(words) > 0 {
				o.value, words = words[0], words[1:]
				sure = sure && !o.value.loose
			}
			options = append(options, o)
		case len(t) > 1 && t[0] == '-', s.plus && len(t) > 1 && t[0] == '+':
			words = words[1:]
			for i := 1; i < len(t); i++ {
				letter := t[i : i+1]
				o := option{name: letter, value: Word{Known: true}}
				glued := Word{Text: t[i+1:], Known: w.Known}
				switch {
				case strings.Contains(s.flags, letter):
					options = append(options, o)
					continue
				case strings.Contains(s.glued, letter):
					o.value = glued
				case strings.Contains(s.values, letter):
					if o.value = glued; i+1 == len(t) && len(words) > 0 {
						o.value, words = words[0], words[1:]
						sure = sure && !o.value.split
					}
				default:
					sure = false
				}
				options = append(options, o)
				break
			}
			if !w.Known {
				sure = false
			}
		default:
			return options, words, sure
		}
	}
	return options, words, sure
}

// takes reports whether a long option takes a value in the next word, and whether it
// is known at all.
func (s *syntaxOf) takes(name string) (bool, bool) {
	for _, l := range s.long {
		n, kind, _ := strings.Cut(l, "=")
		if n == name {
			return kind == "" && strings.HasSuffix(l, "="), true
		}
	}
	return false, false
}

// find is the last option of one of the names.
func find(options []option, names ...string) (Word, bool) {
	for i := len(options) - 1; i >= 0; i-- {
		for _, n := range names {
			if options[i].name == n {
				return options[i].value, true
			}
		}
	}
	return Word{}, false
}
