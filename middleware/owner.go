// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package middleware

// Sharing is which calls may share what a policy keeps. The zero value is the narrowest.
type Sharing uint8

// The widths of sharing. At each width, a call outside any session shares nothing: it has no [Owner].
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

// An Owner is the session or tenant whose calls may share what a policy keeps. The zero value is all
// sessions. Owners are compared with ==.
type Owner struct{ Tenant, Session string }
