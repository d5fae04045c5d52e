// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import "slices"

// A Finding is how often a kind was removed, never the value.
type Finding struct {
	Kind  string // as [Kinds] lists it
	Count int
}

// Findings lists what was removed, an entry for each kind; nil if nothing was.
type Findings []Finding

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

func (f Findings) add(kind string) Findings {
	for i := range f {
		if f[i].Kind == kind {
			f[i].Count++
			return f
		}
	}
	return append(f, Finding{kind, 1})
}

// and is both lists as one.
func (f Findings) and(more Findings) Findings {
	for _, m := range more {
		f = f.add(m.Kind)
		f[slices.IndexFunc(f, func(x Finding) bool { return x.Kind == m.Kind })].Count += m.Count - 1
	}
	return f
}

// A Report is what redacting and cutting did to one value.
type Report struct {
	Findings  Findings
	Truncated bool
	Size      int // bytes of the original
}
