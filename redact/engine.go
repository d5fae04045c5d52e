// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import "sync/atomic"

// An engine finds secrets and personal data: it is [Options], checked and compiled. It does not
// change once it is in use.
type engine struct {
	on       kindSet
	allow    map[string]bool // values that stay
	known    []string        // values to remove
	rules    []placeRule     // nil: there are none, not even for other tools
	callback func(path, kind, value string) (action, string)
	key      []byte // of the tags of marks; nil: none
	standIns bool
	limits   limits
	machine  *machine
	tally    *tally
}

// limits bound what is looked at; see the exported type of this name.
type limits struct{ nesting, inner, work int }

// An action is what becomes of a value.
type action uint8

const (
	actionMask action = iota
	actionKeep
	actionDrop
	actionReplace // only by a callback
)

// A placeRule says what becomes of the values at a place.
type placeRule struct {
	path   []selector
	action action
}

// A tally counts the steps of work; nil counts none. Tests set it.
type tally struct{ steps atomic.Int64 }

func (t *tally) countSteps(n int) {
	if t != nil {
		t.steps.Add(int64(n))
	}
}

// compile makes the machine for the kinds that are on and for known values.
func (e *engine) compile() { e.machine = machineFor(&e.on, e.known) }

// plain is the engine without a callback, tags and stand-ins.
func (e *engine) plain() *engine {
	if e.callback == nil && e.key == nil && !e.standIns {
		return e
	}
	return &engine{on: e.on, limits: e.limits, machine: e.machine}
}
