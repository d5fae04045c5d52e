// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package shared

import (
	"fmt"
	"sync/atomic"
)

// Health records how a policy's shared store does. The zero value is healthy. Safe for concurrent use.
type Health struct {
	errors atomic.Uint64
	cause  atomic.Pointer[string] // of the latest failure; nil since the store answered again
}

// Answered records that the store answered.
func (h *Health) Answered() {
	if h.cause.Load() != nil {
		h.cause.Store(nil)
	}
}

// Failed records that the store did not answer.
func (h *Health) Failed(err error) {
	h.errors.Add(1)
	text := fmt.Sprintf("the shared store does not answer: %.200s", err)
	h.cause.Store(&text)
}

// Figures reports how often the store failed.
func (h *Health) Figures(report func(name string, value float64)) {
	report("store_errors", float64(h.errors.Load()))
}

// Away reports whether the store did not answer when it was asked last.
func (h *Health) Away() bool { return h.cause.Load() != nil }

// Problems are what the health report says while the store fails. A store that has Problems of its own knows better, as
// it notices without a call that all is well again.
func (h *Health) Problems(store any) []string {
	if s, ok := store.(interface{ Problems() []string }); ok {
		return s.Problems()
	}
	if cause := h.cause.Load(); cause != nil {
		return []string{*cause}
	}
	return nil
}
