// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package owner_test

import (
	"testing"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/internal/owner"
	"github.com/toolscope/toolscope/toolkit"
)

func TestOwnerIsNeverWiderThanAsked(t *testing.T) {
	full := &toolkit.Session{Tenant: "t", ID: "s"}
	for _, c := range []struct {
		session *toolkit.Session
		width   middleware.Sharing
		want    middleware.Owner
		ok      bool
	}{
		{full, middleware.PerSession, middleware.Owner{Tenant: "t", Session: "s"}, true},
		{full, middleware.PerTenant, middleware.Owner{Tenant: "t"}, true},
		{full, middleware.Global, middleware.Owner{}, true},
		{full, 9, middleware.Owner{}, false},
		{&toolkit.Session{ID: "s"}, middleware.PerTenant, middleware.Owner{}, false},
		{&toolkit.Session{Tenant: "t"}, middleware.PerSession, middleware.Owner{Tenant: "t"}, false},
		{nil, middleware.Global, middleware.Owner{}, false},
	} {
		if got, ok := owner.ForSession(c.session, c.width); ok != c.ok || ok && got != c.want {
			t.Errorf("%+v by %v: got %+v, %t, want %+v, %t", c.session, c.width, got, ok, c.want, c.ok)
		}
	}
}
