// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import "bytes"

// Fork returns the call for a branch that may outlive it: with a [Record.Fork] of its record, and
// with a copy of its arguments, whose memory is the caller's again once the call has ended.
func (c Call) Fork() Call {
	was := c.Arguments
	c.Arguments = bytes.Clone(was)
	c.Record = c.Record.Fork()
	if fork := c.Record.cell; fork != nil && fork.identity.asked && sameSlice(fork.identity.arguments, was) {
		fork.identity.arguments = c.Arguments // what was read of them holds for the copy
	}
	return c
}
