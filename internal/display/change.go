// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package display

import "math"

// The moods of a change; "" is neither.
const (
	Good = "good"
	Bad  = "bad"
)

// Change says how much more or less there is than there was: "▲ 12.0 %", "as
// before", or "" if there was nothing. More than a tenth more of a time is bad, less
// is good.
func Change(was, is float64) (text, mood string) {
	if !(was > 0) || is == was {
		return "", ""
	}
	f := is/was - 1
	switch {
	case math.Abs(f) < 0.005:
		return "as before", ""
	case f >= 9:
		return "▲ " + Three(f+1) + " times", Bad
	case f > 0.1:
		mood = Bad
	case f < -0.1:
		mood = Good
	}
	if f > 0 {
		return "▲ " + Percent(f), mood
	}
	return "▼ " + Percent(-f), mood
}

// Points is [Change] for parts of a whole, in percentage points; more than one more
// is bad.
func Points(was, is float64) (text, mood string) {
	switch d := is - was; {
	case math.Abs(d) < 0.0005:
		return "as before", ""
	case d > 0:
		if d > 0.01 {
			mood = Bad
		}
		return "▲ " + Three(d*100) + " points", mood
	default:
		if d < -0.01 {
			mood = Good
		}
		return "▼ " + Three(-d*100) + " points", mood
	}
}
