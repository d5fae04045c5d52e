// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statscmd

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/programs"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/summary"
	"github.com/toolscope/toolscope/stats"
)

// view asks a program for what the tables show.
func (o *options) view(ctx context.Context, s *programs.Source) (v *summary.View, err error) {
	query := url.Values{}
	for name, value := range map[string]string{"window": o.window, "since": o.since, "until": o.until} {
		if value != "" {
			query.Set(name, value)
		}
	}
	v = &summary.View{Window: o.window, Tool: o.tool, Sort: o.sort}
	if v.Snapshot, err = s.Snapshot(ctx, query); err != nil {
		return nil, err
	}
	if len(v.Snapshot.Tools) == 0 && o.window != "total" {
		all, err := s.Snapshot(ctx, url.Values{"window": {"total"}})
		if err != nil {
			return nil, err
		}
		for i := range all.Tools {
			if t := &all.Tools[i]; (o.tool == "" || t.Tool == o.tool) && t.LastSeen.After(v.Latest) {
				v.Latest = t.LastSeen
			}
		}
	}
	if v.Before, err = s.Before(ctx, v.Snapshot, o.window); err != nil {
		return nil, err
	}
	sessions, err := s.Sessions(ctx, "20")
	if err != nil {
		return nil, err
	}
	if v.Loops, err = s.Loops(ctx); err != nil {
		return nil, err
	}
	if o.tool == "" {
		v.Sessions = sessions
	} else {
		v.Loops = slices.DeleteFunc(v.Loops, func(l stats.Loop) bool { return l.Tool != o.tool })
	}
	return v, nil
}

// merged returns one view of all programs that answered, and its name.
func (o *options) merged(views []*summary.View) ([]*summary.View, []string) {
	v := &summary.View{Window: o.window, Tool: o.tool, Sort: o.sort}
	var snapshots, before []*stats.Snapshot
	for _, x := range views {
		if x == nil {
			continue
		}
		snapshots = append(snapshots, x.Snapshot)
		if x.Before != nil {
			before = append(before, x.Before)
		}
		v.Sessions = append(v.Sessions, x.Sessions...)
		v.Loops = append(v.Loops, x.Loops...)
	}
	if len(snapshots) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(v.Sessions, func(a, b stats.SessionStats) int { return b.LastSeen.Compare(a.LastSeen) })
	slices.SortStableFunc(v.Loops, func(a, b stats.Loop) int { return cmp.Compare(b.Times, a.Times) })
	v.Snapshot = stats.Merge(snapshots...)
	if len(before) == len(snapshots) { // else programs that are new would look like a change
		v.Before = stats.Merge(before...)
	}
	name := fmt.Sprintf("%d programs merged", len(snapshots))
	if len(snapshots) < len(views) {
		name = fmt.Sprintf("%d of %d programs merged", len(snapshots), len(views))
	}
	return []*summary.View{v}, []string{name}
}
