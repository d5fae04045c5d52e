// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"slices"
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/names"
)

const (
	// maxPattern is how much of a text a pattern is matched with, in bytes.
	maxPattern = 4 << 10
	// nearKeyword is how far before a value a keyword may stand, in bytes.
	nearKeyword = 64
)

// patternHit looks at the pattern whose literal is at i.
func (sc *Scanner) patternHit(s string, i, end, n int) int {
	p := &sc.e.Patterns[n]
	if len(p.Keywords) > 0 && !slices.ContainsFunc(p.Keywords, func(k string) bool {
		return chars.ContainsFold(s[max(0, i-nearKeyword):i], k)
	}) {
		return 0
	}
	stop := chars.Skip(s, end, chars.URL)
	if p.Regexp != nil {
		text := s[i:min(len(s), i+maxPattern)]
		sc.pay(costOfByte * len(text))
		loc := p.Regexp.FindStringIndex(text)
		if len(loc) != 2 || loc[0] != 0 {
			return 0
		}
		stop = i + loc[1]
	} else if stop == end {
		return 0
	}
	return sc.takeSpan(s, i, stop, kinds.Custom)
}

// NameKey is a name without case and separators, as NamesOn and NamesOff have it.
func NameKey(name string) string {
	return strings.NewReplacer("_", "", "-", "", ".", "", " ", "").Replace(chars.FoldString(name))
}

// Classify says what a name tells, for an engine with names of its own.
func (e *Engine) Classify(name string) names.Verdict {
	if v, ok := e.ownName(name); ok {
		return v
	}
	return names.Classify(name)
}

func (e *Engine) ownName(name string) (v names.Verdict, ok bool) {
	if len(e.Names) == 0 || len(name) > names.MaxName {
		return v, false
	}
	v, ok = e.Names[NameKey(name)]
	return v, ok
}

// classify is Classify with memory.
func (sc *Scanner) classify(name string) names.Verdict {
	if v, ok := sc.e.ownName(name); ok {
		return v
	}
	return sc.words.Classify(name)
}

// allowed reports whether a value stays, as a whole or by a pattern.
func (e *Engine) allowed(value string) bool {
	return e.Allow[value] || slices.ContainsFunc(e.AllowGlobs, func(glob string) bool { return Glob(glob, value) })
}

// staysHere reports whether a rule keeps values of a kind where the scan stands.
func (sc *Scanner) staysHere(kind kinds.ID) bool {
	for i := range sc.e.KindRules {
		r := &sc.e.KindRules[i]
		if !r.Kinds.Has(kind) {
			continue
		}
		for n := 0; n <= len(sc.frames); n++ {
			if pathFits(r.Path, sc.frames[:n]) {
				return true
			}
		}
	}
	return false
}

// Glob reports whether a '*' in pattern, which stands for any text, makes v of it.
func Glob(pattern, v string) bool {
	head, rest, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == v
	}
	if !strings.HasPrefix(v, head) {
		return false
	}
	v = v[len(head):]
	for {
		part, more, star := strings.Cut(rest, "*")
		if !star {
			return strings.HasSuffix(v, rest)
		}
		i := strings.Index(v, part)
		if i < 0 {
			return false
		}
		v, rest = v[i+len(part):], more
	}
}

// Offset is where a span begins in the text that was scanned.
func (sp *span) Offset() int { return sp.start }

// End is where what is removed ends.
func (sp *span) End() int { return sp.end }
