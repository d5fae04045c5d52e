// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package canary

import (
	"slices"
	"testing"
)

func TestSecretsAreReproducible(t *testing.T) {
	if !slices.Equal(Secrets(1), Secrets(1)) {
		t.Error("the same seed gives other secrets")
	}
	if slices.Equal(Secrets(1), Secrets(2)) {
		t.Error("another seed gives the same secrets")
	}
}

func TestFind(t *testing.T) {
	secrets := Secrets(7)
	for _, s := range secrets {
		if found := Find("x "+s.Text+" y", secrets); len(found) != 1 || found[0] != s {
			t.Errorf("in the text of %v found %v", s, found)
		}
		half := s.Value[len(s.Value)/4 : len(s.Value)/4+max(8, len(s.Value)/2)]
		if len(Find(half, secrets)) != 1 {
			t.Errorf("half of %v was not found", s)
		}
	}
	if found := Find("nothing to see here, move along", secrets); found != nil {
		t.Errorf("found %v in harmless text", found)
	}
}

func TestLuhn(t *testing.T) {
	if got := luhn("7992739871"); got != "79927398713" {
		t.Errorf("got %s, want the standard's example 79927398713", got)
	}
}
