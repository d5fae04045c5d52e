// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// A machine finds what may be secrets or personal data. It is immutable.
type machine struct {
	*automaton
	detectors []detector
	known     []string
	optional  bool // kinds of numbers that are off by default are on
}

// allDetectors are the detectors of all kinds, in the order of precedence.
var allDetectors = sync.OnceValue(func() []detector {
	return slices.Concat(tokenDetectors(), handedDetectors, personalDetectors)
})

// compile makes the machine for the kinds that are on and for known values.
func compile(on *kindSet, known []string) *machine {
	m := &machine{known: known, optional: on.has(kindIPv4) || on.any(&nationalKinds)}
	var list []anchor
	add := func(lit string, act act, n int, within bool) {
		list = append(list, anchor{lit: lit, act: act, n: int32(n), within: within})
	}
	for _, d := range allDetectors() {
		if !on.has(d.kind) {
			continue
		}
		m.detectors = append(m.detectors, d)
		for _, a := range d.anchors {
			add(strings.ToLower(a), actDetector, len(m.detectors)-1, d.within || !isAlnum(a[0]))
		}
	}
	for i, v := range known {
		add(fold(v), actKnown, i, true)
	}
	for _, w := range nameAnchors {
		add(w, actName, 0, true)
	}
	for w := range vendors {
		add(w, actName, 0, true)
	}
	for _, w := range manifests {
		add(w, actManifest, 0, true)
	}
	for i, p := range programs {
		add(p.name, actCommand, i, false)
	}
	for _, w := range schemes {
		add(w, actScheme, 0, false)
	}
	add("://", actURL, 0, true)
	m.automaton = newAutomaton(list, &runs{dotted: on.has(kindIPv4), short: m.optional, words: ibanCountries})
	return m
}

// machineFor is compile, with the machines without known values kept: there are few
// sets of kinds in a process.
func machineFor(on *kindSet, known []string) *machine {
	if len(known) > 0 {
		return compile(on, known)
	}
	if m, ok := machines.Load(*on); ok {
		return m.(*machine)
	}
	m := compile(on, nil)
	if machineCount.Add(1) <= 64 {
		machines.Store(*on, m)
	}
	return m
}

var (
	machines     sync.Map // kindSet to *machine
	machineCount atomic.Int32
)
