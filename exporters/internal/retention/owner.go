// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package retention

import (
	"iter"
	"slices"
)

// SessionKeys are the attributes that name a span's session: the conventions' for a session and a conversation,
// and the one of toolscope's that older files have. They must not be changed.
var SessionKeys = []string{"session.id", "gen_ai.conversation.id", "toolscope.session.id"}

// TenantKey is the attribute that names a span's tenant.
const TenantKey = "toolscope.tenant"

// A Session is whose spans are looked for. A tenant that is not "" leaves out the sessions
// of that id of other tenants, and of none.
type Session struct{ ID, Tenant string }

// Owns reports whether a span with these attributes is the session's, or no session's: it names no
// session at all. Values that are no strings are given as "".
func (s Session) Owns(attributes iter.Seq2[string, string]) (its, unowned bool) {
	unowned = true
	ofTenant := s.Tenant == ""
	for key, value := range attributes {
		switch {
		case slices.Contains(SessionKeys, key):
			unowned = false
			its = its || value == s.ID
		case key == TenantKey:
			ofTenant = ofTenant || value == s.Tenant
		}
	}
	return its && ofTenant, unowned
}
