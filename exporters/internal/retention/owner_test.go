// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package retention

import "testing"

func TestOwns(t *testing.T) {
	for _, c := range []struct {
		name         string
		session      Session
		attributes   []string // keys and values interleaved
		its, unowned bool
	}{
		{"no attributes", Session{ID: "s"}, nil, false, true},
		{"a session", Session{ID: "s"}, []string{"session.id", "s"}, true, false},
		{"of an older file", Session{ID: "s"}, []string{"toolscope.session.id", "s"}, true, false},
		{"the conventions'", Session{ID: "s"}, []string{"session.id", "s"}, true, false},
		{"a conversation", Session{ID: "s"}, []string{"gen_ai.conversation.id", "s"}, true, false},
		{"one of two", Session{ID: "s"}, []string{"toolscope.session.id", "other", "gen_ai.conversation.id", "s"}, true, false},
		{"another's", Session{ID: "s"}, []string{"toolscope.session.id", "other"}, false, false},
		{"another attribute", Session{ID: "s"}, []string{"user.id", "s"}, false, true},
		{"no matter which tenant", Session{ID: "s"}, []string{"session.id", "s", "toolscope.tenant", "a"}, true, false},
		{"of the tenant, told before", Session{"s", "a"}, []string{"toolscope.tenant", "a", "session.id", "s"}, true, false},
		{"of another tenant", Session{"s", "a"}, []string{"session.id", "s", "toolscope.tenant", "b"}, false, false},
		{"of no tenant", Session{"s", "a"}, []string{"session.id", "s"}, false, false},
	} {
		its, unowned := c.session.Owns(func(yield func(string, string) bool) {
			for i := 0; i < len(c.attributes) && yield(c.attributes[i], c.attributes[i+1]); i += 2 {
			}
		})
		if its != c.its || unowned != c.unowned {
			t.Errorf("%s: got %v, %v, want %v, %v", c.name, its, unowned, c.its, c.unowned)
		}
	}
}
