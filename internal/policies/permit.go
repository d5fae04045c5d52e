// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"errors"
	"strconv"

	"github.com/toolscope/toolscope/middleware/permit"
)

// permission is what a file says of the Permit policy.
type permission struct {
	Rules     string   `yaml:"rules" doc:"The rules' file, relative to this file; default: the built-in rules."`
	Workspace []string `yaml:"workspace" doc:"Directories where the built-in rules let files be written; not with rules."`
}

// approverContent has a policy built again if an Approve policy is added or removed.
func approverContent(b *Builder) []byte { return strconv.AppendBool(nil, b.Approver) }

func newPermit(s permission, b *Builder) (*permit.Policy, error) {
	b.Content = approverContent(b)
	if s.Rules == "" {
		rules, err := permit.Compile(permit.Spec{Workspace: s.Workspace})
		if err != nil {
			return nil, err
		}
		return permit.New(permit.Options{Rules: rules, Approver: b.Approver})
	}
	if len(s.Workspace) > 0 {
		return nil, errors.New("workspace: got it together with rules, want it in that file")
	}
	if b.ReadFile == nil {
		return nil, nil
	}
	path := b.Path(s.Rules)
	text, err := b.ReadFile(path)
	if err != nil {
		return nil, err
	}
	b.Content = append(b.Content, text...)
	rules, err := permit.Parse(path, text)
	if err != nil {
		return nil, err
	}
	return permit.New(permit.Options{Rules: rules, Approver: b.Approver})
}
