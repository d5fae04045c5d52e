// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package middleware

import (
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
	var sorted []Policy // by stage; those of one stage stay in their order
	for _, p := range policies {
		if err := Check(p); err != nil {
			p = unusable{err}
		}
		sorted = append(sorted, p)
		for i := len(sorted) - 1; i > 0 && sorted[i-1].Stage() > sorted[i].Stage(); i-- {
			sorted[i-1], sorted[i] = sorted[i], sorted[i-1]
		}
	}
	middlewares := make([]toolkit.Middleware, len(sorted))
	for i := range sorted {
		middlewares[i] = wrap(sorted, i)
	}
	return middlewares
}
