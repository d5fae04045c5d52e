// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"bytes"
	"slices"
	"sync/atomic"
)

const (
	recentSlots = 1024 // a power of two
	recentBytes = 4096 // longer arguments are read each time
)

// recent knows arguments that were read twice of late by their spelling: a model that
// repeats itself repeats the bytes. It is bounded by its slots; what comes to a slot
// that is taken replaces what was there.
var recent spellings

type spellings struct {
	slots [recentSlots]atomic.Pointer[Arguments]
	once  [recentSlots]atomic.Uint64 // the spelling that came to the slot last
}

func (s *spellings) find(spelling uint64, raw []byte, volatile []string) *Arguments {
	a := s.slots[spelling%recentSlots].Load()
	if a == nil || a.spelling != spelling || !bytes.Equal(a.raw, raw) || !slices.Equal(a.volatile, volatile) {
		return nil
	}
	return a
}

// seen reports whether a spelling comes for the second time in a row to its slot.
func (s *spellings) seen(spelling uint64) bool {
	slot := &s.once[spelling%recentSlots]
	if slot.Load() == spelling {
		return true
	}
	slot.Store(spelling)
	return false
}

// add keeps arguments that last.
func (s *spellings) add(a *Arguments) {
	if len(a.raw) <= recentBytes {
		s.slots[a.spelling%recentSlots].Store(a)
	}
}
