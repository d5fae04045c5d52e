// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package ran notes on a call which process its tool started.
package ran

import (
	"context"

	"github.com/toolscope/toolscope/internal/process"
	"github.com/toolscope/toolscope/toolkit"
)

type key struct{}

// Noting returns the tool, whose function can call [Note].
func Noting(tool toolkit.Tool) toolkit.Tool {
	return toolkit.ToolFunc(tool.Definition(), func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		return tool.Handle(context.WithValue(ctx, key{}, call.Record), call)
	})
}

// Note notes a process that ended. The executable is the name of its program, "" if that is not known.
func Note(ctx context.Context, executable string, ended *process.Ended) {
	if record, ok := ctx.Value(key{}).(toolkit.Record); ok {
		p := &toolkit.Process{Executable: executable, ExitCode: ended.State.ExitCode()}
		record.Note(func(s *toolkit.Disposition) { s.Process = p })
	}
}
