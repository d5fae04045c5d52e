// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/catalog"
	"github.com/toolscope/toolscope/tools/python"
	"github.com/toolscope/toolscope/tools/shell"
)

// builtinTools are the tools that work in a directory: those that only read, or with
// write all of them, commands and programs included. What the machine lacks is left out.
// The function returned closes what they hold.
func builtinTools(dir string, write bool) (*toolkit.Registry, func() error, error) {
	o := catalog.Options{Dir: dir, Write: write, SkipMissing: true}
	if write {
		o.Shell, o.Jobs, o.Python = &shell.Options{}, &shell.JobOptions{}, &python.Options{}
	}
	c, err := catalog.New(o)
	if err != nil {
		return nil, nil, fmt.Errorf("the built-in tools in %s: %w", dir, err)
	}
	return c.Registry, c.Close, nil
}
