// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"
)

// placesIn are the places at which the filter says an anchor may begin.
func placesIn(f *filter, s string) map[int]bool {
	found := make(map[int]bool)
	for i := 0; ; i += 8 {
		var set uint64
		if i, set = f.next(s, i); set == 0 {
			return found
		}
		for ; set != 0; set &= set - 1 {
			found[i-reach+bits.TrailingZeros64(set)] = true
		}
	}
}

// TestFilterFindsEveryAnchor writes each anchor, in lower and upper case, at each place of a
// block of eight, at a text's end and before other text.
func TestFilterFindsEveryAnchor(t *testing.T) {
	for name, r := range map[string]*Redactor{"default": Default(), "strict": strict(t)} {
		m := r.engine.machine
		for i := range m.entries {
			e := &m.entries[i]
			for pad := 1; pad <= 9; pad++ {
				before := []string{strings.Repeat(" ", pad)}
				if e.within {
					before = append(before, strings.Repeat("n", pad))
				}
				for _, head := range before {
					for _, s := range []string{head + e.lit + "  ", head + strings.ToUpper(e.lit) + " and other text behind it"} {
						if !placesIn(&m.filter, s)[pad] {
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
	machine := *engine.machine
	every := &Redactor{engine: &engine}
	var list []anchor
	for _, e := range machine.entries {
		list = append(list, anchor{lit: e.lit, act: e.act, n: e.n, within: true})
	}
	machine.automaton = newAutomaton(list, &runs{short: true, words: ibanCountries})
	engine.machine = &machine
	rng := rand.New(rand.NewPCG(1, 2))
	const bytes = "0123456789012345678901234567890123456789 -./() -./() -./:,+x_call me 5"
	found := 0
	for range 50_000 {
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
	if found < 500 {
		t.Errorf("only %d texts have a number, want 500 or more", found)
	}
}

func TestKnownNames(t *testing.T) {
	here, elsewhere := new(machine), new(machine)
	key := func(m *machine, name string) (knownName, uint64) {
		n, hash, ok := nameOf(m, `{"`+name+`":1}`, 2, 2+len(name))
		if !ok {
			t.Fatalf("%q cannot be remembered", name)
		}
		return n, hash
	}
	for _, name := range []string{"", "a", "password", "password1", "exactly_sixteen_", "exactly_twenty_four_byte"} {
		n, _ := key(here, name)
		for _, other := range []struct {
			machine *machine
			name    string
		}{{here, name + "\x00"}, {here, "x" + name}, {elsewhere, name}} {
			if len(other.name) > maxKnownName {
				continue
			}
			if o, _ := key(other.machine, other.name); o == n {
				t.Errorf("%q passes for %q", other.name, name)
			}
		}
	}
	if _, _, ok := nameOf(here, strings.Repeat("n", maxKnownName+1), 0, maxKnownName+1); ok {
		t.Error("a name longer than what is remembered is taken")
	}
}
