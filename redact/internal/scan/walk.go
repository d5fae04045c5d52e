// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/names"
	"github.com/toolscope/toolscope/redact/internal/syntax"
)

// argument1 is what the next argument of a command is.
type argument1 uint8

const (
	argumentAny argument1 = iota
	argumentUser
	argumentValue
)

// walk walks the JSON value that begins at i, and returns its end. whole is false if
// the syntax is none of JSON; a text that is cut off is whole.
func (sc *Scanner) walk(s string, i, depth int) (end int, whole bool) {
	base := len(sc.frames)
	end, whole = sc.walkFrames(s, i, depth, base)
	sc.frames, sc.placed = sc.frames[:base], false
	return end, whole
}

func (sc *Scanner) walkFrames(s string, i, depth, base int) (end int, whole bool) {
	var d names.Verdict // of the value that comes next
	for {
		if i = syntax.SkipBlank(s, i); i >= len(s) {
			return i, true
		}
		sc.placed, sc.budget.at = false, i
		end, ruled := sc.byRule(s, i, base)
		if i = end; !ruled {
			var opened bool
			if i, d, opened, whole = sc.value(s, i, depth, base, d); !whole {
				return i, false
			}
			if opened {
				continue
			}
			if len(sc.frames) > base {
				sc.frames[len(sc.frames)-1].kept++
			}
		} else if len(sc.frames) == base {
			return i, true
		}
		if i, d, whole = sc.next(s, i, depth, base); !whole || len(sc.frames) == base {
			return i, whole
		}
	}
}

// value walks the value at i, or opens it: then next is where its first member or item begins, and
// inside what it says of that. whole is false if the syntax is none of JSON.
func (sc *Scanner) value(s string, i, depth, base int, d names.Verdict) (next int, inside names.Verdict, opened,
	whole bool) {
	start := i
	switch s[i] {
	case '{', '[':
		if len(sc.frames) >= sc.e.Limits.Nesting {
			return sc.tooDeep(s, i), d, false, true
		}
		inherits := d.Inherits() || len(sc.frames) > base && sc.frames[len(sc.frames)-1].inherits
		f := frame{src: s, object: s[i] == '{', inherit: d, inherits: inherits}
		sc.gridOf(&f, s, i, base)
		sc.frames = append(sc.frames, f)
		i = syntax.SkipBlank(s, i+1)
		if i < len(s) && s[i] != '}' && s[i] != ']' {
			i, d, whole = sc.member(s, i, depth)
			return i, d, true, whole
		}
	case '"':
		stop, escaped, closed := syntax.QuotedEnd(s, i+1)
		d = sc.itemVerdict(s, i+1, stop, escaped, d, depth, base)
		sc.innerString(s, i+1, stop, escaped, d, depth)
		if i = stop; closed {
			i++
		}
	default:
		for i < len(s) && (chars.Class[s[i]]&chars.Name != 0 || s[i] == '+') {
			i++
		}
		if i == start || !sc.literal(s, start, i, d) {
			return start, d, false, false
		}
	}
	return i, d, false, true
}

// next goes on behind a value: over a comma to the next one, or out of what it closes,
// as far as base. whole is false if the syntax is none of JSON.
func (sc *Scanner) next(s string, i, depth, base int) (at int, d names.Verdict, whole bool) {
	sc.placed = false
	for {
		if i = syntax.SkipBlank(s, i); i >= len(s) || len(sc.frames) == base {
			return i, d, true
		}
		top := &sc.frames[len(sc.frames)-1]
		switch {
		case s[i] == ',':
			i = syntax.SkipBlank(s, i+1)
			top.index++
			if i < len(s) && s[i] != '}' && s[i] != ']' {
				return sc.member(s, i, depth)
			}
		case s[i] == '}' && top.object, s[i] == ']' && !top.object:
			sc.frames = sc.frames[:len(sc.frames)-1]
			if len(sc.frames) > base {
				sc.frames[len(sc.frames)-1].kept++
			}
			i++
		default:
			return i, d, false
		}
	}
}

// member reads the name and the colon of an object's member, and says what the name
// means for the value. For an array's item it says what stands above it.
func (sc *Scanner) member(s string, i, depth int) (next int, d names.Verdict, ok bool) {
	sc.placed = false
	top := len(sc.frames) - 1
	f := &sc.frames[top]
	if !f.object {
		if f.index < len(f.grid.cells) && f.grid.cells[f.index].Level > f.inherit.Level {
			return i, f.grid.cells[f.index], true
		}
		return i, f.inherit, true
	}
	if s[i] != '"' {
		return i, d, false
	}
	stop, escaped, closed := syntax.QuotedEnd(s, i+1)
	f.keyStart, f.keyEnd = i+1, stop
	if !closed {
		sc.innerString(s, i+1, stop, escaped, names.Verdict{}, depth)
		return len(s), d, true
	}
	i = syntax.SkipBlank(s, stop+1)
	if i < len(s) && s[i] != ':' {
		return i, d, false
	}
	return min(i+1, len(s)), sc.memberVerdict(s, f.keyStart, f.keyEnd, escaped, depth, top), true
}

// literal looks at a number, true, false or null.
func (sc *Scanner) literal(s string, start, end int, d names.Verdict) bool {
	c := s[start]
	if !chars.IsDigit(c) && c != '-' {
		switch s[start:end] {
		case "true", "false", "null", "NaN", "Infinity":
			return true
		}
		return end == len(s) && (strings.HasPrefix("true", s[start:end]) || strings.HasPrefix("false", s[start:end]) ||
			strings.HasPrefix("null", s[start:end]))
	}
	number := s[start:end]
	if (d.Level == names.Secret || isPersonal(d)) && sc.wholeNumber(number, d) && !sc.keyIs(`pass`) {
		sc.takeValue(s, start, end, d.Kind)
		return true
	}
	if len(number) < 7 {
		return true
	}
	base := len(sc.Spans)
	counted, settled := sc.counted, sc.settled
	sc.counted, sc.settled = 0, 0
	sc.digits(number, 0)
	sc.counted, sc.settled = counted, settled
	if len(sc.Spans) > base {
		sp := sc.Spans[base]
		sp.start, sp.end, sp.quote = start, end, 1
		sc.Spans = append(sc.Spans[:base], sp)
	}
	return true
}

// takeValue removes a whole JSON value that is no string.
func (sc *Scanner) takeValue(s string, start, end int, kind kinds.ID) {
	base := len(sc.Spans)
	settled := sc.settled
	sc.settled = 0
	sc.takeSpan(s, start, end, kind)
	sc.settled = settled
	if len(sc.Spans) > base {
		sc.Spans[base].quote = 1
	}
}

// tooDeep removes what is nested too deep, and returns its end.
func (sc *Scanner) tooDeep(s string, i int) int {
	end := syntax.SkipValue(s, i)
	sc.takeValue(s, i, end, kinds.Unscanned)
	return end
}

// keyIs reports whether the member being walked has this name.
func (sc *Scanner) keyIs(name string) bool {
	if len(sc.frames) == 0 {
		return false
	}
	f := &sc.frames[len(sc.frames)-1]
	return f.object && chars.EqualFold(f.src[f.keyStart:f.keyEnd], name)
}
