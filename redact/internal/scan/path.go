// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/codec"
)

// A selector is one step of a path (RFC 9535, 2.3, without filters).
type selector struct {
	descend bool // at any depth below
	any     bool // every child
	name    string
	index   bool // from <= i < to
	from    int
	to      int // -1: to the end
}

var errFilter = errors.New("filters and functions are not supported, want names, indices, slices, '*' and '..'")

// ParsePath reads a path.
func ParsePath(p string) ([]selector, error) {
	if p == "" || p == "$" {
		return nil, nil
	}
	if p[0] != '$' {
		return nil, errors.New("want '$' at the beginning")
	}
	var out []selector
	for i := 1; i < len(p); {
		var s selector
		switch {
		case strings.HasPrefix(p[i:], ".."):
			s.descend = true
			i += 2
			if i < len(p) && p[i] == '[' {
				break
			}
			i = s.dotted(p, i)
		case p[i] == '.':
			i = s.dotted(p, i+1)
		case p[i] == '[':
		default:
			return nil, fmt.Errorf("at byte %d: got %q, want '.', '..' or '['", i, p[i])
		}
		if i < len(p) && p[i] == '[' && s.name == "" && !s.any {
			var err error
			if i, err = s.bracket(p, i+1); err != nil {
				return nil, err
			}
		}
		if s.name == "" && !s.any && !s.index {
			return nil, fmt.Errorf("at byte %d: want a name, an index or '*'", i)
		}
		out = append(out, s)
	}
	return out, nil
}

// dotted reads the name or '*' after a dot.
func (s *selector) dotted(p string, i int) int {
	if i < len(p) && p[i] == '*' {
		s.any = true
		return i + 1
	}
	end := i
	for end < len(p) && (chars.IsAlnum(p[end]) || p[end] == '_' || p[end] >= 0x80) {
		end++
	}
	if end > i && chars.IsDigit(p[i]) {
		return i // no name, an error
	}
	s.name = p[i:end]
	return end
}

// bracket reads what is within brackets, from behind the opening one.
func (s *selector) bracket(p string, i int) (int, error) {
	end := strings.IndexByte(p[i:], ']')
	if i < len(p) && (p[i] == '\'' || p[i] == '"') {
		name, after, ok := strings.Cut(p[i+1:], p[i:i+1]+"]")
		if !ok {
			return 0, fmt.Errorf("at byte %d: want a closing quote and ']'", i)
		}
		s.name = strings.NewReplacer(`\'`, `'`, `\"`, `"`, `\\`, `\`).Replace(name)
		return len(p) - len(after), nil
	}
	if end < 0 {
		return 0, fmt.Errorf("at byte %d: want a closing ']'", i)
	}
	inside := strings.TrimSpace(p[i : i+end])
	switch {
	case inside == "*":
		s.any = true
	case strings.HasPrefix(inside, "?") || strings.HasPrefix(inside, "("):
		return 0, errFilter
	default:
		if err := s.slice(inside); err != nil {
			return 0, fmt.Errorf("at byte %d: %w", i, err)
		}
	}
	return i + end + 1, nil
}

// slice reads an index or from:to.
func (s *selector) slice(v string) error {
	from, to, isSlice := strings.Cut(v, ":")
	s.index, s.to = true, -1
	var err error
	if from != "" || !isSlice {
		if s.from, err = strconv.Atoi(from); err != nil || s.from < 0 {
			return fmt.Errorf("got %.40q, want an index of 0 or more", from)
		}
	}
	switch {
	case !isSlice:
		s.to = s.from + 1
	case to != "":
		if s.to, err = strconv.Atoi(to); err != nil || s.to < 0 {
			return fmt.Errorf("got %.40q, want an end of 0 or more, and no step", to)
		}
	}
	return nil
}

// fits reports whether the selector selects the child that f stands at.
func (s *selector) fits(f *frame) bool {
	switch {
	case s.any:
		return true
	case s.index:
		return !f.object && f.index >= s.from && (s.to < 0 || f.index < s.to)
	}
	return f.object && nameIs(f.src[f.keyStart:f.keyEnd], s.name)
}

// nameIs compares a member's name, as it is written in JSON, with a name.
func nameIs(raw, name string) bool {
	if raw == name {
		return true
	}
	return strings.IndexByte(raw, '\\') >= 0 && string(codec.JSON.Decode(nil, raw)) == name
}

// pathFits reports whether path leads to where frames stand.
func pathFits(path []selector, frames []frame) bool {
	if len(path) == 0 {
		return len(frames) == 0
	}
	if len(frames) == 0 {
		return false
	}
	s := &path[0]
	if s.fits(&frames[0]) && pathFits(path[1:], frames[1:]) {
		return true
	}
	return s.descend && pathFits(path, frames[1:])
}
