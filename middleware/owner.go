// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package middleware

import "github.com/toolscope/toolscope/toolkit"

// Sharing is who may be given what a policy keeps. The zero value is the narrowest.
type Sharing uint8

// The widths of sharing. Whatever is told, a call outside any session shares
// nothing: it has no [Owner].
const (
	PerSession Sharing = iota // one run of an agent
	PerTenant                 // all sessions of a tenant
	Global                    // all sessions
)

// String is "session", "tenant" or "global"; "unknown" for none of the constants.
func (s Sharing) String() string {
	switch s {
	case PerSession:
		return "session"
	case PerTenant:
		return "tenant"
	case Global:
		return "global"
	}
	return "unknown"
}

// An Owner is whose state a call may touch: the key of everything that policies
// keep across calls. Owners are compared with ==.
type Owner struct{ Tenant, Session string }

// OwnerOf is the owner of what is shared among s's calls at that width. It is
// false, and the policy then keeps and shares nothing, if there is no session, or it
// lacks the id (the tenant, for PerTenant) that the width is drawn by.
func OwnerOf(s *toolkit.Session, width Sharing) (Owner, bool) {
	switch {
	case s == nil:
		return Owner{}, false
	case width == PerSession:
		return Owner{s.Tenant, s.ID}, s.ID != ""
	case width == PerTenant:
		return Owner{Tenant: s.Tenant}, s.Tenant != ""
	}
	return Owner{}, width == Global
}
