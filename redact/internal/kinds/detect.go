// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package kinds

// A Detector knows one family of secrets, or of personal data, by their form. The
// engine folds the text to lower case while it looks for anchors, so anchors are
// lower case, 1 to 24 bytes of ASCII, and hits are in any case: match compares case
// where it matters.
//
// match gets the whole text and the hit [at,end) of one anchor. It looks at the
// neighbourhood (at most 4 KiB either side; a PEM block may be longer, and is
// followed once), never allocates and never panics on any bytes. It returns
// the span to remove, in s, with start <= stop; the span need not hold the anchor. It
// checks the boundaries itself: what stands before at and after stop. If it is not ok,
// stop tells how far it looked where that may be far. A longer or
// earlier span of another detector may win; equal spans go to the detector that was
// listed first.
//
// Anchors of one or two bytes, and of three that are frequent in prose, cost every
// text time: prefer "ghp_" to "gh". Digits in anchors are compared like letters, and
// '_' is not '-'.
type Detector struct {
	Kind    ID       // several detectors may share one
	Anchors []string // see above
	Match   func(s string, at, end int) (start, stop int, ok bool)
	Within  bool // an anchor that begins with a letter or digit may follow one
}

// The groups of kinds.
const (
	GroupKey      = "key"      // found by the name beside the value
	GroupToken    = "token"    // found by an issuer's form
	GroupURL      = "url"      // credentials in URLs and connection strings
	groupCommand  = "command"  // arguments of command lines
	GroupPersonal = "personal" // personal data
	GroupEntropy  = "entropy"  // found by randomness
	groupKnown    = "known"    // given by the host
	groupEngine   = "engine"   // what could not be looked at
)

// Besides anchors there are two triggers for forms that have no literal part.
//
// Digit runs: the engine calls
//
//	MatchDigits(s, start, end, enabled) (from, to int, kind ID, ok bool)
//
// for each run that begins with a digit, or with '+' or '(' directly before one, and
// ends behind a digit, with at most two of " -./()" between digits (of which one is
// no bracket at most), 7 digits or more in all, and not more than 96 bytes: of a
// longer run its head, cut at a separator, then the rest. The run is maximal, but the
// bytes around it may be anything, letters included: check s[start-1] and s[end]. If
// ok, the engine asks again for [to,end); if not, the whole run is passed over, so
// the function itself looks for several numbers within the run. Payment cards, phone
// numbers, social security numbers come this way. While kinds are on that are off by
// default, IPv4 addresses and national ids are looked for in shorter runs as well.
//
// Word runs: the engine calls
//
//	MatchWord(s, start, end, enabled) (from, to int, kind ID, ok bool)
//
// for the maximal run of ASCII letters and digits [start,end) if it
//   - begins with two letters and a digit (IBAN), or
//   - is two hexadecimal digits and followed by ':' or '-' and a hexadecimal digit, the
//     byte before being no ':' or '-' (MAC), or
//   - begins with a digit and is 25 to 128 bytes long (base58 addresses).
//
// The result may reach beyond [start,end): groups of an IBAN, the rest of an address.
// "0x", "bc1" and the like are better served by anchors, as is "@" by e-mail.
//
// Kinds that are found through these two are made with New, in package-level
// variables:
//
//	var kindCard = New("payment-card", GroupPersonal, "a payment card number with issuer and check digit", true)
//
// and what is not enabled must not be returned: enabled.has(kindCard).

// An ID is the number of a kind in the registry.
type ID uint16

// A Set is a set of kinds.
type Set [maxKinds / 64]uint64

// maxKinds is how many kinds there may be.
const maxKinds = 1024

// Has reports whether id is in the set.
func (k *Set) Has(id ID) bool { return k[id/64%(maxKinds/64)]&(1<<(id%64)) != 0 }

// Any reports whether some kind is in both sets.
func (k *Set) Any(of *Set) bool {
	for i := range k {
		if k[i]&of[i] != 0 {
			return true
		}
	}
	return false
}

// Add puts id into the set.
func (k *Set) Add(id ID) { k[id/64%(maxKinds/64)] |= 1 << (id % 64) }

// Remove takes id out of the set.
func (k *Set) Remove(id ID) { k[id/64%(maxKinds/64)] &^= 1 << (id % 64) }
