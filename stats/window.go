// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"fmt"
	"strings"
	"time"
)

// A Window says which calls a question is about: the last while, a span between
// two times, or, as the zero Window, all that was ever recorded. Calls are kept in
// intervals, so that a window covers a little more than was asked for: at most ten
// seconds within the last quarter of an hour, a minute within the last two hours,
// ten minutes beyond. Answers state the span they cover.
//
// The zero Window, which Prometheus counters are made of too, does not depend on the system clock.
// Other windows use the time that has passed since a call ended. If the clock is set back, they
// have the same calls as before, and the times of earlier calls, and of the spans covered, move back
// with it. If it is set forward, earlier calls are older by as much, as after a machine was
// suspended, and leave windows accordingly. Since and Until are of the clock as it is set now.
type Window struct {
	// Last is the length of the window up to now; 0 if Since or Until are meant.
	Last time.Duration
	// Since and Until bound the window where Last is 0; zero times do not.
	Since, Until time.Time
}

// windows are those with a name, the shortest first. Errors, the HTTP API and the command take the
// names from here; a test compares docs/http.md.
var windows = []struct {
	name string
	last time.Duration
}{
	{"1m", time.Minute}, {"5m", 5 * time.Minute}, {"15m", 15 * time.Minute},
	{"1h", time.Hour}, {"24h", 24 * time.Hour}, {"total", 0},
}

// WindowNames lists the names that [ParseWindow] knows, the shortest first.
func WindowNames() []string {
	names := make([]string, len(windows))
	for i, w := range windows {
		names[i] = w.name
	}
	return names
}

// ParseWindow finds a window by its name, one of [WindowNames].
func ParseWindow(name string) (Window, error) {
	for _, w := range windows {
		if w.name == name {
			return Window{Last: w.last}, nil
		}
	}
	return Window{}, fmt.Errorf("stats: window: got %.32q, want one of %s", name, strings.Join(WindowNames(), ", "))
}

// String is the window's name, its length, or its bounds.
func (w Window) String() string {
	if w.Last == 0 && (!w.Since.IsZero() || !w.Until.IsZero()) {
		return bound(w.Since) + "/" + bound(w.Until)
	}
	for _, named := range windows {
		if named.last == w.Last {
			return named.name
		}
	}
	return w.Last.String()
}

func bound(t time.Time) string {
	if t.IsZero() {
		return ".."
	}
	return t.UTC().Format(time.RFC3339)
}

// Validate returns an error if no call can lie in the window, or if it is bounded in two
// ways at once.
func (w Window) Validate() error {
	switch {
	case w.Last < 0:
		return fmt.Errorf("stats: Window.Last: got %v, want 0 or more", w.Last)
	case w.Last > 0 && (!w.Since.IsZero() || !w.Until.IsZero()):
		return fmt.Errorf("stats: Window: got Last %v and Since or Until, want one of the two forms", w.Last)
	case !w.Since.IsZero() && !w.Until.IsZero() && !w.Until.After(w.Since):
		return fmt.Errorf("stats: Window.Until: got %v, want a time after Since, %v", bound(w.Until), bound(w.Since))
	}
	return nil
}

// bounds are the window's ends in nanoseconds since 1970, now being the latest; since
// is the lowest number for a window without a beginning.
func (w Window) bounds(now int64) (since, until int64) {
	since, until = minTime, now
	if w.Last > 0 {
		return now - int64(w.Last), now
	}
	if !w.Since.IsZero() {
		since = w.Since.UnixNano()
	}
	if !w.Until.IsZero() {
		until = min(until, w.Until.UnixNano())
	}
	return since, until
}

// all reports whether w is the zero Window, which has everything.
func (w Window) all() bool { return w.Last == 0 && w.Since.IsZero() && w.Until.IsZero() }

// minTime stands for no beginning.
const minTime = -1 << 63

// before is the window of the same length before w; false for one without a
// beginning, which has none.
func (w Window) before(now time.Time) (Window, bool) {
	since, until := w.bounds(now.UnixNano())
	if since == minTime || until <= since {
		return Window{}, false
	}
	return Window{Since: time.Unix(0, since-(until-since)), Until: time.Unix(0, since)}, true
}
