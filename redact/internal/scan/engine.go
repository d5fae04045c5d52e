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

// Compile makes the machine for the kinds that are on and for known values.
func (e *Engine) Compile() {
	if len(e.Patterns) > 0 || len(e.Names) > 0 {
		e.Machine = compile(e)
		return
	}
	e.Machine = machineFor(e)
}

// plain is the engine without a callback, tags and stand-ins.
func (e *Engine) plain() *Engine {
	if e.Callback == nil && e.Key == nil && !e.StandIns {
		return e
	}
	return &Engine{On: e.On, Limits: e.Limits, Machine: e.Machine}
}
