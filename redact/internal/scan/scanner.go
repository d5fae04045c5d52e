// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"github.com/toolscope/toolscope/redact/internal/anchors"
	"github.com/toolscope/toolscope/redact/internal/names"
)

// A Reason says why a value was removed.
type Reason struct {
	Trigger string // the name, the issuer's prefix, or the kind of form
	Score   int
}

// because notes what triggers the look at what follows, for [Engine.Explain].
func (sc *Scanner) because(trigger string, score int) {
	if sc.e.Explain {
		sc.reason = Reason{trigger, score}
	}
}

// knownPath is a path and what it was made of.
type knownPath struct {
	engine *Engine
	raw    []byte // as appendPlace tells it
	path   string
}

// A Scanner is the working memory of one redaction.
type Scanner struct {
	e      *Engine
	m      *machine
	Spans  []span
	buf    []byte  // decoded strings, one behind the other
	frames []frame // open objects and arrays of all JSON texts being walked
	work   int     // what is left to spend; see spend
	budget budget
	Steps  int // what was done so far; see count

	// quick makes the scan stop at anything that wants a closer look, which it
	// tells by suspect.
	quick   bool
	suspect bool

	leads     uint8 // those that the text being scanned may have
	Unsettled bool  // what was removed may show something new; see run

	// The path of the value being looked at, if it was made; see place.
	lastPlace string
	placed    bool
	places    int
	raw       []byte       // of the path looked for
	paths     [4]knownPath // the last ones made

	progress
	program int    // whose arguments are decided before read
	reason  Reason // why a value may be removed; only for Explain
	key     names.Verdict
	words   *names.Classifier
	names   *knownNames
}

// errSpent is the panic of a scan that costs more than its share, which input made to
// be costly does. The door that called turns it into a mark for the whole.
type errSpent struct{}

// spend takes n steps of work. What follows values beyond the text's own length counts,
// so that the whole is linear.
func (sc *Scanner) spend(n int) {
	sc.Steps += n
	sc.pay(n)
}

// costs are about how many nanoseconds an anchor takes, by its act.
var costs = [...]int{anchors.ActDetector: 100, anchors.ActName: 50, anchors.ActURL: 300, anchors.ActScheme: 60,
	anchors.ActCommand: 400, anchors.ActKnown: 10, anchors.ActPattern: 30, anchors.ActManifest: 600,
	anchors.ActLabel: 60, anchors.ActForeign: 800}

// costOfByte is the same for a byte of a value.
const costOfByte = 4

// pay is spend without steps, for what takes time whatever it finds.
func (sc *Scanner) pay(n int) {
	if sc.work -= n; sc.work < 0 {
		sc.exhausted()
	}
}

// Count adds steps that every text costs: its bytes, each time it is read or decoded, and
// the anchors that are compared. Tests see by it that work is linear.
func (sc *Scanner) Count(n int) { sc.Steps += n }

// A tableState is what one scan knows of the tables in its text.
type tableState struct {
	lines int // lines that begin before have been read
	title int // names that begin before are titles of columns
	rows  int // what begins before is in a table
	plain int // what begins before is no column of an INSERT

	stated   int // parameters before belong to a statement that has been read
	verbless int // no statement begins before
}

// A frame is an open object or array.
type frame struct {
	src              string // the text it is in
	object           bool
	keyStart, keyEnd int           // of the member being walked, in src
	index            int           // of the item being walked
	kept             int           // members or items so far that were not dropped
	inherit          names.Verdict // what the name above says
	inherits         bool          // of all that is below, see [names.Verdict.Inherits]
	pair             names.Verdict // what {"name": …} says of {"value": …}
	arg              names.Verdict // what the option before says of this item
	named            bool          // the item before is the name of a secret
	program          int32         // 1 + the command whose arguments these are
	expect           argument1
	grid             grid
}
