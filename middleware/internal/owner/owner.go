// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package owner derives from a call's session the key of what policies keep across calls.
package owner

import (
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
)

// ForSession is the owner of what is shared among the session's calls at that width. It is false, and the
// policy then keeps and shares nothing, if there is no session, or it lacks the id (the tenant, for
// PerTenant) that the width is drawn by.
func ForSession(s *toolkit.Session, width middleware.Sharing) (middleware.Owner, bool) {
	switch {
	case s == nil:
		return middleware.Owner{}, false
	case width == middleware.PerSession:
		return middleware.Owner{Tenant: s.Tenant, Session: s.ID}, s.ID != ""
	case width == middleware.PerTenant:
		return middleware.Owner{Tenant: s.Tenant}, s.Tenant != ""
	}
	return middleware.Owner{}, width == middleware.Global
}
