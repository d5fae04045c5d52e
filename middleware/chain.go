// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package middleware

import (
	"slices"

	"github.com/toolscope/toolscope/toolkit"
)

// Wrap wraps h in policies by their stages; those of one place keep the order
// they are given in, the first one outermost. A nil h refuses each call, as
// [toolkit.Chain] does, and so does a policy that [Check] refuses, such as a nil one.
func Wrap(h toolkit.Handler, policies ...Policy) toolkit.Handler {
	return toolkit.Chain(h, Middlewares(policies...)...)
}

// Middlewares are the policies as middlewares in the order of [Wrap], for
// [toolkit.GovernFunc].
func Middlewares(policies ...Policy) []toolkit.Middleware {
	sorted := slices.Clone(policies)
	for i, p := range sorted {
		if err := Check(p); err != nil {
			sorted[i] = unusable{err}
		}
	}
	slices.SortStableFunc(sorted, func(a, b Policy) int { return int(a.Stage()) - int(b.Stage()) })
	middlewares := make([]toolkit.Middleware, len(sorted))
	for i := range sorted {
		middlewares[i] = wrap(sorted, i)
	}
	return middlewares
}
