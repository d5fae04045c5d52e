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
		w, t := words[0], words[0].Text
		sure = sure && !w.loose
		var known bool
		switch {
		case t == "--":
			return options, words[1:], sure
		case strings.HasPrefix(t, "--"):
			options, words, known = s.scanLong(options, w, words[1:])
		case len(t) > 1 && (t[0] == '-' || s.plus && t[0] == '+'):
			options, words, known = s.scanCluster(options, w, words[1:])
			known = known && w.Known
		default:
			return options, words, sure
		}
		sure = sure && known
	}
	return options, words, sure
}

// scanLong reads a long option. It is sure if the option is known and its value is one word.
func (s *syntaxOf) scanLong(options []option, w Word, words []Word) ([]option, []Word, bool) {
	name, value, has := strings.Cut(w.Text[2:], "=")
	takes, sure := s.takes(name)
	o := option{name: name, value: Word{Text: value, Known: w.Known}}
	if sure && takes && !has && len(words) > 0 {
		o.value, words = words[0], words[1:]
		sure = !o.value.loose
	}
	return append(options, o), words, sure
}

// scanCluster reads letters behind one dash.
func (s *syntaxOf) scanCluster(options []option, w Word, words []Word) ([]option, []Word, bool) {
	for i := 1; i < len(w.Text); i++ {
		letter := w.Text[i : i+1]
		o := option{name: letter, value: Word{Known: true}}
		if strings.Contains(s.flags, letter) {
			options = append(options, o)
			continue
		}
		takes, sure := strings.Contains(s.values, letter), true
		switch {
		case strings.Contains(s.glued, letter):
			o.value = Word{Text: w.Text[i+1:], Known: w.Known}
		case takes && i+1 == len(w.Text) && len(words) > 0:
			o.value, words = words[0], words[1:]
			sure = !o.value.split
		case takes:
			o.value = Word{Text: w.Text[i+1:], Known: w.Known}
		default:
			sure = false
		}
		return append(options, o), words, sure
	}
	return options, words, true
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
