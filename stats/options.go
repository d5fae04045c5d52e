// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"errors"
	"fmt"
	"time"

	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/toolkit"
)

// An Option sets something of a [Recorder]. Where one is given twice, the last
// wins. Nil options are passed over.
type Option func(*config) error

type config struct {
	digits           int
	maxTools         int
	maxGroups        int
	maxSessions      int
	maxLoops         int
	maxRecent        int
	recentAge        time.Duration
	maxIntervalBytes int64
	retention        time.Duration
	redactor         *redact.Redactor
	registered       func() []toolkit.Definition
	now              func() time.Time
	hostClock        bool
	directory        string
	directoryBytes   int64
}

func newConfig(options []Option) (config, error) {
	c := config{
		digits:           3,
		maxTools:         256,
		maxGroups:        256,
		maxSessions:      1024,
		maxLoops:         128,
		maxRecent:        512,
		maxIntervalBytes: 32 << 20,
		retention:        48 * time.Hour,
		redactor:         redact.Default(),
		now:              time.Now,
		directoryBytes:   256 << 20,
	}
	for _, o := range options {
		if o == nil {
			continue
		}
		if err := o(&c); err != nil {
			return config{}, err
		}
	}
	return c, nil
}

// within returns an error unless low <= got <= high.
func within[N int | int64 | time.Duration](option string, got, low, high N) error {
	if got < low || got > high {
		return fmt.Errorf("stats: %s: got %v, want %v to %v", option, got, low, high)
	}
	return nil
}

// WithDigits sets the significant digits of the running times of executed calls:
// 3, the default, is within 0.1 %; 2 within 0.8 %, in an eighth of the memory.
func WithDigits(digits int) Option {
	return func(c *config) error {
		c.digits = digits
		return within("WithDigits", digits, minDigits, maxDigits)
	}
}

// WithMaxTools sets how many tools have figures of their own, 1 to 65536; calls of
// further ones are counted under [Other]. The default is 256.
func WithMaxTools(n int) Option {
	return func(c *config) error { c.maxTools = n; return within("WithMaxTools", n, 1, 1<<16) }
}

// WithMaxErrorGroups sets how many error groups are kept, 1 to 65536. The default is
// 256.
func WithMaxErrorGroups(n int) Option {
	return func(c *config) error { c.maxGroups = n; return within("WithMaxErrorGroups", n, 1, 1<<16) }
}

// WithMaxSessions sets how many sessions are kept, 0 to 1048576; the number is
// rounded up to a multiple of eight. The default is 1024.
func WithMaxSessions(n int) Option {
	return func(c *config) error { c.maxSessions = n; return within("WithMaxSessions", n, 0, 1<<20) }
}

// WithMaxLoops sets how many repeated calls are kept, 0 to 65536. The default is
// 128.
func WithMaxLoops(n int) Option {
	return func(c *config) error { c.maxLoops = n; return within("WithMaxLoops", n, 0, 1<<16) }
}

// WithMaxRecent sets how many recent calls are kept, 0 to 1048576. The default is
// 512.
func WithMaxRecent(n int) Option {
	return func(c *config) error { c.maxRecent = n; return within("WithMaxRecent", n, 0, 1<<20) }
}

// WithRecentAge sets how long recent calls, sessions and loops are kept after they were
// last seen, a minute to a year. What is older is removed while there are calls, at the
// end of each interval of ten seconds, and before anybody reads; without either it
// stays in memory. The default, 0, keeps them until others take their places.
func WithRecentAge(d time.Duration) Option {
	return func(c *config) error {
		if c.recentAge = d; d == 0 {
			return nil
		}
		return within("WithRecentAge", d, time.Minute, 366*24*time.Hour)
	}
}

// WithMaxIntervalBytes sets how many bytes sealed intervals may hold, 64 KiB to 16
// GiB; beyond it the oldest go into the total. The default is 32 MiB.
func WithMaxIntervalBytes(n int64) Option {
	return func(c *config) error {
		c.maxIntervalBytes = n
		return within("WithMaxIntervalBytes", n, 64<<10, 16<<30)
	}
}

// WithRetention sets how long windows reach back, an hour to a year; what is older
// is in the total only. The default is 48 hours, so that a day can be compared with
// the one before.
func WithRetention(d time.Duration) Option {
	return func(c *config) error {
		c.retention = d
		return within("WithRetention", d, time.Hour, 366*24*time.Hour)
	}
}

// WithRedactor sets what texts of errors, and names of sessions and agents, pass
// before they are stored. The default, and nil, is [redact.Default].
func WithRedactor(r *redact.Redactor) Option {
	return func(c *config) error {
		if r == nil {
			r = redact.Default()
		}
		c.redactor = r
		return nil
	}
}

// WithRegistered tells which tools are registered, so that those never used can be
// named; list is called by readers. A registry's Definitions method is one. The
// default knows of no tool but those of [Recorder.Register].
func WithRegistered(list func() []toolkit.Definition) Option {
	return func(c *config) error { c.registered = list; return nil }
}

// WithClock sets the time that readers take for now, for logs of the past: an
// interval is then sealed when a call ends after it, or by a reader, and no
// timer runs. If now goes back by more than a second, that is taken for a clock which was set back
// ([Window] says what follows); without a monotonic reading, no time has passed until then. The
// default is [time.Now] and a timer that runs while there are calls.
func WithClock(now func() time.Time) Option {
	return func(c *config) error {
		if now == nil {
			return errors.New("stats: WithClock: got nil, want a function")
		}
		c.now, c.hostClock = now, true
		return nil
	}
}

// WithDirectory keeps intervals in files of a directory, which is made if need be,
// and reads them back at start. Each recorder needs one of its own. A process
// that dies loses the open interval, ten seconds, at most. Files that lie wholly
// beyond the retention ([WithRetention]), or beyond maxBytes (1 MiB to 1 TiB; 0
// means 256 MiB) together, are removed, the oldest first. Intervals that begin after the time at
// start, because the system clock was set back, count in the total only, and [Recorder.Notes] tells
// how many there are. The default, "", keeps nothing.
func WithDirectory(path string, maxBytes int64) Option {
	return func(c *config) error {
		if maxBytes == 0 {
			maxBytes = 256 << 20
		}
		c.directory, c.directoryBytes = path, maxBytes
		return within("WithDirectory: maxBytes", maxBytes, 1<<20, 1<<40)
	}
}

// redact passes a text through the redactor and cuts it to at most max bytes.
func (c *config) redact(text string, max int) string {
	if text == "" {
		return ""
	}
	clean, _ := c.redactor.TextMax(text, max)
	return clean
}
