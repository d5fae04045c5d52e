// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"math/bits"
	"strings"
)

// A scanner is the working memory of one redaction.
type scanner struct {
	e      *engine
	m      *machine
	spans  []span
	buf    []byte  // decoded strings, one behind the other
	frames []frame // open objects and arrays of all JSON texts being walked
	work   int     // what is left to spend; see spend
	steps  int     // what was done so far; see count

	// quick makes the scan stop at anything that wants a closer look, which it
	// tells by suspect.
	quick   bool
	suspect bool

	unsettled bool // what was removed may show something new; see run

	// The path of the value being looked at, if it was made; see place.
	lastPlace string
	placed    bool
	places    int
	raw       []byte       // of the path looked for
	paths     [4]knownPath // the last ones made

	// What one scan knows so far; see scanText.
	settled int // everything before is decided
	named   int // names that end before are decided
	counted int // digits before are decided
	program int // whose arguments
	read    int // before are decided
	key     verdict
	words   *classifier
	names   *knownNames
}

// errSpent is the panic of a scan that costs more than its share, which input made to
// be costly does. The door that called turns it into a mark for the whole.
type errSpent struct{}

// spend takes n steps of work. What follows values beyond the text's own length counts,
// so that the whole is linear.
func (sc *scanner) spend(n int) {
	sc.steps += n
	if sc.work -= n; sc.work < 0 {
		panic(errSpent{})
	}
}

// count adds steps that every text costs: its bytes, each time it is read or decoded, and
// the anchors that are compared. Tests see by it that work is linear.
func (sc *scanner) count(n int) { sc.steps += n }

// scanText finds the spans of plain text and appends them, in order and without
// overlaps. It leaves in sc.key what the text says as a name, if asName.
func (sc *scanner) scanText(s string, depth int) {
	if len(s) < 3 {
		return
	}
	sc.count(len(s))
	base := len(sc.spans)
	settled, named, counted, read := sc.settled, sc.named, sc.counted, sc.read
	sc.settled, sc.named, sc.counted, sc.read = 0, 0, 0, 0
	sc.anchors(s)
	if !(sc.quick && sc.suspect) {
		sc.views(s, depth)
	}
	sc.settled, sc.named, sc.counted, sc.read = settled, named, counted, read
	sc.normalise(base)
}

// anchors is the first stage: it finds what may begin here and asks, from the left to the
// right.
func (sc *scanner) anchors(s string) {
	f := &sc.m.filter
	from, more := 0, 0 // nothing before from; a place to look at whatever stands before it
	set := uint64(0)   // of places from i-reach on
	for i := 0; ; i += 8 {
		if set == 0 && more >= len(s) {
			if i, set = f.next(s, i); set == 0 {
				return
			}
		} else {
			if more < i+2 {
				set |= 1 << (more - i + reach)
				more = len(s)
			}
			set |= f.places(s, i)
		}
		for ; set&0xff != 0; set &= set - 1 {
			at := i - reach + bits.TrailingZeros64(set)
			if at < from || at+2 >= len(s) {
				continue
			}
			next := sc.hit(s, at)
			if sc.quick && sc.suspect {
				return
			}
			if next > at+1 { // what was found behind is found again
				i, from, more, set = next-1-8, next, next, 0
				break
			}
			if sc.counted > at && sc.counted < len(s) && isDigit(s[sc.counted]) { // a run too long for one look
				if k := sc.counted - i + reach; k < 64 {
					set |= 1 << k
				} else {
					more = sc.counted
				}
			}
		}
		set >>= 8
	}
}

// hit asks what may begin at i, and returns where to go on.
func (sc *scanner) hit(s string, i int) int {
	m := sc.m
	g := m.group(s, i)
	sc.count(1)
	if !g.within && i > 0 && isAlnum(s[i-1]) {
		return i + 1
	}
	if list := m.list(g, s, i); len(list) > 0 {
		head := fold8(word8(s, i))
		for k := range list {
			if e := &list[k]; e.begins(s, i, head) {
				if next := sc.anchor(s, i, e); next > i {
					return next
				}
			}
		}
	}
	if g.shapes == 0 {
		return i + 1
	}
	found := len(sc.spans)
	next := 0
	if g.shapes&shapeDigits != 0 {
		next = sc.digits(s, i)
	}
	if next <= i && g.shapes&shapeWord != 0 {
		next = sc.word(s, i)
	}
	if len(sc.spans) > found {
		sc.unsettled = true
	}
	return max(next, i+1)
}

// anchor asks what the anchor e at i is for, and returns where to go on, or 0.
func (sc *scanner) anchor(s string, i int, e *entry) (next int) {
	m := sc.m
	sc.count(1)
	end := i + len(e.lit)
	found := len(sc.spans)
	switch e.act {
	case actDetector:
		next = sc.detect(s, i, end, e.n)
	case actName:
		next = sc.nameHit(s, i, end)
	case actURL:
		next = sc.urlHit(s, i)
	case actScheme:
		next = sc.schemeHit(s, i, end)
	case actCommand:
		next = sc.commandHit(s, i, end, int(e.n))
	case actManifest:
		next = sc.manifestHit(s, end)
	case actKnown:
		next = sc.knownHit(s, i, int(e.n))
	}
	if n := len(sc.spans); n > found && (e.act != actDetector || m.detectors[e.n].kind.group() == groupPersonal || !standsApart(s, &sc.spans[n-1])) {
		sc.unsettled = true
	}
	return next
}

// standsApart reports whether blanks, quotes or nothing stand around a span.
func standsApart(s string, sp *span) bool {
	const quotes = "\"'`"
	return (sp.start == 0 || isSpace(s[sp.start-1]) || strings.IndexByte(quotes, s[sp.start-1]) >= 0) &&
		(sp.end == len(s) || isSpace(s[sp.end]) || strings.IndexByte(quotes, s[sp.end]) >= 0)
}

func (sc *scanner) detect(s string, at, end int, n int32) int {
	start, stop, ok := sc.m.detectors[n].match(s, at, end)
	sc.spend(max(0, stop-at))
	if !ok || start < 0 || stop > len(s) || start >= stop {
		return 0
	}
	return sc.take(s, start, stop, sc.m.detectors[n].kind)
}

// wholeBlock extends a span that swallows the first line of a private key's block, as
// the value of a header does that goes to the end of its line, to the end of the block.
func wholeBlock(s string, start, stop int) int {
	if !strings.Contains(s[start:stop], pemBegin) { // much faster than to look for the last one
		return stop
	}
	at := strings.LastIndex(s[start:stop], pemBegin)
	_, end, _ := pemAt(s, start+at)
	return max(stop, end)
}

// knownHit compares a known value, which keeps its case.
func (sc *scanner) knownHit(s string, at, n int) int {
	v := sc.m.known[n]
	if !strings.HasPrefix(s[at:], v) {
		return 0
	}
	return sc.take(s, at, at+len(v), idKnown)
}

// take appends a span unless it is to be kept, and returns where to go on: its end, or
// 0 if it was not taken.
func (sc *scanner) take(s string, start, stop int, kind kindID) int {
	start = max(start, sc.settled)
	if start < stop {
		stop = wholeBlock(s, start, stop)
	}
	if start >= stop || isMark(s[start:stop]) || !sc.e.on.has(kind) {
		return 0
	}
	if sc.quick {
		sc.suspect = true
		return len(s)
	}
	sp := span{start: start, end: stop, kind: kind}
	if !sc.decide(&sp, s[start:stop]) {
		return 0
	}
	sc.spans = append(sc.spans, sp)
	sc.settled = stop
	return stop
}

// mark makes a span of the value of a name.
func (sc *scanner) takeNamed(s string, start, stop int, kind kindID) int {
	if special, ok := sc.formAt(s, start, stop); ok {
		kind = special
	}
	return sc.take(s, start, stop, kind)
}

// formAt says what kind of token the value [start,stop) is as a whole, for a better
// name of what was removed.
func (sc *scanner) formAt(s string, start, stop int) (kindID, bool) {
	if stop-start < 3 || sc.quick {
		return 0, false
	}
	m := sc.m
	head := fold8(word8(s, start))
	list := m.list(m.group(s, start), s, start)
	for k := range list {
		e := &list[k]
		if e.act != actDetector || !e.begins(s, start, head) {
			continue
		}
		if a, b, ok := m.detectors[e.n].match(s, start, start+len(e.lit)); ok && a <= start && b >= stop {
			return m.detectors[e.n].kind, true
		}
	}
	return 0, false
}
