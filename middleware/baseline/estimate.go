// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package baseline

import "math/bits"

// The bounds of the estimators.
const (
	sizeEpoch   = 1000 // results
	volumeEpoch = 100  // windows with calls
	minWindows  = 20   // with calls, before volumes are judged
	minDays     = 7    // with calls, of the last 32, before hours are judged
	minSize     = 4096 // bytes: smaller results are never unusual
	minVolume   = 20   // calls in a window: fewer are never unusual
	tolerance   = 3    // things seen once that are not held against new ones
	perNew      = 4000 // uses for each further one
)

// A peak is the largest of the last one to two epochs of values. Of n independent values of any continuous
// distribution the next one is the largest with a probability of 1/(n+1) (Rényi 1962), and larger by a factor with
// less: so a limit of a multiple of the peak needs to know nothing of the distribution.
type peak struct {
	Now    uint64 `json:"now"`    // largest of the open epoch
	Before uint64 `json:"before"` // largest of the epoch before
	Open   uint64 `json:"open"`   // values in the open epoch
	Seen   uint64 `json:"seen"`   // values ever
}

// limit is the largest value that is usual, at least least.
func (p *peak) limit(factor float64, least uint64) uint64 {
	return max(least, capped(factor*float64(max(p.Now, p.Before))))
}

// learn adds a value. One beyond the limit counts as the limit, so that one call cannot make everything usual.
func (p *peak) learn(value, limit, epoch uint64) {
	p.Now = max(p.Now, min(value, limit))
	p.Seen = min(p.Seen+1, huge-1)
	if p.Open++; p.Open >= epoch {
		p.Before, p.Now, p.Open = p.Now, 0, 0
	}
}

// capped is a number that can be doubled and added to without an overflow.
func capped(f float64) uint64 { return uint64(min(f, 1<<60)) }

// A volume counts calls by windows of time.
type volume struct {
	Window  int64  `json:"window"`  // number of the open window
	Count   uint64 `json:"count"`   // calls in it
	Allowed uint64 `json:"allowed"` // calls in it that were unusual and let pass
	Most    peak   `json:"most"`    // calls of a window
}

// arrive counts a call, and returns the most calls of a window before if there are unusually many now.
func (v *volume) arrive(window int64, factor float64) (most uint64, unusual bool) {
	// A call that began just before the window did is counted in it; a clock that was set back begins another one.
	if window > v.Window || window < v.Window-1 {
		if v.Count > 0 {
			v.Most.learn(v.Count, v.Most.limit(factor, minVolume), volumeEpoch)
		}
		v.Window, v.Count, v.Allowed = window, 0, 0
	}
	v.Count = min(v.Count+1, 1<<60)
	most = max(v.Most.Now, v.Most.Before)
	return most, v.Most.Seen >= minWindows && v.Count > max(v.Most.limit(factor, minVolume), v.Allowed)
}

// allow lets twice as many calls pass in the open window: the next signal is at the double.
func (v *volume) allow() { v.Allowed = 2 * v.Count }

// hours are the hours of the day (UTC) at which an agent was active, on each of the last 32 days.
type hours struct {
	Day    int64      `json:"day"`    // the last day, since 1970
	Active [24]uint32 `json:"active"` // by hour: bit i is i days before Day
}

// advance moves on to a day.
func (h *hours) advance(day int64) {
	if day <= h.Day {
		return
	}
	past := uint64(day - h.Day) // also where the difference of a damaged file has no place in an int64
	for i := range h.Active {
		h.Active[i] = uint32(uint64(h.Active[i]) << min(past, 32)) // older days are dropped
	}
	h.Day = day
}

// unusual reports whether neither the hour nor the one before or after it had a call, of an agent that was active on
// enough days.
func (h *hours) unusual(hour int) bool {
	var any uint32
	for _, days := range h.Active {
		any |= days
	}
	return bits.OnesCount32(any) >= minDays && h.Active[(hour+23)%24]|h.Active[hour]|h.Active[(hour+1)%24] == 0
}

func (h *hours) learn(day int64, hour int) {
	if ago := h.Day - day; ago >= 0 && ago < 32 {
		h.Active[hour] |= 1 << ago
	}
}

// A known is a list of things that were used, the one used last first. What is V is for its user.
type known[V any] struct {
	List []entry[V] `json:"list"`
	Seen uint64     `json:"seen"` // uses of all
	// Once is how many were used once, those included that were removed to make room. Once/Seen is the
	// probability that the next one is new (Good 1953).
	Once uint64 `json:"once"`
}

type entry[V any] struct {
	ID   uint64 `json:"id"`
	Uses uint8  `json:"uses"` // at most 3: only the first two make a difference
	V    V      `json:"v,omitzero"`
}

// find returns what is kept of a thing; nil if it is new.
func (k *known[V]) find(id uint64) *V {
	for i := range k.List {
		if k.List[i].ID == id {
			return &k.List[i].V
		}
	}
	return nil
}

// unusual reports whether a new thing is unusual: there were enough uses, and new things are rare.
func (k *known[V]) unusual(warmup int) bool {
	return k.Seen >= uint64(warmup) && k.Once <= tolerance+k.Seen/perNew
}

// learn counts a use, and returns what is kept of the thing, which is valid until the next call. Of more than most
// things the longest unused is removed.
func (k *known[V]) learn(id uint64, most int) *V {
	k.Seen = min(k.Seen+1, huge-1)
	at := 0
	for at < len(k.List) && k.List[at].ID != id {
		at++
	}
	e := entry[V]{ID: id}
	switch {
	case at < len(k.List):
		e = k.List[at]
	case at >= most:
		at--
	default:
		k.List = append(k.List, e)
	}
	copy(k.List[1:at+1], k.List[:at])
	switch e.Uses = min(e.Uses+1, 3); e.Uses {
	case 1:
		k.Once = min(k.Once+1, k.Seen)
	case 2:
		k.Once--
	}
	k.List[0] = e
	return &k.List[0].V
}
