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

type spellings struct{ slots [recentSlots]slot }

type slot struct {
	known atomic.Pointer[Arguments]
	once  atomic.Uint64 // another spelling that came since known was last found
}

func (s *spellings) find(spelling uint64, raw []byte, volatile []string) *Arguments {
	slot := &s.slots[spelling%recentSlots]
	a := slot.known.Load()
	if a == nil || a.spelling != spelling || !bytes.Equal(a.raw, raw) || !slices.Equal(a.volatile, volatile) {
		return nil
	}
	if slot.once.Load() != 0 {
		slot.once.Store(0)
	}
	return a
}

// seen reports whether a spelling comes to its slot for the second time in a row: then
// it is worth more than what is known there.
func (s *spellings) seen(spelling uint64) bool {
	slot := &s.slots[spelling%recentSlots]
	if slot.once.Load() == spelling {
		return true
	}
	slot.once.Store(spelling)
	return false
}

// addArguments keeps arguments that last.
func (s *spellings) addArguments(a *Arguments) {
	s.slots[a.spelling%recentSlots].known.Store(a)
}
