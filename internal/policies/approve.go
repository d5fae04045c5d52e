// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"errors"

	"github.com/toolscope/toolscope/middleware/approve"
)

// approval is what a file says of the Approve policy.
type approval struct {
	approve.Options `yaml:",inline"`

	Terminal   *bool `yaml:"terminal" doc:"Ask on the controlling terminal; default: unless answers come over HTTP."`
	Remote     bool  `yaml:"remote" doc:"Answers come over HTTP, which the program must serve (ApprovalsToken); default false."`
	Unattended bool  `yaml:"unattended" doc:"No person is asked: calls that no pattern approves are refused; default false."`
}

func newApprove(s approval, b *Builder) (*approve.Policy, error) {
	o := s.Options
	o.Redactor, o.Tell = b.Redactor, b.Decided
	if s.Remote {
		o.Askers = append(o.Askers, approve.HTTP())
	}
	if s.Unattended {
		o.Askers = append(o.Askers, approve.Unattended())
	}
	if s.Terminal != nil && *s.Terminal {
		o.Askers = append(o.Askers, approve.Terminal())
	} else if s.Terminal != nil && len(o.Askers) == 0 && !s.Defer {
		return nil, errors.New("terminal: got false, want remote: true or unattended: true as well")
	}
	return approve.New(o)
}
