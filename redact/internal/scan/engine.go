// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"sync/atomic"

	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/names"
)

// An Engine finds secrets and personal data: it is options, checked and compiled. It does not
// change once it is in use.
type Engine struct {
	On          kinds.Set
	Allow       map[string]bool // values that stay
	Known       []string        // values to remove
	Rules       []PlaceRule     // nil: there are none, not even for other tools
	AllowGlobs  []string        // patterns of values that stay
	Patterns    []Pattern
	Names       map[string]names.Verdict // by NameKey
	NameAnchors []string                 // of those that tell
	KindRules   []KindRule
	Explain     bool // spans have reasons
	Callback    func(path, kind, value string) (Action, string)
	Key         []byte // of the tags of marks; nil: none
	StandIns    bool
	Limits      Limits
	Machine     *machine
	Tally       *Tally
}

// Limits bound what is examined; see the exported type of this name.
type Limits struct{ Nesting, Inner, Work int }

// An Action is what becomes of a value.
type Action uint8

const (
	actionMask Action = iota
	actionKeep
	actionDrop
	actionReplace // only by a callback
)

// A PlaceRule says what becomes of the values at a place.
type PlaceRule struct {
	Path   []selector
	Action Action
}

// A Tally counts the steps of work; nil counts none. Tests set it.
type Tally struct{ Steps atomic.Int64 }

// CountSteps adds the steps of one redaction.
func (t *Tally) CountSteps(n int) {
	if t != nil {
		t.Steps.Add(int64(n))
	}
}

// plain is the engine without a callback, tags and stand-ins.
func (e *Engine) plain() *Engine {
	if e.Callback == nil && e.Key == nil && !e.StandIns {
		return e
	}
	return &Engine{On: e.On, Limits: e.Limits, Machine: e.Machine}
}

// A Pattern is a form of your application: what a regular expression matches from a literal on.
type Pattern struct {
	Literal  string                                     // in any case
	Regexp   interface{ FindStringIndex(string) []int } // nil: the literal and the letters, digits, '_' and '-' behind it
	Keywords []string                                   // one of them stands shortly before, in lower case; nil: none has to
}

// A KindRule says that values of some kinds stay at a place and below it.
type KindRule struct {
	Path  []selector
	Kinds kinds.Set
}
