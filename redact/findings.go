// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"slices"
	"sync"

	"github.com/toolscope/toolscope/redact/internal/scan"
)

// A Finding is what was removed at one place, never the value.
type Finding struct {
	Kind string // as [Kinds] lists it
	// Path is the JSON Pointer (RFC 6901) of the value; "" in text and at the
	// top. Member names in it are redacted too, and a long one is cut.
	Path  string
	Count int
}

// Findings lists what was removed; nil if nothing was. It is bounded: beyond
// 64 places, one entry for each kind, with the path "…", counts the rest. Calls that
// find the same may get the same list: it is not to be changed.
type Findings []Finding

// maxFindings is how many places [Findings] tells apart.
const maxFindings = 64

// Count is how many values were removed.
func (f Findings) Count() int {
	n := 0
	for i := range f {
		n += f[i].Count
	}
	return n
}

// Kinds lists the different kinds found, sorted.
func (f Findings) Kinds() []string {
	names := make([]string, 0, len(f))
	for i := range f {
		names = append(names, f[i].Kind)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (f Findings) plus(kind, path string) Findings {
	if n := len(f) - 1; n >= 0 && f[n].Kind == kind && f[n].Path == path { // rows have one behind the other
		f[n].Count++
		return f
	}
	for i := range f {
		if f[i].Kind == kind && f[i].Path == path {
			f[i].Count++
			return f
		}
	}
	if len(f) >= maxFindings && path != scan.OtherPlaces {
		return f.plus(kind, scan.OtherPlaces)
	}
	return append(f, Finding{kind, path, 1})
}

// and is both lists as one.
func (f Findings) and(more Findings) Findings {
	f = slices.Clone(f)
	for _, m := range more {
		f = f.plus(m.Kind, m.Path)
		for i := range f {
			if f[i].Kind == m.Kind && f[i].Path == m.Path {
				f[i].Count += m.Count - 1
			}
		}
	}
	return f
}

// knownFindings makes lists, and keeps the last ones: a tool's calls have their secrets at the
// same places.
type knownFindings struct {
	next Findings // being made
	made [4]Findings
}

var knownLists = sync.Pool{New: func() any { return new(knownFindings) }}

// maxKnownFindings is the longest list that is remembered.
const maxKnownFindings = 8

// List is what was made as a list that stays, with no room behind its end.
func (k *knownFindings) list() Findings {
	found := k.next
	k.next = found[:0]
	if len(found) > maxKnownFindings {
		return slices.Clip(slices.Clone(found))
	}
	for _, list := range k.made {
		if slices.Equal(list, found) {
			return list
		}
	}
	copy(k.made[1:], k.made[:])
	k.made[0] = slices.Clip(slices.Clone(found))
	return k.made[0]
}

// A Report is what redacting and cutting did to one value.
type Report struct {
	Findings  Findings
	Truncated bool
	Size      int // bytes of the original
}
