// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"cmp"
	"fmt"
	"time"

	"github.com/toolscope/toolscope/internal/errtype"
	"github.com/toolscope/toolscope/internal/histogram"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/toolkit"
)

// Options are what [New] makes a [Recorder] of. In each field the zero value is the default.
type Options struct {
	// Digits is how many significant digits the running times of executed calls keep: 3 is within
	// 0.1 %; 2 within 0.8 %, in an eighth of the memory. 0 is 3.
	Digits int
	// MaxTools is how many tools have figures of their own, 1 to 65536; calls of further ones are
	// counted under [Other]. 0 is 256.
	MaxTools int
	// MaxErrorGroups is how many error groups are kept, 1 to 65536. 0 is 256.
	MaxErrorGroups int
	// MaxSessions is how many sessions are kept, at most 1048576; the number is rounded up to a
	// multiple of eight. 0 is 1024, below 0 is none.
	MaxSessions int
	// MaxLoops is how many repeated calls are kept, at most 65536. 0 is 128, below 0 is none.
	MaxLoops int
	// MaxRecent is how many recent calls are kept, at most 1048576. 0 is 512, below 0 is none.
	MaxRecent int
	// RecentAge is how long recent calls, sessions and loops are kept after they were last seen, a
	// minute to a year. Older ones are removed while there are calls, at the end of each interval
	// of ten seconds, and before each read; without either they stay in memory. 0 keeps them until
	// others take their places.
	RecentAge time.Duration
	// MaxIntervalBytes is how many bytes sealed intervals may hold, 64 KiB to 16 GiB; beyond it
	// the oldest go into the total. 0 is 32 MiB.
	MaxIntervalBytes int64
	// Retention is how long windows reach back, an hour to a year; what is older is in the total
	// only. 0 is 48 hours, so that a day can be compared with the one before.
	Retention time.Duration
	// Redactor cleans texts of errors, and names of sessions and agents, before they are stored.
	// Nil is [redact.Default].
	Redactor *redact.Redactor
	// Registered lists the registered tools, so that those never used can be named. Readers call
	// it, several at once. A registry's Definitions method fits. Nil adds no tool to those of
	// [Recorder.Register].
	Registered func() []toolkit.Definition
	// Clock returns the time that readers take for now, for logs of the past: an interval is then
	// sealed when a call ends after it, or by a reader, and no timer runs. If the time goes back
	// by more than a second, that is taken for a clock which was set back ([Window] says what
	// follows); without a monotonic reading, no time has passed until then. Nil is [time.Now] and
	// a timer that runs while there are calls.
	Clock func() time.Time
	// Directory keeps intervals in files, which New reads back; New makes the directory if it
	// does not exist. Each recorder needs one of its own. A process that dies loses the open
	// interval, ten seconds, at most. Files that lie wholly beyond Retention, or beyond
	// MaxDirectoryBytes together, are removed, the oldest first. Intervals that begin after the
	// time at start, because the system clock was set back, count in the total only, and
	// [Recorder.Notes] says how many there are. "" keeps nothing.
	Directory string
	// MaxDirectoryBytes is how many bytes the files of Directory may have, 1 MiB to 1 TiB. 0 is
	// 256 MiB.
	MaxDirectoryBytes int64
}

// config is the options with their defaults.
type config struct {
	Options
	now   func() time.Time // Clock, or time.Now
	types *errtype.Guard
	keys  *errtype.Guard // of tags
	names *toolNames
}

func newConfig(o Options) (config, error) {
	c := config{Options: o, now: o.Clock}
	c.Digits = cmp.Or(o.Digits, 3)
	c.MaxTools = cmp.Or(o.MaxTools, 256)
	c.MaxErrorGroups = cmp.Or(o.MaxErrorGroups, 256)
	c.MaxSessions = max(0, cmp.Or(o.MaxSessions, 1024))
	c.MaxLoops = max(0, cmp.Or(o.MaxLoops, 128))
	c.MaxRecent = max(0, cmp.Or(o.MaxRecent, 512))
	c.MaxIntervalBytes = cmp.Or(o.MaxIntervalBytes, 32<<20)
	c.Retention = cmp.Or(o.Retention, 48*time.Hour)
	c.MaxDirectoryBytes = cmp.Or(o.MaxDirectoryBytes, 256<<20)
	if c.Redactor == nil {
		c.Redactor = redact.Default()
	}
	c.types, c.keys, c.names = errtype.New(c.Redactor), errtype.NewKeys(c.Redactor), newToolNames(c.Redactor)
	if c.now == nil {
		c.now = time.Now
	}
	const year = 366 * 24 * time.Hour
	for _, err := range [...]error{
		within("Digits", c.Digits, histogram.MinDigits, histogram.MaxDigits),
		within("MaxTools", c.MaxTools, 1, 1<<16),
		within("MaxErrorGroups", c.MaxErrorGroups, 1, 1<<16),
		within("MaxSessions", c.MaxSessions, 0, 1<<20),
		within("MaxLoops", c.MaxLoops, 0, 1<<16),
		within("MaxRecent", c.MaxRecent, 0, 1<<20),
		within("RecentAge", cmp.Or(c.RecentAge, time.Minute), time.Minute, year),
		within("MaxIntervalBytes", c.MaxIntervalBytes, 64<<10, 16<<30),
		within("Retention", c.Retention, time.Hour, year),
		within("MaxDirectoryBytes", c.MaxDirectoryBytes, 1<<20, 1<<40),
	} {
		if err != nil {
			return config{}, err
		}
	}
	return c, nil
}

// within returns an error unless low <= got <= high.
func within[N int | int64 | time.Duration](field string, got, low, high N) error {
	if got < low || got > high {
		return fmt.Errorf("stats: Options.%s: got %v, want %v to %v", field, got, low, high)
	}
	return nil
}

// redact passes a text through the redactor and cuts it to at most max bytes.
func (c *config) redact(text string, max int) string {
	if text == "" {
		return ""
	}
	clean, _ := c.Redactor.TextMax(text, max)
	return clean
}
