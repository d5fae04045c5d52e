// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

// A filter finds where anchors may begin, eight places at a time, without looking at any:
// of each anchor it looks for the three bytes in a row that are rarest in texts.
//
// Three bytes are three classes. Of four bytes in a row two such trigrams share the two in
// the middle, so one word for each pair of classes tells of both: its lower half which
// class before makes a trigram of the filter, its upper half which class behind.
type filter struct {
	pairs [classes * classes]uint64
	// begins tells where the anchors begin, seen from each trigram: bit 6 where it begins
	// itself, bit 7 one byte behind, bit 0 six bytes before.
	begins [trigrams]uint8
}

// addShapes makes it find what has no anchor (see [detector]). A run of digits is found where
// it begins; [scanner.anchors] knows of those that go on where one was left.
func (f *filter) addShapes(shapes *[trigrams]uint8) {
	for t, shape := range shapes {
		a, b, c := t/(classes*classes), t/classes%classes, t%classes
		switch {
		case shape == 0:
		case a == classDigit && b != classDot: // with the byte before
			for before := range classes {
				if before != classDigit && (b == classDigit || !isAlnumClass(before)) {
					f.add((before*classes+a)*classes+b, -1)
				}
			}
		case c == classJoin || c == classDot: // MAC, with the byte behind
			for _, behind := range hexClasses {
				f.add((b*classes+c)*classes+behind, 1)
			}
		default:
			f.add(t, 0)
		}
	}
}

func isAlnumClass(c int) bool { return c > 0 && c <= classDigit }

// hexClasses are the classes of hexadecimal digits.
var hexClasses = [...]int{1, 2, 3, 4, 5, 6, classDigit}

// reach is how far before its trigram an anchor may begin, in bytes.
const reach = 6

// add makes the filter find what begins offset bytes before the trigram t.
func (f *filter) add(t, offset int) {
	f.begins[t] |= 1 << (reach - offset)
	a, b, c := t/(classes*classes), t/classes%classes, t%classes
	f.pairs[b*classes+c] |= 1 << a
	f.pairs[a*classes+b] |= 1 << (classes + c)
}

// addAnchor makes it find a folded literal. apart tells that it may not follow a letter or
// a digit.
func (f *filter) addAnchor(lit string, apart bool) {
	if len(lit) == 2 && apart { // with the byte before, which is none of these
		for c := range classes {
			if !isAlnumClass(c) {
				f.add((c*classes+int(classOf[lit[0]]))*classes+int(classOf[lit[1]]), -1)
			}
		}
		return
	}
	best := 0
	for offset := 1; offset <= min(reach, len(lit)-3); offset++ {
		if frequency(lit[offset:]) < frequency(lit[best:]) {
			best = offset
		}
	}
	for _, t := range trigramsOf(lit[best:]) {
		f.add(t, best)
	}
}

// frequencies are twice the binary logarithms of how many bytes in a thousand are of each
// class, in hexadecimal digits.
const frequencies = "fc7aad88ac25a9cc90bbc967470b6a05"

// frequency is how frequent the three bytes at the head of a folded literal are, as a
// logarithm.
func frequency(lit string) int {
	n := 0
	for i := range min(len(lit), 3) {
		n += level16(frequencies[classOf[lit[i]]])
		switch {
		case i == 0:
		case isLetter(lit[i-1]) && isLetter(lit[i]):
			n += (level16(bigrams[int(lit[i-1]-'a')*26+int(lit[i]-'a')]) - 10) * 4 / 3
		case isDigit(lit[i-1]) && isDigit(lit[i]):
			n += 6 // digits come together
		}
	}
	return n
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
// bytes, or until less than ten are left.
func (f *filter) skip(s string, i int) int {
	if i+10 > len(s) {
		return i
	}
	a, b := classOf[s[i]], behindOf[s[i+1]]
	for ; i+10 <= len(s); i += 8 {
		next := s[i+2 : i+10]
		c, d := classOf[next[0]], behindOf[next[1]]
		q := f.pairs[(uint(b)<<5|uint(c))%uint(len(f.pairs))]
		x := q>>(a&63) | q>>(d&63)
		a, b = classOf[next[2]], behindOf[next[3]]
		q = f.pairs[(uint(d)<<5|uint(a))%uint(len(f.pairs))]
		x |= q>>(c&63) | q>>(b&63)
		c, d = classOf[next[4]], behindOf[next[5]]
		q = f.pairs[(uint(b)<<5|uint(c))%uint(len(f.pairs))]
		x |= q>>(a&63) | q>>(d&63)
		a, b = classOf[next[6]], behindOf[next[7]]
		q = f.pairs[(uint(d)<<5|uint(a))%uint(len(f.pairs))]
		x |= q>>(c&63) | q>>(b&63)
		if x&1 != 0 {
			break
		}
	}
	return i
}

// places tells where anchors may begin that have their trigram in the first eight places
// of s from i on: bit k is the place i-reach+k.
func (f *filter) places(s string, i int) (set uint64) {
	if i+2 >= len(s) {
		return 0
	}
	t := classIndex(s[i])<<5 | classIndex(s[i+1])
	for k, c := range []byte(s[i+2 : min(i+10, len(s))]) {
		t = (t<<5 | classIndex(c)) % trigrams
		if begins := f.begins[t]; begins != 0 {
			set |= uint64(begins) << k
		}
	}
	return set
}
