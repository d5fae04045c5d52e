// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/values"
)

// manifests are how a Kubernetes Secret says what it is in YAML.
var manifests = []string{"kind: secret", `kind: "secret"`, "kind: 'secret'"}

// maxManifest is how far from the kind the data of a Secret is looked for, in bytes.
const maxManifest = 64 << 10

// manifestHit removes the values below "data:" and "stringData:" of the YAML document
// whose kind ends at end.
func (sc *Scanner) manifestHit(s string, end int) int {
	if end < len(s) && chars.IsAlnum(s[end]) {
		return 0
	}
	if sc.quick {
		sc.suspect = true
		return len(s)
	}
	if end < sc.manifest {
		return 0 // of a document that was read
	}
	from, to := max(sc.manifest, end-maxManifest), min(len(s), end+maxManifest)
	if i := strings.LastIndex(s[from:end], "\n---"); i >= 0 {
		from += i + 1
	}
	if i := strings.Index(s[end:to], "\n---"); i >= 0 {
		to = end + i
	} else if i := chars.LastByte(s[end:to], '\n'); i >= 0 && to < len(s) {
		to = end + i // whole lines
	}
	sc.manifest = to
	sc.spend(to - from)
	sc.pay(costOfByte * (to - from))
	settled := sc.settled
	indent, data := -1, 0 // of "data:", and where its line begins
	for at := from; at < to; {
		sc.budget.at = at
		stop := to
		if i := strings.IndexByte(s[at:to], '\n'); i >= 0 {
			stop = at + i
		}
		first := at
		first = chars.Skip(s[:stop], first, chars.Blank|chars.Tab)
		name, _, ok := strings.Cut(s[first:stop], ":")
		switch {
		case first == stop, strings.HasPrefix(s[first:stop], "{{"):
		case indent >= 0 && first-at > indent:
			sc.settled = 0
			if ok {
				sc.manifestValue(s, first+len(name)+1, stop)
			} else { // a line of a block
				sc.manifestValue(s, first, stop)
			}
		case name == "data" || name == "stringData":
			indent, data = first-at, at
		default:
			indent = -1
		}
		at = stop + 1
	}
	if indent >= 0 && to < len(s) { // what is cut is read on from there
		sc.manifest = data
	}
	sc.settled = settled
	return 0
}

// manifestValue removes the value on a line.
func (sc *Scanner) manifestValue(s string, start, stop int) {
	start = chars.SkipAny(s[:stop], start, " \t\"'")
	stop = chars.SkipBackAny(s, start, stop, " \t\r\"'")
	if v := s[start:stop]; len(v) >= 4 && !values.IsReference(v) && !strings.HasPrefix(v, "{{") && chars.HasAlnum(v) {
		sc.takeNamed(s, start, stop, kinds.Secret)
	}
}
