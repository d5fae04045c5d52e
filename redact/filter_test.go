// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/redact/internal/anchors"
	"github.com/toolscope/toolscope/redact/internal/personal"
)

// placesIn are the places at which the filter says an anchor may begin.
func placesIn(f *anchors.Filter, s string) map[int]bool {
	found := make(map[int]bool)
	for i := 0; ; i += 8 {
		var set uint64
		if i, set = f.Next(s, i); set == 0 {
			return found
		}
		for ; set != 0; set &= set - 1 {
			found[i-anchors.Reach+bits.TrailingZeros64(set)] = true
		}
	}
}

// TestFilterFindsEveryAnchor writes each anchor, in lower and upper case, at each place of a
// block of eight, at a text's end and before other text.
func TestFilterFindsEveryAnchor(t *testing.T) {
	for name, r := range map[string]*Redactor{"default": Default(), "strict": strict(t)} {
		m := r.engine.Machine
		for i := range m.Entries {
			e := &m.Entries[i]
			for pad := 1; pad <= 9; pad++ {
				before := []string{strings.Repeat(" ", pad)}
				if e.Within {
					before = append(before, strings.Repeat("n", pad))
				}
				for _, head := range before {
					for _, s := range []string{head + e.Lit + "  ", head + strings.ToUpper(e.Lit) +
						" and other text behind it"} {
						if !placesIn(&m.Filter, s)[pad] {
							t.Fatalf("%s: the anchor at %d of %q is not found", name, pad, s)
						}
					}
				}
			}
		}
	}
}

// TestNumbersSoughtByGroups: what the filter passes over is no number. Texts of digits and what
// stands between them are read by it, and by one that stops at every two digits.
func TestNumbersSoughtByGroups(t *testing.T) {
	engine := *Default().engine
	machine := *engine.Machine
	every := &Redactor{engine: &engine}
	var list []anchors.Anchor
	for _, e := range machine.Entries {
		list = append(list, anchors.Anchor{Lit: e.Lit, Act: e.Act, N: e.N, Within: true})
	}
	machine.Automaton = *anchors.NewAutomaton(list, &anchors.Runs{Short: true, Words: personal.IBANCountries})
	engine.Machine = &machine
	rng := rand.New(rand.NewPCG(1, 2))
	const bytes = "0123456789012345678901234567890123456789 -./() -./() -./:,+x_call me 5"
	found := 0
	for range 50_000 / raceSaving {
		b := []byte("phone ")
		for range 8 + rng.IntN(24) {
			b = append(b, bytes[rng.IntN(len(bytes))])
		}
		got, _ := Default().Text(string(b))
		want, _ := every.Text(string(b))
		if got != want {
			t.Fatalf("%q: got %q, want %q", b, got, want)
		}
		if want != string(b) {
			found++
		}
	}
	if found < 500/raceSaving {
		t.Errorf("only %d texts have a number, want %d or more", found, 500/raceSaving)
	}
}
