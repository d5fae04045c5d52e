// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package profile

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
)

//go:embed profiles.txt
var source string

// A Profile is what is known of a program.
type Profile struct {
	Name   string // the first of its names
	Strict bool   // what the profile does not list asks even where no rule allows the program by name
	words  bool   // options are whole words
	joined bool   // the first operand may be letters without a dash, as tar's
	levels []level
	values map[string][]string
	global *use            // options before the subcommand, or all of them
	uses   map[string]*use // by subcommand; nil if the program has none
	// parents are the subcommands that have subcommands.
	parents map[string]bool
}

// level is a set of uses, and what they need of a sandbox.
type level struct {
	name  string
	needs []string
}

// use is a subcommand.
type use struct {
	options map[string]option
	args    []operands
	exact   bool // computed arguments are no guess
	opens   []opening
}

// opening is what is opened that no argument names, with one of the options; none is always.
type opening struct {
	what    string
	options []string
	unless  []string
}

// option is what is known of an option.
type option struct {
	level  int
	value  string // the kind of its value; "" is none
	maybe  bool   // the value is optional, and in the same word
	stands bool   // for the first operand
}

// operands are the kinds of operands at a level; the last kind is that of all others.
type operands struct {
	level int
	kinds []string
}

// profiles are all by each of their names.
var profiles = sync.OnceValue(func() map[string]*Profile {
	l := loader{all: map[string]*Profile{}}
	for i, line := range joinLines(source) {
		if err := l.line(strings.Fields(line)); err != "" {
			panic(fmt.Sprintf("profiles.txt: directive %d: %q: %s", i+1, line, err))
		}
	}
	return l.all
})

// joinLines are the lines without comments; an indented line continues the one before.
func joinLines(text string) (lines []string) {
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "":
		case line[0] == ' ':
			lines[len(lines)-1] += line
		default:
			lines = append(lines, line)
		}
	}
	return lines
}

type loader struct {
	all  map[string]*Profile
	p    *Profile
	last []*use // that args are about
}

func (l *loader) line(words []string) (wrong string) {
	level := 0
	if l.p != nil {
		level = len(l.p.levels) - 1
	}
	switch rest := words[1:]; words[0] {
	case "program":
		l.p = &Profile{Name: rest[0], values: map[string][]string{}, global: &use{options: map[string]option{}}}
		l.last = []*use{l.p.global}
		for _, name := range rest {
			l.all[name] = l.p
		}
	case "strict":
		l.p.Strict = true
	case "words":
		l.p.words = true
	case "cluster":
		l.p.joined = true
	case "exact":
		l.p.global.exact = true
	case "values":
		l.p.values[rest[0]] = rest[1:]
	case "level":
		l.p.levels = append(l.p.levels, newLevel(rest))
	case "options":
		l.last = []*use{l.p.global}
		return l.addOptions(rest, level)
	case "use":
		l.last = nil
		for name := range strings.SplitSeq(rest[0], "|") {
			l.last = append(l.last, l.use(name))
		}
		for _, u := range l.last {
			u.args = append(u.args, operands{level, []string{"path"}})
		}
		return l.addOptions(rest[1:], level)
	case "opens":
		for _, u := range l.last {
			o := opening{what: rest[0], options: rest[1:]}
			if i := slices.Index(rest, "unless"); i > 0 {
				o.options, o.unless = rest[1:i], rest[i+1:]
			}
			u.opens = append(u.opens, o)
		}
	case "args":
		for _, u := range l.last {
			u.args = append(slices.DeleteFunc(u.args, func(o operands) bool { return o.level == level }), operands{level, rest})
		}
	default:
		return "unknown directive"
	}
	return ""
}

func newLevel(words []string) level {
	l := level{name: words[0]}
	if len(words) > 2 {
		l.needs = words[2:]
	}
	return l
}

func (l *loader) use(name string) *use {
	if l.p.uses == nil {
		l.p.uses, l.p.parents = map[string]*use{}, map[string]bool{}
	}
	if parent, _, ok := strings.Cut(name, "/"); ok {
		l.p.parents[parent] = true
	}
	if l.p.uses[name] == nil {
		l.p.uses[name] = &use{options: map[string]option{}}
	}
	return l.p.uses[name]
}

// valueKind is the kind of an option's value, as it is written behind the =.
func valueKind(kind string, maybe bool) string {
	switch {
	case kind == "~" || maybe && kind == "]":
		return "text"
	case kind == "":
		return "path"
	}
	return strings.TrimSuffix(kind, "]")
}

// addOptions adds options to the uses that the line is about.
func (l *loader) addOptions(words []string, level int) (wrong string) {
	for _, w := range words {
		if w == "exact" {
			l.last[0].exact = true
			continue
		}
		w, stands := strings.CutSuffix(w, "!")
		name, kind, has := strings.Cut(w, "=")
		name, maybe := strings.CutSuffix(name, "[")
		o := option{level: level, maybe: maybe, stands: stands}
		if has {
			o.value = valueKind(kind, maybe)
		}
		names := []string{name}
		if !l.p.words && len(name) > 2 && name[1] != '-' {
			if has {
				return "letters with a value"
			}
			names = names[:0]
			for _, c := range name[1:] {
				names = append(names, "-"+string(c))
			}
		}
		for _, u := range l.last {
			for _, n := range names {
				if _, known := u.options[n]; !known {
					u.options[n] = o
				}
			}
		}
	}
	return ""
}
