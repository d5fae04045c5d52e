// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/internal/recognise"
	"github.com/toolscope/toolscope/redact/internal/chance"
	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/values"
)

// kindRandom is off by default: ids of every kind look like it.
var kindRandom = kinds.New("random-string", kinds.GroupEntropy,
	"a string of 20 bytes or more that looks drawn by chance, with nothing beside it that tells", false)

// bareRandom removes the run [start,end) of letters, digits and the rest of base64's
// alphabets if it looks drawn by chance. UUIDs and digests stay: they name things, and are
// everywhere.
func (sc *Scanner) bareRandom(s string, start, end int) {
	v := s[start:end]
	if !sc.e.On.Has(kindRandom) || chars.IsHex(v) || recognise.UUID(v) || values.IsPath(v) || !chars.HasDigit(v) ||
		chance.Patterned(v) || !chance.Random(v) {
		return
	}
	if sc.quick {
		sc.suspect = true
		return
	}
	settled := sc.settled
	sc.settled = 0
	sc.takeSpan(s, start, end, kindRandom)
	sc.settled = settled
}
