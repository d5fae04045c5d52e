// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package loop

import (
	"context"
	"hash/maphash"

	"github.com/toolscope/toolscope/internal/sessions"
	"github.com/toolscope/toolscope/toolkit"
)

// policy notices loops. It stands at [middleware.StageLoop].
// Safe for concurrent use.
type policy struct {
	tools     map[string]*rules // those named in the options
	reads     rules             // tools that are read-only
	writes    rules             // tools that write
	unsaid    rules             // tools that do not say
	onLoop    func(context.Context, Loop)
	lookup    toolkit.Lookup
	seed      maphash.Seed
	histories *sessions.Table[agent, *history]
	fleet     fleet
}

// rules are what holds for one call.
type rules struct {
	Thresholds
	// progress is the most that is done about no progress; "" is nothing.
	progress Action
}
