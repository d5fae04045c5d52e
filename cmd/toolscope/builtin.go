// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/files"
	"github.com/toolscope/toolscope/toolkit/shell"
)

// builtinTools are the tools that work in a directory: those that only read, or with
// write all of them, commands included. The function returned closes what they hold.
func builtinTools(dir string, write bool) (*toolkit.Registry, func() error, error) {
	set, err := files.New(files.Options{Roots: []files.Root{{Name: "here", Path: dir, ReadOnly: !write}}})
	if err != nil {
		return nil, nil, fmt.Errorf("--dir: %w", err)
	}
	registry := new(toolkit.Registry)
	errs := []error{registry.Register(set.Tools()...)}
	if write {
		tool, err := shell.New(shell.Options{Dir: dir})
		if err == nil {
			err = registry.Register(tool)
		}
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, nil, errors.Join(err, set.Close())
	}
	return registry, set.Close, nil
}
