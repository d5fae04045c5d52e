// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import (
	"slices"

	"github.com/toolscope/toolscope/internal/sandbox"
	"github.com/toolscope/toolscope/middleware/permit/internal/arguments"
	"github.com/toolscope/toolscope/middleware/permit/internal/bash"
)

// execution is what runs of an allowed call of a tool that runs commands.
type execution struct {
	// arguments are the call's with the command as the gate printed it from its own parse; nil is the call's own.
	arguments []byte
	sandbox   *sandbox.Sandbox
}

// open is the sandbox of a call that no rule allows by name: processes do not see the environment of others.
var open = &sandbox.Sandbox{Network: true}

// canonical makes the lines those that the gate has read: printed from the syntax tree, so that no shell reads
// them another way. why says that this cannot be done; "" if it can.
func (v *view) canonical(argument string) (text []byte, why string) {
	for _, l := range v.lines {
		source := v.source
		if source == "" { // a list of words
			continue
		}
		line, ok := bash.Canonical(source, l)
		switch {
		case !ok || line != source && len(v.lines) > 1:
			return nil, "the command reads another way once it is printed"
		case line == source:
			continue
		}
		if text, ok = arguments.ReplaceText(v.text, argument, line); !ok {
			return nil, "the command cannot be found among the other arguments"
		}
	}
	return text, ""
}

// sandbox is what the commands that rules cover may reach.
func (c *coverage) sandbox() *sandbox.Sandbox {
	s := &sandbox.Sandbox{Workspace: c.view.space.Roots, Network: c.network}
	for _, need := range c.needs {
		switch {
		case need == "network":
			s.Network = true
		case need == "git":
			s.Git = true
		case !slices.Contains(s.Caches, need):
			s.Caches = append(s.Caches, need)
		}
	}
	return s
}
