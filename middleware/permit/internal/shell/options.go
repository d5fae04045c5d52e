// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"slices"
	"strings"
)

// Syntax says which options a program takes before its first operand.
type Syntax struct {
	Flags  string // letters that take no value
	Values string // letters that take one
	Glued  string // letters whose value, if any, is in the same word
	// long are the long options without their dashes; "name=" takes a value, "name=?"
	// may have one behind an equals sign.
	Long []string
	Plus bool // +x are options, too
}

// An Option is one option as found. Letters are one character, long ones more.
type Option struct {
	Name  string
	Value Word
}

// Scan reads options up to the first operand. It is sure if it met known options only
// and no word that may turn into one.
func (s *Syntax) Scan(words []Word) (options []Option, rest []Word, sure bool) {
	sure = true
	for len(words) > 0 {
		w, t := words[0], words[0].Text
		sure = sure && !w.Loose
		var known bool
		switch {
		case t == "--":
			return options, words[1:], sure
		case strings.HasPrefix(t, "--"):
			options, words, known = s.scanLong(options, w, words[1:])
		case len(t) > 1 && (t[0] == '-' || s.Plus && t[0] == '+'):
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
func (s *Syntax) scanLong(options []Option, w Word, words []Word) ([]Option, []Word, bool) {
	name, value, has := strings.Cut(w.Text[2:], "=")
	takes, sure := s.takes(name)
	o := Option{Name: name, Value: Word{Text: value, Known: w.Known}}
	if sure && takes && !has && len(words) > 0 {
		o.Value, words = words[0], words[1:]
		sure = !o.Value.Loose
	}
	return append(options, o), words, sure
}

// scanCluster reads letters behind one dash.
func (s *Syntax) scanCluster(options []Option, w Word, words []Word) ([]Option, []Word, bool) {
	for i := 1; i < len(w.Text); i++ {
		letter := w.Text[i : i+1]
		o := Option{Name: letter, Value: Word{Known: true}}
		if strings.Contains(s.Flags, letter) {
			options = append(options, o)
			continue
		}
		takes, sure := strings.Contains(s.Values, letter), true
		switch {
		case strings.Contains(s.Glued, letter):
			o.Value = Word{Text: w.Text[i+1:], Known: w.Known}
		case takes && i+1 == len(w.Text) && len(words) > 0:
			o.Value, words = words[0], words[1:]
			sure = !o.Value.Split
		case takes:
			o.Value = Word{Text: w.Text[i+1:], Known: w.Known}
		default:
			sure = false
		}
		return append(options, o), words, sure
	}
	return options, words, true
}

// takes reports whether a long option takes a value in the next word, and whether it
// is known at all.
func (s *Syntax) takes(name string) (bool, bool) {
	for _, l := range s.Long {
		n, kind, _ := strings.Cut(l, "=")
		if n == name {
			return kind == "" && strings.HasSuffix(l, "="), true
		}
	}
	return false, false
}

// Find is the last option of one of the names.
func Find(options []Option, names ...string) (Word, bool) {
	for i := len(options) - 1; i >= 0; i-- {
		if slices.Contains(names, options[i].Name) {
			return options[i].Value, true
		}
	}
	return Word{}, false
}

// IsOption reports whether the argument is the option o: a long one cut short or with
// its value, a letter in a cluster, a word as it is.
func IsOption(arg, o string) bool {
	switch {
	case strings.HasPrefix(o, "--"):
		name, _, _ := strings.Cut(arg, "=")
		return len(name) > 3 && strings.HasPrefix(o, name) || name == o
	case strings.HasPrefix(o, "-"):
		return len(arg) > 1 && arg[0] == '-' && arg[1] != '-' && strings.Contains(arg[1:], o[1:])
	}
	return arg == o
}
