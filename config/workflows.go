// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"

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

// failWorkflows is the error of definitions, with lines.
func (d *document) failWorkflows(err error) error {
	if err == nil {
		return nil
	}
	all := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		all = joined.Unwrap()
	}
	for _, err := range all {
		e := (*workflow.Error)(nil)
		if !errors.As(err, &e) {
			return err
		}
		d.yaml.Fail("workflows."+e.Field, e.Got, e.Want)
	}
	return d.yaml.Err()
}
