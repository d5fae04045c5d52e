// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

// A text may spend its share for each byte. It gets that byte by byte: for what has been scanned, and for what lies
// ahead up to a limit. So a text that costs more than its share throughout is given up at its beginning, and one
// with a costly part is scanned whole.
type budget struct {
	share, size int  // for each byte, and how many there are
	given       int  // of the share, without atLeast
	slow        int  // only one in so many of the bytes scanned gives its share yet
	origin      int  // where the text being scanned begins in the whole one, or before
	at          int  // in the text being scanned
	far         int  // bytes of the whole text that have been scanned at least
	many        int  // how often payMany was called
	name        int  // where the last name that tells begins in the whole text, or before
	room        int  // bytes before it that no name has used; see nameAt
	views       int  // how many encodings are open, those of JSON strings aside
	sparse      bool // that name and those before have apart bytes each
}

// atLeast is what a text of any size may spend.
const atLeast = 1 << 16

// ahead is for how many bytes ahead of those scanned a text of size bytes gets its share.
func (b *budget) ahead() int { return 4<<10 + b.size/64 }

// free is how often payMany costs nothing.
const free = 1 << 9

// payMany pays for what texts that are not made to be costly have often, but not more often than that.
func (sc *Scanner) payMany(n int) {
	if sc.budget.many++; sc.budget.many > free {
		sc.pay(n)
	}
}

// apart is how many bytes ordinary texts have for each name that tells, and burst how many names may stand
// closer to each other in between.
const (
	apart = 20
	burst = 6
)

// nameAt notes that a name that tells begins at i of the text being scanned.
func (b *budget) nameAt(i int) {
	b.room = min(b.room+max(0, b.origin+i-b.name), burst*apart)
	b.name = b.origin + i
	b.room = max(b.room-apart, -burst*apart)
	b.sparse = b.room >= 0 && b.views == 0 && b.slow <= 2
}

// payDense pays n for what is behind the last name, or a part of it where names are as far apart as in ordinary texts.
func (sc *Scanner) payDense(n int) {
	if sc.budget.sparse {
		n /= 4
	}
	sc.pay(n)
}

// start gives what a text of size bytes may spend at its beginning.
func (sc *Scanner) start(share, size int) {
	sc.budget = budget{share: share, size: size, slow: 1}
	sc.budget.given = share * min(size, sc.budget.ahead())
	sc.work = atLeast + sc.budget.given
}

// exhausted gives what has become due since it was last asked. If that is too little, the scan ends.
func (sc *Scanner) exhausted() {
	sc.due(max(sc.budget.far, sc.budget.origin+sc.budget.at))
	if sc.work >= 0 {
		return
	}
	if !sc.quick {
		panic(errSpent{})
	}
	sc.suspect = true
}

// due gives what is due where the whole text has been scanned up to p.
func (sc *Scanner) due(p int) {
	b := &sc.budget
	if n := b.share * min(b.size, p/b.slow+b.ahead()); n > b.given {
		sc.work += n - b.given
		b.given = n
	}
}

// reached notes that the text being scanned was scanned up to i.
func (b *budget) reached(i int) { b.far = max(b.far, min(b.size, b.origin+i)) }

// A held is a part of what is left to spend that is given while a text is gone over again.
type held struct{ all, given int }

// hold holds back what is left to spend, but for some.
func (sc *Scanner) hold() (h held) {
	sc.due(sc.budget.far)
	if h.all = sc.work - sc.budget.share*sc.budget.ahead(); h.all < 0 {
		h.all = 0
	}
	sc.work -= h.all
	return h
}

// release gives what is due of h where the text, of size bytes, has been gone over up to p.
func (sc *Scanner) release(h *held, p, size int) {
	n := int(int64(h.all) * int64(p) / int64(size))
	sc.work, h.given = sc.work+n-h.given, n
}

// Left is what is left to spend behind the end. It is carried over to the next pass.
func (sc *Scanner) Left() int {
	sc.budget.slow = 1
	sc.due(sc.budget.size)
	return sc.work
}

// Carry sets what is left to spend.
func (sc *Scanner) Carry(n int) {
	sc.work, sc.budget.given = n, sc.budget.share*sc.budget.size
}
