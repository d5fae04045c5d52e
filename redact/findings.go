// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import "slices"

// A Finding is what was removed at one place, never the value.
type Finding struct {
	Kind string // as [Kinds] lists it
	// Path is the JSON Pointer (RFC 6901) of the value; "" in text and at the
	// top. Member names in it are redacted too.
	Path  string
	Count int
}

// Findings lists what was removed; nil if nothing was. It is bounded: beyond
// [MaxFindings] places, the last entry counts the rest.
type Findings []Finding

// MaxFindings is how many places [Findings] tells apart.
const MaxFindings = 64

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
	kinds := make([]string, 0, len(f))
	for i := range f {
		kinds = append(kinds, f[i].Kind)
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

func (f Findings) add(kind, path string) Findings {
	for i := range f {
		if f[i].Kind == kind && f[i].Path == path {
			f[i].Count++
			return f
		}
	}
	if len(f) >= MaxFindings {
		f[len(f)-1].Count++
		return f
	}
	return append(f, Finding{kind, path, 1})
}

// A Report is what redacting and cutting did to one value.
type Report struct {
	Findings  Findings
	Truncated bool
	Size      int // bytes of the original
}
