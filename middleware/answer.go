// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package middleware

import (
	"github.com/toolscope/toolscope/middleware/internal/handoff"
	"github.com/toolscope/toolscope/toolkit"
)

// wrap is the middleware of sorted[i].
func wrap(sorted []Policy, i int) toolkit.Middleware {
	if outer, ok := sorted[i].(handoff.AnswererWrapper); ok && i+1 < len(sorted) {
		if inner, ok := sorted[i+1].(handoff.Answerer); ok {
			return func(next toolkit.Handler) toolkit.Handler { return outer.WrapAnswerer(inner, next) }
		}
	}
	return sorted[i].Wrap
}
