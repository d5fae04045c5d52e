// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import "bytes"

// Fork returns the call for a branch that may outlive it: with a [Record.Fork] of its record and
// a copy of its arguments, whose memory is the caller's again once the call has ended. If the
// call stands for one of another registry, that is copied too ([Adapter].With). Fork is called in
// the caller's goroutine, before the branch starts.
func (c Call) Fork() Call {
	was := c.Arguments
	c.Arguments = bytes.Clone(was)
	c.Record = c.Record.Fork()
	if c.foreign != nil {
		c.foreign = c.foreign.detach(c.Arguments)
	}
	if fork := c.Record.cell; fork != nil && fork.identity.asked && sameSlice(fork.identity.arguments, was) {
		fork.identity.arguments = c.Arguments // what was read of them holds for the copy
	}
	return c
}
