// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package replaycmd

import (
	"github.com/toolscope/toolscope/cmd/toolscope/internal/transcript"
	"github.com/toolscope/toolscope/toolkit"
)

// stepping tells which calls of a recording are steps that their calls make again. A workflow that the target does not have
// makes none: then its steps are sent, and it is not.
type stepping struct {
	names map[string]string // of calls, by their ids in the file
	steps map[string]bool   // ids of calls that have steps
	tools toolkit.Tools
}

func newStepping(t *transcript.Transcript, tools toolkit.Tools) *stepping {
	s := &stepping{map[string]string{}, map[string]bool{}, tools}
	for _, b := range t.Batches {
		for i, n := range b.Notes {
			s.names[b.Calls[i].ID] = b.Calls[i].Name
			if n.Parent != "" {
				s.steps[n.Parent] = true
			}
		}
	}
	return s
}

// madeByParent reports whether a call is a step that another call makes again.
func (s *stepping) madeByParent(n *transcript.Note) bool {
	return n.Parent != "" && s.tools.Lookup(s.names[n.Parent]) != nil
}

// replaced reports whether the steps of a call are sent in its place.
func (s *stepping) replaced(call *toolkit.Call) bool {
	return s.steps[call.ID] && s.tools.Lookup(call.Name) == nil
}
