// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"errors"
	"fmt"
	"path"
	"strings"
)

// maxAlternatives is how many patterns the braces of one may stand for.
const maxAlternatives = 100

// pattern is a glob of paths. Without a slash it is one of names, anywhere.
type pattern struct {
	source string
	globs  [][]string // the alternatives, in parts
}

// newPattern reads a glob: *, ?, [a-z], {a,b}, and ** for any number of directories.
func newPattern(source string) (pattern, error) {
	p := pattern{source: source}
	alternatives, err := braces(strings.TrimPrefix(source, "./"))
	if err != nil {
		return p, err
	}
	for _, a := range alternatives {
		a = strings.ReplaceAll(a, "[!", "[^")
		parts := strings.Split(strings.Trim(a, "/"), "/")
		for _, part := range parts {
			if _, err := path.Match(part, ""); err != nil {
				return p, errors.New("has a [ without its ], or ends with a backslash")
			}
		}
		if !strings.Contains(a, "/") {
			parts = []string{"**", a}
		}
		p.globs = append(p.globs, parts)
	}
	return p, nil
}

// matches tells whether the pattern is one of the path, relative to where the
// pattern is from.
func (p *pattern) matches(rel string) bool {
	parts := strings.Split(rel, "/")
	for _, g := range p.globs {
		if glob(g, parts) {
			return true
		}
	}
	return false
}

// above tells whether the pattern is one of the path or of a directory above it.
func (p *pattern) above(rel string) bool {
	for i := range len(rel) {
		if rel[i] == '/' && p.matches(rel[:i]) {
			return true
		}
	}
	return p.matches(rel)
}

// braces replaces {a,b} by its alternatives.
func braces(s string) ([]string, error) {
	done, todo := []string(nil), []string{s}
	for len(todo) > 0 {
		s, todo = todo[0], todo[1:]
		open, end := brace(s)
		if open < 0 {
			done = append(done, s)
		} else {
			for _, a := range alternatives(s[open+1 : end]) {
				todo = append(todo, s[:open]+a+s[end+1:])
			}
		}
		if len(done)+len(todo) > maxAlternatives {
			return nil, fmt.Errorf("has braces that stand for more than %d patterns", maxAlternatives)
		}
	}
	return done, nil
}

// brace finds the first { that has its }; -1 if there is none.
func brace(s string) (open, end int) {
	for open = 0; open < len(s); open++ {
		switch s[open] {
		case '\\':
			open++
		case '{':
			depth := 0
			for end = open; end < len(s); end++ {
				switch s[end] {
				case '\\':
					end++
				case '{':
					depth++
				case '}':
					if depth--; depth == 0 {
						return open, end
					}
				}
			}
			return -1, -1
		}
	}
	return -1, -1
}

// alternatives splits at the commas that stand in no further braces.
func alternatives(s string) (parts []string) {
	depth, start := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, s[start:i])
				start = i + 1
			}
		}
	}
	return append(parts, s[start:])
}

// glob matches a path with a pattern, part by part as [path.Match] does; the
// part "**" stands for any number of parts. It takes at most
// len(pattern) × len(parts) steps.
func glob(pattern, parts []string) bool {
	// reach[i] tells whether the pattern so far matches the first i parts.
	reach := make([]bool, len(parts)+1)
	reach[0] = true
	for _, p := range pattern {
		next := make([]bool, len(parts)+1)
		for i, ok := range reach {
			switch {
			case p == "**":
				next[i] = ok || i > 0 && next[i-1]
			case ok && i < len(parts):
				matched, err := path.Match(p, parts[i])
				next[i+1] = matched && err == nil
			}
		}
		reach = next
	}
	return reach[len(parts)]
}
