// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package anchors

import (
	"math/bits"
	"unsafe"

	"github.com/toolscope/toolscope/internal/chars"
)

// A Filter finds where anchors may begin, eight places at a time, without looking at any:
// of each anchor it looks for the three bytes in a row that are rarest in texts, and then at
// the two bytes around them.
//
// Three bytes are three classes. Of four bytes in a row two such trigrams share the two in
// the middle, so one word for each pair of classes tells of both: its lower half which
// class before makes a trigram of the filter, its upper half which class behind.
type Filter struct {
	pairs      [classes * classes]uint64
	of         [trigrams]uint16 // those of t are neighbours[of[t]] and what follows, until one is the last
	neighbours []neighbours     // the first are none's
}

// neighbours are what stands around a trigram where anchors begin at one place.
type neighbours struct {
	before, behind uint32 // sets of classes
	number         bool   // nothing begins here that a short number is
	last           bool   // of its trigram
	// begins tells by a bit where the anchors begin, seen from the trigram: bit 6 where it begins
	// itself, bit 7 one byte behind, bit 0 six bytes before.
	begins uint8
}

// lay makes the filter find what is sought.
func (f *Filter) lay(sought *sought) {
	f.neighbours = make([]neighbours, 1)
	f.neighbours[0].last = true
	known := make(map[[Reach + 2]neighbours]uint16)
	for t := range sought.of {
		if sought.of[t] == 0 {
			continue
		}
		a, b, c := t/(classes*classes), t/classes%classes, t%classes
		f.pairs[b*classes+c] |= 1 << a
		f.pairs[a*classes+b] |= 1 << (classes + c)
		list, n := [Reach + 2]neighbours{}, 0
		for k := sought.of[t]; k != 0; k = sought.places[k].next {
			list[n] = sought.places[k].neighbours
			n++
		}
		list[n-1].last = true
		if _, ok := known[list]; !ok {
			known[list] = uint16(len(f.neighbours))
			f.neighbours = append(f.neighbours, list[:n]...)
		}
		f.of[t] = known[list]
	}
}

// classIndex is classOf as an index that is known to be one.
func classIndex(c byte) uint { return uint(classOf[c] & (classes - 1)) }

// trigramAt is the trigram that begins at i.
func trigramAt(s string, i int) uint {
	return classIndex(s[i])<<10 | classIndex(s[i+1])<<5 | classIndex(s[i+2])
}

// behindOf is classOf in the upper half of a word of [filter.pairs].
var behindOf = func() (t [256]uint8) {
	for c := range t {
		t[c] = classes + classOf[c]
	}
	return t
}()

// skip goes on from i by eights as long as no trigram of the filter begins in the next eight
// bytes, or until less than ten are left. Bit 7-k of match tells that one begins at i+k.
func (f *Filter) skip(s string, i int) (at int, match uint) {
	if i+10 > len(s) {
		return i, 0
	}
	a, b := classOf[s[i]], behindOf[s[i+1]]
	for ; i+10 <= len(s); i += 8 {
		next := s[i+2 : i+10]
		c, d := classOf[next[0]], behindOf[next[1]]
		q := f.pairs[(uint(b)<<5|uint(c))%uint(len(f.pairs))]
		x := q>>(a&63)&1<<1 + q>>(d&63)&1
		a, b = classOf[next[2]], behindOf[next[3]]
		q = f.pairs[(uint(d)<<5|uint(a))%uint(len(f.pairs))]
		x = x<<1 + q>>(c&63)&1
		x = x<<1 + q>>(b&63)&1
		c, d = classOf[next[4]], behindOf[next[5]]
		q = f.pairs[(uint(b)<<5|uint(c))%uint(len(f.pairs))]
		x = x<<1 + q>>(a&63)&1
		x = x<<1 + q>>(d&63)&1
		a, b = classOf[next[6]], behindOf[next[7]]
		q = f.pairs[(uint(d)<<5|uint(a))%uint(len(f.pairs))]
		x = x<<1 + q>>(c&63)&1
		x = x<<1 + q>>(b&63)&1
		if x != 0 {
			return i, uint(x)
		}
	}
	return i, 0
}

// Next goes on from i by eights to the next eight bytes in which a trigram is that has its
// neighbours, and tells where anchors may begin that have it, as places does. None if i+2 is
// at the end.
func (f *Filter) Next(s string, i int) (at int, set uint64) {
	for ; i+10 <= len(s); i += 8 {
		var match uint
		if i, match = f.skip(s, i); match == 0 {
			break
		}
		if set = f.begin(s, i, match); set != 0 {
			return i, set
		}
	}
	return i, f.Places(s, i)
}

// Places tells where anchors may begin that have their trigram in the first eight places
// of s from i on: bit k is the place i-reach+k.
func (f *Filter) Places(s string, i int) (set uint64) {
	if i+10 <= len(s) {
		_, match := f.skip(s[i:i+10], 0)
		return f.begin(s, i, match)
	}
	if i+2 >= len(s) {
		return 0
	}
	var tail [16]byte
	for k := range len(s) - i {
		tail[k] = s[i+k]
	}
	_, match := f.skip(unsafe.String(&tail[0], 10), 0)
	return f.begin(s, i, match&^(1<<(10-(len(s)-i))-1))
}

// begin tells where anchors may begin that have a trigram at one of the places i+k for which
// match has bit 7-k, if what stands around it is so.
func (f *Filter) begin(s string, i int, match uint) (set uint64) {
	if match == 0 {
		return 0
	}
	var edge [12]byte // 0 is what stands at the text's ends
	around := &edge   // from i-1 on
	if i > 0 && i+11 <= len(s) {
		around = (*[12]byte)(unsafe.Pointer(unsafe.StringData(s[i-1 : i+11])))
	} else {
		for k := max(0, i-1); k < min(len(s), i+11); k++ {
			edge[k-i+1] = s[k]
		}
	}
	for ; match != 0; match &= match - 1 {
		k := uint(7-bits.TrailingZeros(match)) & 7
		at := uint(f.of[classIndex(around[k+1])<<10|classIndex(around[k+2])<<5|classIndex(around[k+3])])
		before, behind := classIndex(around[k]), classIndex(around[k+4])
		for {
			n := &f.neighbours[at]
			if n.before>>before&(n.behind>>behind)&1 != 0 && !(n.number && shortNumber(s, i+int(k)+1)) {
				set |= uint64(n.begins) << k
			}
			if n.last {
				break
			}
			at++
		}
	}
	return set
}

// maxShort is how many digits are too few for any number that is sought.
const maxShort = 6

// shortNumber reports whether the digits around those at i, in groups with a separator between them, are too
// few: what stands on both sides of them begins no more of them, nor does it make a word of them.
func shortNumber(s string, i int) bool {
	const more = chars.Digit | chars.Separator
	n := 0
	for p := i; ; p++ {
		for p < len(s) && chars.Class[s[p]]&chars.Digit != 0 {
			p, n = p+1, n+1
		}
		if n > maxShort || p+1 >= len(s) || chars.Class[s[p]]&chars.Alnum != 0 {
			return false
		}
		if chars.Class[s[p]]&chars.Separator == 0 || chars.Class[s[p+1]]&more == 0 {
			break
		}
		if chars.Class[s[p+1]]&chars.Digit == 0 {
			return false
		}
	}
	for p := i; p >= 2 && chars.Class[s[p-1]]&chars.Separator != 0 && chars.Class[s[p-2]]&more != 0; {
		if chars.Class[s[p-2]]&chars.Digit == 0 {
			return false
		}
		for p--; p > 0 && chars.Class[s[p-1]]&chars.Digit != 0; p-- {
			if n++; n > maxShort {
				return false
			}
		}
	}
	return true
}
