// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"github.com/toolscope/toolscope/workflow"
)

// NewWorkflows is [workflow.New] with the definitions of the file; those of o are ignored. Errors name file, line and
// field. Without the section the set is empty. Changes of the section hold after a restart.
func (f *File) NewWorkflows(o workflow.Options) (*workflow.Set, error) {
	f.mu.Lock()
	d := f.document
	f.mu.Unlock()
	o.Definitions = d.Workflows
	set, err := workflow.New(o)
	if err := d.failWorkflows(err); err != nil {
		return nil, err
	}
	return set, nil
}
