// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"

	"github.com/toolscope/toolscope/stats"
)

// merged is one view of all programs that answered.
func (o *statsOptions) merged(views []*view, of int) ([]*view, []string) {
	v := &view{window: o.window, tool: o.tool, sort: o.sort}
	var snapshots, before []*stats.Snapshot
	for _, x := range views {
		if x == nil {
			continue
		}
		snapshots = append(snapshots, x.snapshot)
		if x.before != nil {
			before = append(before, x.before)
		}
		v.sessions = append(v.sessions, x.sessions...)
		v.loops = append(v.loops, x.loops...)
	}
	if len(snapshots) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(v.sessions, func(a, b stats.SessionStats) int { return b.LastSeen.Compare(a.LastSeen) })
	slices.SortStableFunc(v.loops, func(a, b stats.Loop) int { return int(min(b.Times, 1<<30)) - int(min(a.Times, 1<<30)) })
	v.snapshot = stats.Merge(snapshots...)
	if len(before) == len(snapshots) { // else programs that are new would look like a change
		v.before = stats.Merge(before...)
	}
	name := fmt.Sprintf("%d programs merged", len(snapshots))
	if len(snapshots) < of {
		name = fmt.Sprintf("%d of %d programs merged", len(snapshots), of)
	}
	return []*view{v}, []string{name}
}
