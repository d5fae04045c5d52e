// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package display

import (
	"math"
	"strconv"
	"time"
)

// Duration is d with three significant digits in the largest unit that gives a
// number of at least 1: "310 ns", "4.21 ms", "1.50 s", "12.5 min", "3.20 h".
func Duration(d time.Duration) string {
	if d < 0 {
		return "-" + Duration(-max(d, -math.MaxInt64))
	}
	for _, u := range []struct {
		size, below time.Duration
		name        string
	}{
		{1, time.Microsecond, "ns"}, {time.Microsecond, time.Millisecond, "µs"}, {time.Millisecond, time.Second, "ms"},
		{time.Second, time.Minute, "s"}, {time.Minute, time.Hour, "min"}, {time.Hour, math.MaxInt64, "h"},
	} {
		// 999.6 µs is 1.00 ms, not 1000 µs.
		if v := float64(d) / float64(u.size); d < u.below && float64(d) < float64(u.below)*0.9995 || u.name == "h" {
			if u.size == 1 {
				return strconv.FormatInt(int64(d), 10) + " ns"
			}
			return Three(v) + " " + u.name
		}
	}
	return d.String()
}

// Milliseconds is [Duration] of a number of milliseconds.
func Milliseconds(ms float64) string {
	ns := ms * float64(time.Millisecond)
	if math.IsNaN(ns) {
		return "–"
	}
	return Duration(time.Duration(min(max(ns, math.MinInt64/2), math.MaxInt64/2)))
}

// Three is v with three significant digits, and all of those before the point.
func Three(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "–"
	case a == 0:
		return "0"
	case a >= 99.95:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 9.995:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case a >= 0.995:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v, 'g', 2, 64)
}

// Count is n with a thin space between thousands.
func Count(n uint64) string {
	s := strconv.FormatUint(n, 10)
	if len(s) <= 3 {
		return s
	}
	out := make([]byte, 0, len(s)+3*len(s)/3)
	for i := range len(s) {
		if i > 0 && (len(s)-i)%3 == 0 {
			out = append(out, "\u2009"...)
		}
		out = append(out, s[i])
	}
	return string(out)
}

// Number is n of something that has a plural with an s: "0 calls", "1 call", "1 200 calls".
func Number(n uint64, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return Count(n) + " " + one + "s"
}

// Percent is a part of 1 as a percentage: "0 %", "0.03 %", "12.5 %", "100 %".
func Percent(part float64) string {
	p := part * 100
	switch {
	case math.IsNaN(p) || math.IsInf(p, 0):
		return "–"
	case p == 0:
		return "0 %"
	case p > 99.95 && p < 100:
		return ">99.9 %"
	case math.Abs(p) < 0.01:
		return "<0.01 %"
	case math.Abs(p) < 1:
		return strconv.FormatFloat(p, 'f', 2, 64) + " %"
	case math.Abs(p) < 99.95:
		return strconv.FormatFloat(p, 'f', 1, 64) + " %"
	}
	return strconv.FormatFloat(p, 'f', 0, 64) + " %"
}

// Rate is how often calls were made, in the unit of time that gives a number of at least
// 1: "12.5/s", "4.20/min", "2.00/h". It is "" where there is none to tell: a single call in two
// seconds is not 30 a minute.
func Rate(calls uint64, perSecond float64) string {
	switch {
	case calls < 2 || math.IsNaN(perSecond) || perSecond <= 0:
		return ""
	case perSecond >= 0.995:
		return Three(perSecond) + "/s"
	case perSecond*60 >= 0.995:
		return Three(perSecond*60) + "/min"
	}
	return Three(perSecond*3600) + "/h"
}

// Bytes is a size in units of 1024: "512 B", "4.00 KiB".
func Bytes(n uint64) string {
	if n < 1024 {
		return strconv.FormatUint(n, 10) + " B"
	}
	v, units := float64(n)/1024, "KMGTPE"
	for v >= 1023.5 && len(units) > 1 {
		v, units = v/1024, units[1:]
	}
	return Three(v) + " " + units[:1] + "iB"
}
