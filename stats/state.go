// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import "time"

// Started is when the recorder was made.
func (r *Recorder) Started() time.Time { return r.clock.Wall(r.started) }

// Now is the time by [Options].Clock.
func (r *Recorder) Now() time.Time { return r.config.now() }

// InFlight is how many calls run at the moment.
func (r *Recorder) InFlight() int64 {
	running := int64(0)
	for _, t := range r.tools.all() {
		running += t.inFlight.Load()
	}
	return running
}

// Closed reports whether [Recorder.Close] was called.
func (r *Recorder) Closed() bool {
	r.sealing.Lock()
	defer r.sealing.Unlock()
	return r.closed
}

// IntervalWidth is how long the intervals are that a recorder keeps of calls of an age: [Recorder.Intervals] returns
// them.
func IntervalWidth(age time.Duration) time.Duration {
	switch {
	case int64(age) <= fineFor:
		return time.Duration(fineWidth)
	case int64(age) <= minuteFor:
		return time.Duration(minuteWidth)
	}
	return time.Duration(coarseWidth)
}
