// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"slices"
	"time"
)

// A waitingList is about the operations of one side that wait for their answers.
type waitingList struct {
	keys []waitingKey // oldest first, with some that do not wait any more
	open int          // how many wait
}

// waitingKey is an operation's. It waits if that of the key has the same number.
type waitingKey struct {
	OperationKey
	order uint64
}

func (s *Session) waits(k waitingKey) bool {
	o := s.Open[k.OperationKey]
	return o != nil && o.order == k.order
}

// keepOpen remembers an operation that waits for its answer; of too many of a side the oldest is given up.
func (s *Session) keepOpen(key OperationKey, o *Operation) {
	if before := s.Open[key]; before != nil { // an id that is used twice
		s.forget(key)
		before.finish(time.Now(), &outcome{err: ErrUnanswered})
	}
	list := &s.waiting[key.from]
	if list.open >= MaxOpen {
		s.forgetOldest(list)
	}
	if len(list.keys) >= 2*MaxOpen {
		list.keys = slices.DeleteFunc(list.keys, func(k waitingKey) bool { return !s.waits(k) })
	}
	s.order++
	o.order = s.order
	s.Open[key] = o
	list.keys = append(list.keys, waitingKey{key, s.order})
	list.open++
	if s.noting {
		s.begun = append(s.begun, key)
	}
}

// forget removes an operation that waits.
func (s *Session) forget(key OperationKey) {
	delete(s.Open, key)
	s.waiting[key.from].open--
}

// forgetOldest gives up the oldest operation of a list that has one.
func (s *Session) forgetOldest(list *waitingList) {
	for !s.waits(list.keys[0]) {
		list.keys = list.keys[1:]
	}
	key := list.keys[0].OperationKey
	list.keys = list.keys[1:]
	o := s.Open[key]
	s.forget(key)
	o.finish(time.Now(), &outcome{err: errUnseen})
}
