// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import "bytes"

// Detach returns the call with a copy of its arguments; if it stands for a call of another
// registry, that is copied too ([Adapter].With). What runs is then what the call was when Detach
// was called, whatever becomes of the original. A middleware that runs a call several times, or
// that waits for a decision about it, passes on a copy. It must be called
// before the call has ended.
func (c Call) Detach() Call { return c.detach(false) }

// Fork is [Call.Detach] for a branch that may outlive the call: also with a [Record.Fork] of its
// record. The memory of the original is the caller's again once the call has ended. Fork is called
// in the caller's goroutine, before the branch starts.
func (c Call) Fork() Call {
	was := c.Arguments
	c = c.detach(true)
	c.Record = c.Record.Fork()
	if fork := c.Record.cell; fork != nil && fork.identity.asked && sameSlice(fork.identity.arguments, was) {
		fork.identity.arguments = c.Arguments // what was read of them holds for the copy
	}
	return c
}

// detach is Detach. shared says that others may get the result of the copy.
func (c Call) detach(shared bool) Call {
	c.Arguments = bytes.Clone(c.Arguments)
	if c.foreign != nil {
		c.foreign = c.foreign.detach(c.Arguments, shared)
	}
	return c
}
