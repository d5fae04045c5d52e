// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// A Redactor removes secrets and personal data. It does not change after [New],
// is safe for concurrent use, and nil works as [Default] does.
type Redactor struct {
	off      bool
	personal bool
	without  map[string]bool // kinds left alone
	allow    map[string]bool // exact values left alone
	known    []string        // values removed wherever they occur, longest first
	maxDepth int
}

// An Option sets something of a [Redactor].
type Option func(*Redactor) error

var defaultRedactor = sync.OnceValue(func() *Redactor {
	r, err := New()
	if err != nil {
		panic(err) // New without options cannot fail
	}
	return r
})

// Default is the redactor with nothing set: every kind that [Kinds] lists.
func Default() *Redactor { return defaultRedactor() }

// New makes a redactor. An error names the option that is wrong, what it got and
// what it wants.
func New(options ...Option) (*Redactor, error) {
	r := &Redactor{personal: true, maxDepth: 64}
	for _, o := range options {
		if o == nil {
			continue
		}
		if err := o(r); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(r.known, func(a, b string) int { return len(b) - len(a) })
	return r, nil
}

// Off removes nothing: for data known to be harmless, and for measuring.
func Off() Option { return func(r *Redactor) error { r.off = true; return nil } }

// SecretsOnly leaves personal data alone. The default removes it.
func SecretsOnly() Option { return func(r *Redactor) error { r.personal = false; return nil } }

// WithoutKinds leaves the kinds named alone. The default leaves none; a kind that
// [Kinds] does not list is an error.
func WithoutKinds(kinds ...string) Option {
	return func(r *Redactor) error {
		for _, k := range kinds {
			if !slices.ContainsFunc(Kinds(), func(known Kind) bool { return known.Name == k }) {
				return fmt.Errorf("redact: WithoutKinds: got %.40q, want a kind that redact.Kinds lists", k)
			}
			if r.without == nil {
				r.without = make(map[string]bool)
			}
			r.without[k] = true
		}
		return nil
	}
}

// WithAllow leaves exactly these values alone, such as a published test card. The
// default allows none.
func WithAllow(values ...string) Option {
	return func(r *Redactor) error {
		if r.allow == nil {
			r.allow = make(map[string]bool)
		}
		for _, v := range values {
			if v == "" {
				return errors.New(`redact: WithAllow: got "", want a value`)
			}
			r.allow[v] = true
		}
		return nil
	}
}

// minKnown is the shortest known value that is looked for, in bytes: shorter ones
// would remove parts of words.
const minKnown = 6

// WithKnown removes these values wherever they occur, whatever they look like: the
// host's own secrets. Values under 6 bytes are an error. The default knows none.
func WithKnown(values ...string) Option {
	return func(r *Redactor) error {
		for i, v := range values {
			if len(v) < minKnown {
				return fmt.Errorf("redact: WithKnown: value %d: got %d bytes, want %d or more", i, len(v), minKnown)
			}
			r.known = append(r.known, strings.Clone(v))
		}
		return nil
	}
}

func (r *Redactor) orDefault() *Redactor {
	if r == nil {
		return Default()
	}
	return r
}

// wants reports whether a span's value is to be removed.
func (r *Redactor) wants(kind, value string) bool {
	return !r.without[kind] && !r.allow[value]
}

// mark is what stands for a removed value.
func mark(kind string) string { return markHead + kind + "]" }

const markHead = "[REDACTED:"

// Text removes what is found in plain text. Text that holds JSON is walked by
// [Redactor.JSON]. Text comes back as it is, without a copy, if nothing was found.
func (r *Redactor) Text(s string) (out string, found Findings) {
	r = r.orDefault()
	if r.off || s == "" {
		return s, nil
	}
	defer func() {
		if recover() != nil {
			out, found = mark(kindUnscanned), Findings{{kindUnscanned, 1}}
		}
	}()
	sc := scanners.Get().(*scanner)
	defer sc.release()
	sc.r = r
	return sc.text(s, 0)
}

// kindUnscanned marks what could not be looked at.
const kindUnscanned = "unscanned"
