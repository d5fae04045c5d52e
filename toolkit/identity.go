// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import (
	"encoding/json"

	"github.com/toolscope/toolscope/toolkit/identity"
)

// memo is the identity of the arguments that were last asked for.
type memo struct {
	asked     bool
	arguments json.RawMessage // the slice it was read from
	read      *identity.Arguments
	scratch   identity.Arguments // read points here unless the arguments were replaced, or lasts is set
	lasts     bool               // the call may end before its handlers return, which still look at read
}

// Identity reads the arguments of call, which r belongs to, without the tool's
// volatile ones, so that they can be compared with another call's. It is false if they
// have no identity (see package identity): such a call must not be stored or shared. They
// are read once for each call, when a policy first asks, and again if a middleware
// has replaced them. What is returned lasts until the call ends;
// [identity.Arguments.Keep] makes it last. Without a record, or after the call, they
// are read each time and all members count.
func (r Record) Identity(call Call) (*identity.Arguments, bool) {
	if call.foreign != nil && call.foreign.unfit() != nil {
		return nil, false
	}
	if !r.lock() {
		return identity.Of(call.Arguments, nil, nil)
	}
	defer r.cell.mu.Unlock()
	m := &r.cell.identity
	if m.asked && sameSlice(m.arguments, call.Arguments) {
		return m.read, m.read != nil
	}
	var volatile []string
	if tool := r.cell.facts.Tool; tool != nil {
		volatile = tool.Volatile
	}
	scratch := &m.scratch
	if m.asked || m.lasts { // a caller may still hold what was read into it
		scratch = nil
	}
	read, ok := identity.Of(call.Arguments, volatile, scratch)
	m.asked, m.arguments, m.read = true, call.Arguments, read
	return read, ok
}

// sameSlice reports whether a and b are the same memory.
func sameSlice(a, b []byte) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

// forget makes the memo ready for another call.
func (m *memo) forget() {
	if m.asked {
		m.asked, m.arguments, m.read = false, nil, nil
		m.scratch.Reset()
	}
	m.lasts = false
}

// fork is the memo of a record that may outlive this one.
func (m *memo) fork() memo {
	if m.read == nil {
		return memo{}
	}
	return memo{asked: true, arguments: m.arguments, read: m.read.Keep()}
}
