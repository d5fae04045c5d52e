// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"strings"
	"testing"
)

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
