// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package topcmd

import (
	"context"
	"time"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/programs"
	"github.com/toolscope/toolscope/stats"
)

// trendParts is how many parts of a window a trend has.
const trendParts = 12

// partKey is a part of a window of a program, which does not change once it is over.
type partKey struct {
	program string
	from    int64
	length  time.Duration
}

// partLength is how long the parts of a window are: as long as those that programs keep.
func partLength(window time.Duration) time.Duration {
	length := window / trendParts
	for _, kept := range []time.Duration{10 * time.Second, time.Minute, 10 * time.Minute, time.Hour} {
		if length <= kept {
			return kept
		}
	}
	return length
}

// trend asks for the parts of a window; those that are over are asked for once.
func (t *live) trend(ctx context.Context, s *programs.Source, of *stats.Snapshot) ([]*stats.Snapshot, error) {
	length := partLength(of.To.Sub(of.From))
	end := of.To.Truncate(length).Add(length)
	parts := make([]*stats.Snapshot, 0, trendParts)
	for i := range trendParts {
		from := end.Add(-length * time.Duration(trendParts-i))
		until := from.Add(length)
		if !until.After(of.From) {
			continue
		}
		key := partKey{s.Base.String(), from.Unix(), length}
		t.mu.Lock()
		part := t.parts[key]
		t.mu.Unlock()
		if part == nil {
			var err error
			if part, err = s.Between(ctx, from, until); err != nil {
				return nil, err
			}
			if of.To.Sub(until) > 10*time.Second { // sealed
				t.keepPart(key, part)
			}
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// maxParts is how many parts are kept.
const maxParts = 64 * trendParts

func (t *live) keepPart(key partKey, part *stats.Snapshot) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.parts) >= maxParts {
		clear(t.parts)
	}
	t.parts[key] = part
}

// addTrend adds the calls of each part to the trends of their tools, and of all.
func addTrend(trend map[string][]float64, parts []*stats.Snapshot) {
	for i, part := range parts {
		at := trendParts - len(parts) + i
		for j := range part.Tools {
			x := &part.Tools[j]
			for _, name := range []string{"", x.Tool} {
				if trend[name] == nil {
					trend[name] = make([]float64, trendParts)
				}
				trend[name][at] += float64(x.Calls())
			}
		}
	}
}
