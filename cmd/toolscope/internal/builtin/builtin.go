// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"fmt"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/catalog"
	"github.com/toolscope/toolscope/tools/python"
	"github.com/toolscope/toolscope/tools/shell"
)

// Tools returns the tools that work in a directory: those that only read, or with
// write all of them, commands and programs included. Tools whose prerequisites are missing are
// skipped. The function returned closes them.
func Tools(dir string, write bool) (*toolkit.Registry, func() error, error) {
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
