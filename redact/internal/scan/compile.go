// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/anchors"
	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/names"
	"github.com/toolscope/toolscope/redact/internal/operands"
	"github.com/toolscope/toolscope/redact/internal/personal"
	"github.com/toolscope/toolscope/redact/internal/rules"
)

// A machine finds what may be secrets or personal data. It is immutable.
type machine struct {
	anchors.Automaton
	detectors []kinds.Detector
	known     []string
	optional  bool // kinds of numbers that are off by default are on
}

// AllDetectors are the detectors of all kinds, in the order of precedence.
var AllDetectors = sync.OnceValue(func() []kinds.Detector {
	return slices.Concat(rules.Detectors(), operands.Detectors, personal.Detectors)
})

// An anchorList collects what a machine looks for.
type anchorList []anchors.Anchor

// addAnchor is not copied into its many callers, so that programs stay small.
//
//go:noinline
func (l *anchorList) addAnchor(lit string, act anchors.Act, n int, within bool) {
	*l = append(*l, anchors.Anchor{Lit: lit, Act: act, N: int32(n), Within: within})
}

// maxCapitals is the longest word of another script that is looked for in capitals, in bytes.
const maxCapitals = 14

// addNames adds the words of names of secrets, and of labels of personal data if these are looked for.
func (l *anchorList) addNames(withPersonal bool) {
	for _, w := range names.Anchors {
		l.addAnchor(w, anchors.ActName, 0, true)
	}
	for w := range names.Vendors {
		l.addAnchor(w, anchors.ActName, 0, true)
	}
	if withPersonal {
		for n, persons := range [...]bool{false, true} {
			for _, w := range names.PersonalAnchors(persons) {
				l.addAnchor(w, anchors.ActLabel, n, len(w) > 4)
			}
		}
	}
	for i, w := range names.ForeignNames {
		l.addForeign(i, w)
	}
}

// addForeign adds name i of another script: as it is, as one word, with a capital, and in capitals if it is an abbreviation.
func (l *anchorList) addForeign(i int, name string) {
	l.addAnchor(name, anchors.ActForeign, i, true)
	if joined := strings.ReplaceAll(name, " ", "_"); joined != name { // of a member or a column
		l.addAnchor(joined, anchors.ActForeign, i, true)
	}
	title := names.Title(name)
	if title == name {
		return
	}
	l.addAnchor(title, anchors.ActForeign, i, true)
	if upper := chars.FoldString(strings.ToUpper(name)); len(name) <= maxCapitals && upper != title {
		l.addAnchor(upper, anchors.ActForeign, i, true)
	}
}

// compile makes the machine for the kinds that are on, and for the values, patterns and names of e.
func compile(e *Engine) *machine {
	on, known := &e.On, e.Known
	m := &machine{known: known, optional: on.Has(personal.KindIPv4) || on.Any(&personal.NationalKinds)}
	var list anchorList
	for _, d := range AllDetectors() {
		if !on.Has(d.Kind) {
			continue
		}
		m.detectors = append(m.detectors, d)
		for _, a := range d.Anchors {
			list.addAnchor(strings.ToLower(a), anchors.ActDetector, len(m.detectors)-1, d.Within || !chars.IsAlnum(a[0]))
		}
	}
	for i, p := range e.Patterns {
		list.addAnchor(p.Literal, anchors.ActPattern, i, true)
	}
	for _, name := range e.NameAnchors {
		list.addAnchor(name, anchors.ActName, 0, true)
	}
	for i, v := range known {
		list.addAnchor(chars.FoldString(v), anchors.ActKnown, i, true)
	}
	list.addNames(on.Any(&names.PersonalKinds))
	for _, w := range manifests {
		list.addAnchor(w, anchors.ActManifest, 0, true)
	}
	for i, p := range operands.Programs {
		list.addAnchor(p.Name, anchors.ActCommand, i, false)
	}
	for _, w := range operands.Schemes {
		list.addAnchor(w, anchors.ActScheme, 0, false)
	}
	list.addAnchor("://", anchors.ActURL, 0, true)
	m.Automaton = *anchors.NewAutomaton(list, &anchors.Runs{Dotted: on.Has(personal.KindIPv4), Short: m.optional,
		Words: personal.IBANCountries})
	return m
}

// machineFor is compile, with the machines without known values kept: there are few
// sets of kinds in a process.
func machineFor(e *Engine) *machine {
	on := &e.On
	if len(e.Known) > 0 {
		return compile(e)
	}
	if m, ok := machines.Load(*on); ok {
		return m.(*machine)
	}
	m := compile(e)
	if machineCount.Add(1) <= 64 {
		machines.Store(*on, m)
	}
	return m
}

var (
	machines     sync.Map // Set to *machine
	machineCount atomic.Int32
)

// Compile makes the machine for the kinds that are on and for known values.
func (e *Engine) Compile() {
	if len(e.Patterns) > 0 || len(e.Names) > 0 {
		e.Machine = compile(e)
		return
	}
	e.Machine = machineFor(e)
}
