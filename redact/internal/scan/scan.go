// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"math/bits"
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/anchors"
	"github.com/toolscope/toolscope/redact/internal/codec"
	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/rules"
)

// The same for a name that tells, for the value beside it, and for a value that is removed.
const (
	costOfName  = 420
	costOfValue = 440
	costOfAfar  = 2000
	costOfNear  = 4 // a byte around a name
	costOfSpan  = 200
)

// What ordinary texts have seldom costs more than its time, so that a text full of it is given up early.
const (
	costOfAgain   = 1500 // a value within another one
	costOfCrowd   = 1200 // a value that begins crowded bytes or fewer behind one that is removed
	costOfItem    = 1200 // a name in a list, or with a remark behind it
	costOfChain   = 2000 // a call behind the name of a field
	costOfElement = 500  // a name that ends a tag
	costOfParam   = 1500 // a name whose value is a parameter
	costOfTable   = 4000 // a header row
	costOfCell    = 450  // a cell below a title that tells
	costOfInside  = 1000 // a name in a row of a table
	costOfMember  = 1500 // a member of JSON whose name tells
	costOfOpening = 1500 // what is packed
	costOfGzip    = 12_000
	costOfNesting = 40 // a byte of JSON within JSON several times

	crowded = 16
)

// scanText finds the spans of plain text and appends them, in order and without
// overlaps. It leaves in sc.key what the text says as a name, if asName.
func (sc *Scanner) scanText(s string, depth int) {
	if len(s) < 3 {
		return
	}
	sc.Count(len(s))
	sc.pay(len(s)/4 + 20)
	base := len(sc.Spans)
	outer := sc.progress
	sc.progress = progress{}
	if sc.leads != 0 && 2*len(s) > sc.budget.size && 2*sc.budget.far < len(s) {
		sc.budget.slow = sc.readings(s)
	}
	sc.anchors(s)
	sc.budget.slow = 1
	sc.budget.reached(len(s))
	if !(sc.quick && sc.suspect) {
		sc.views(s, depth)
	}
	sc.progress = outer
	sc.normalise(base)
}

// anchors is the first stage: it finds what may begin here and asks, from the left to the
// right.
func (sc *Scanner) anchors(s string) {
	f := &sc.m.Filter
	from, more := 0, 0 // nothing before from; a place to look at whatever stands before it
	set := uint64(0)   // of places from i-reach on
	for i := 0; ; i += 8 {
		if set == 0 && more >= len(s) {
			if i, set = f.Next(s, i); set == 0 {
				return
			}
		} else {
			if more < i+2 {
				set |= 1 << (more - i + anchors.Reach)
				more = len(s)
			}
			set |= f.Places(s, i)
		}
		for ; set&0xff != 0; set &= set - 1 {
			at := i - anchors.Reach + bits.TrailingZeros64(set)
			if at < from || at+2 >= len(s) {
				continue
			}
			sc.budget.at = at
			next := sc.hit(s, at)
			if sc.quick && sc.suspect {
				return
			}
			if next > at+1 { // what was found behind is found again
				i, from, more, set = next-1-8, next, next, 0
				break
			}
			place, beyond := sc.restOfRun(s, at, i, more)
			set, more = set|place, beyond
		}
		set >>= 8
	}
}

// restOfRun is where a run of digits that begins at or before at, too long for one look, goes on: a place
// of the set at i, or else the position to return instead of more.
func (sc *Scanner) restOfRun(s string, at, i, more int) (place uint64, beyond int) {
	if sc.counted <= at || sc.counted >= len(s) || !chars.IsDigit(s[sc.counted]) {
		return 0, more
	}
	if k := sc.counted - i + anchors.Reach; k < 64 {
		return 1 << k, more
	}
	return 0, sc.counted
}

// hit asks what may begin at i, and returns where to go on.
func (sc *Scanner) hit(s string, i int) int {
	m := sc.m
	g := m.Group(s, i)
	sc.Count(1)
	if !g.Within && i > 0 && chars.IsAlnum(s[i-1]) {
		return i + 1
	}
	if list := m.List(g, s, i); len(list) > 0 {
		head := chars.Fold8(chars.Word8(s, i))
		for k := range list {
			if e := &list[k]; e.MayBegin(head) && e.Begins(s, i, head) {
				if next := sc.anchor(s, i, e); next > i {
					return next
				}
			}
		}
	}
	if g.Shapes == 0 {
		return i + 1
	}
	sc.because("", 0)
	found := len(sc.Spans)
	next := 0
	if g.Shapes&anchors.ShapeDigits != 0 {
		next = sc.digits(s, i)
	}
	if next <= i && g.Shapes&anchors.ShapeWord != 0 {
		next = sc.word(s, i)
	}
	if n := len(sc.Spans); n > found && !sc.isWhole(s, &sc.Spans[n-1]) {
		sc.Unsettled = true
	}
	return max(next, i+1)
}

// anchor asks what the anchor e at i is for, and returns where to go on, or 0.
func (sc *Scanner) anchor(s string, i int, e *anchors.Entry) (next int) {
	m := sc.m
	sc.Count(1)
	sc.pay(costs[e.Act])
	end := i + len(e.Lit)
	found := len(sc.Spans)
	switch e.Act {
	case anchors.ActDetector:
		next = sc.detect(s, i, end, e.N)
	case anchors.ActName:
		next = sc.nameHit(s, i, end)
	case anchors.ActURL:
		next = sc.urlHit(s, i)
	case anchors.ActScheme:
		next = sc.schemeHit(s, i, end)
	case anchors.ActCommand:
		next = sc.commandHit(s, i, end, int(e.N))
	case anchors.ActManifest:
		next = sc.manifestHit(s, end)
	case anchors.ActLabel:
		next = sc.labelHit(s, i, end, e.N > 0)
	case anchors.ActPattern:
		next = sc.patternHit(s, i, end, int(e.N))
	case anchors.ActForeign:
		next = sc.foreignHit(s, i, end, int(e.N))
	case anchors.ActKnown:
		next = sc.knownHit(s, i, int(e.N))
	}
	if n := len(sc.Spans); n > found && !sc.isWhole(s, &sc.Spans[n-1]) && (e.Act != anchors.ActDetector ||
		m.detectors[e.N].Kind.Group() == kinds.GroupPersonal || !standsApart(s, &sc.Spans[n-1])) {
		sc.Unsettled = true
	}
	return next
}

// isWhole reports whether a span is all of the value of a JSON member.
func (sc *Scanner) isWhole(s string, sp *span) bool {
	return len(sc.frames) > 0 && sp.start == 0 && sp.end == len(s)
}

// standsApart reports whether blanks, quotes or nothing stand around a span.
func standsApart(s string, sp *span) bool {
	const quotes = "\"'`"
	return (sp.start == 0 || chars.IsSpace(s[sp.start-1]) || strings.IndexByte(quotes, s[sp.start-1]) >= 0) &&
		(sp.end == len(s) || chars.IsSpace(s[sp.end]) || strings.IndexByte(quotes, s[sp.end]) >= 0)
}

func (sc *Scanner) detect(s string, at, end int, n int32) int {
	if sc.m.detectors[n].Kind == kinds.PrivateKey {
		sc.pay(600 + min(len(s)-at, rules.MaxPEM)*3/8)
	}
	start, stop, ok := sc.m.detectors[n].Match(s, at, end)
	sc.spend(max(0, stop-at))
	if !ok && sc.forms.tooMany(at, stop) {
		return sc.takeSpan(s, at, stop, kinds.Unscanned)
	}
	if !ok || start < 0 || stop > len(s) || start >= stop ||
		start < sc.settled && sc.m.detectors[n].Kind.Group() == kinds.GroupPersonal {
		return 0
	}
	kind := sc.m.detectors[n].Kind
	if kind.Group() == kinds.GroupToken && kind != kinds.PrivateKey && codec.InBlock(s, start, stop) {
		return 0
	}
	sc.because("", 0)
	return sc.takeSpan(s, start, stop, kind)
}

// wholeBlock extends a span that swallows the first line of a private key's block, as
// the value of a header does that goes to the end of its line, to the end of the block.
func wholeBlock(s string, start, stop int) int {
	if !strings.Contains(s[start:stop], rules.PemBegin) { // much faster than to look for the last one
		return stop
	}
	at := strings.LastIndex(s[start:stop], rules.PemBegin)
	_, end, _ := rules.PemAt(s, start+at)
	return max(stop, end)
}

// knownHit compares a known value, which keeps its case.
func (sc *Scanner) knownHit(s string, at, n int) int {
	v := sc.m.known[n]
	if !strings.HasPrefix(s[at:], v) {
		return 0
	}
	return sc.takeSpan(s, at, at+len(v), kinds.Known)
}
