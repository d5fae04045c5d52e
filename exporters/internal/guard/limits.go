// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"cmp"
	"fmt"
)

// Limits are how much is sent at most. What is 0 has the default.
type Limits struct {
	// Value is how many bytes an attribute's value or a status text may have; the
	// default is 64 KiB.
	Value int
	// Name is how many bytes a name of a span, an event or a scope, or an attribute's
	// key may have; the default is 1 KiB.
	Name int
	// Count is how many attributes, events and links a span may have, each, and how
	// many attributes each of those; the default is 1024.
	Count int
	// Span is how many bytes a span may take; the default is 1 MiB. The values of one
	// that takes more are cut until it does not.
	Span int
	// Batch is how many bytes are sent at once, each of which is in memory twice meanwhile.
	// It is at least Span and 512 KiB, for the resource and the scopes. The default is
	// 1.5 MiB, or what it must be at least, but no more than 3.5 MiB, since gRPC servers
	// take 4 MiB.
	Batch int
}

// What Limits.Batch is by default.
const (
	usualBatch = 1536 << 10
	maxBatch   = 3584 << 10
)

const (
	// maxDescribed is how many bytes the attributes of a resource or a scope take at
	// most.
	maxDescribed = 200 << 10
	// minValue is how short values are cut at most, to make a span fit.
	minValue = 64
	// maxDepth is how deep lists and maps are nested; what is below is replaced. Decoders of
	// protobuf stop at a hundred messages, and each level takes three.
	maxDepth = 24
)

// Validate returns an error that names the limit that is wrong, what it is and what it
// should be.
func (l Limits) Validate() error { _, err := l.orDefault(); return err }

// orDefault is a copy with the defaults filled in. An error names the field.
func (l Limits) orDefault() (Limits, error) {
	for _, f := range []struct {
		name     string
		n        *int
		def, min int
	}{
		{"Value", &l.Value, 64 << 10, minValue}, {"Name", &l.Name, 1 << 10, minValue}, {"Count", &l.Count, 1024, 1},
		{"Span", &l.Span, 1 << 20, 16 << 10},
	} {
		*f.n = cmp.Or(*f.n, f.def)
		if *f.n < f.min {
			return l, fmt.Errorf("guard: Limits.%s: got %d, want %d or more", f.name, *f.n, f.min)
		}
	}
	least := l.Span + 512<<10
	if l.Batch = cmp.Or(l.Batch, min(max(least, usualBatch), maxBatch)); l.Batch < least {
		return l, fmt.Errorf("guard: Limits.Batch: got %d, want at least %d: Span and 512 KiB", l.Batch, least)
	}
	return l, nil
}
