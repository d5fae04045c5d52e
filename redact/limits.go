// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"fmt"

	"github.com/toolscope/toolscope/redact/internal/scan"
)

// Limits bound what is examined. What is beyond is removed, never passed on. A zero
// field is the default.
type Limits struct {
	// Nesting is how many objects and arrays may be open at once, those of JSON within
	// strings included: 1 to 10000. The default is 512.
	Nesting int
	// Inner is how deep JSON within JSON strings is followed: 1 to 16. The default is 8.
	// What is written there grows twofold with each level.
	Inner int
	// Work is how many steps may be spent for each byte beyond reading it, before a text
	// counts as made to be costly: 16 to 4096. The default is 64. They are given while the text is
	// scanned, so that such a text is given up at its beginning.
	Work int
}

var defaultLimits = scan.Limits{Nesting: 512, Inner: 8, Work: 64}

func (s *settings) setLimits(o *Options) error {
	s.Limits = defaultLimits
	for _, f := range [...]struct {
		name     string
		got      int
		to       *int
		min, max int
	}{
		{"Nesting", o.Limits.Nesting, &s.Limits.Nesting, 1, 10000},
		{"Inner", o.Limits.Inner, &s.Limits.Inner, 1, 16},
		{"Work", o.Limits.Work, &s.Limits.Work, 16, 4096},
	} {
		switch {
		case f.got == 0:
		case f.got < f.min || f.got > f.max:
			return fmt.Errorf("redact: Options.Limits.%s: got %d, want %d to %d, or 0 for the default",
				f.name, f.got, f.min, f.max)
		default:
			*f.to = f.got
		}
	}
	return nil
}
