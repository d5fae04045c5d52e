// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package errtype makes values of error.type and keys of tags safe to export: code of the application can return
// any text, a secret included, and each value becomes a metric label or an attribute.
package errtype

import (
	"maps"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/toolkit"
)

const (
	// Max is how many values one guard of [New] exports besides the kinds of package toolkit. Later ones are "_OTHER".
	Max = 64
	// maxKeys is how many keys one guard of [NewKeys] remembers as safe. Later ones are checked each time.
	maxKeys = 256
	// OtherKey is exported in place of a key that is not safe.
	OtherKey = "_other"
	// maxBytes is the longest value that is exported.
	maxBytes = 64
	// maxRefused bounds the values that a guard remembers as refused. Later ones are checked each time.
	maxRefused = 64
)

// A Guard decides which values are exported. Make one with [New] or [NewKeys]. It is safe for concurrent use. A
// nil *Guard exports the kinds of package toolkit only.
type Guard struct {
	redactor *redact.Redactor
	max      int
	kinds    bool   // of error.type: kinds are exported without a look-up, and of others the first max only
	other    string // is exported in place of others

	mu      sync.Mutex // serializes writers
	refused int
	known   atomic.Pointer[map[string]string] // the exported value of each value seen
}

// New makes a guard that exports nothing that the redactor changes. A nil redactor is [redact.Default].
func New(redactor *redact.Redactor) *Guard {
	if redactor == nil {
		redactor = redact.Default()
	}
	return &Guard{redactor: redactor, max: Max, kinds: true, other: toolkit.TypeOther}
}

// NewKeys makes a guard for keys of tags: it exports the keys that have the shape described at
// [Guard.Export] and that the redactor does not change, and [OtherKey] in place of others. A nil redactor is
// [redact.Default].
func NewKeys(redactor *redact.Redactor) *Guard {
	g := New(redactor)
	g.max, g.kinds, g.other = maxKeys, false, OtherKey
	return g
}

// Export returns the value that is exported for v: v itself if it is "", a kind of package toolkit, or one of the
// first 64 other values of at most 64 letters, digits and "_.:/-" (and a leading "*", as Go types have) that the
// redactor does not change; else [toolkit.TypeOther]. It does not allocate for kinds and for values seen before.
func (g *Guard) Export(v string) string {
	if g == nil || g.kinds {
		if v == "" || v == toolkit.TypeOther || toolkit.Kind(v).Known() {
			return v
		}
	}
	if g == nil {
		return toolkit.TypeOther
	}
	if known := g.known.Load(); known != nil {
		if out, ok := (*known)[v]; ok {
			return out
		}
	}
	return g.addType(v)
}

func (g *Guard) addType(v string) string {
	out := v
	if !hasShape(v) || !g.unchanged(v) {
		out = g.other
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	old := map[string]string{}
	if known := g.known.Load(); known != nil {
		old = *known
	}
	if before, ok := old[v]; ok {
		return before
	}
	switch {
	case out == v && len(old)-g.refused >= g.max && !g.kinds:
		return out
	case out == v && len(old)-g.refused >= g.max:
		return g.other // and not remembered: there may be any number of such values
	case out != v && (g.refused >= maxRefused || len(v) > maxBytes):
		return out
	case out != v:
		g.refused++
	}
	next := maps.Clone(old)
	next[strings.Clone(v)] = out
	g.known.Store(&next)
	return out
}

// unchanged reports whether the redactor leaves v as it is.
func (g *Guard) unchanged(v string) bool {
	out, _ := g.redactor.TextMax(v, maxBytes)
	return out == v
}

// hasShape reports whether v is short and has the characters of identifiers only.
func hasShape(v string) bool {
	if len(v) == 0 || len(v) > maxBytes {
		return false
	}
	for i, c := range []byte(v) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		case c == '_', c == '-', c == '.', c == ':', c == '/', c == '*' && i == 0:
		default:
			return false
		}
	}
	return true
}
