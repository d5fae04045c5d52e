// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing_test

import (
	"context"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/internal/canary"
	"github.com/toolscope/toolscope/toolkit"
)

// TestFindingsSayWhere: each removed value's kind and place are on the span, as far as
// there are not too many, and never the value.
func TestFindingsSayWhere(t *testing.T) {
	secret := canary.Secrets(12)[0]
	for _, c := range []struct {
		name, arguments string
		want            []string
		count           int
	}{
		{"few", `{"user":"admin","password":"` + secret.Value + `"}`, []string{"passwd@arguments/password", "passwd@result/password"}, 2},
		{"many", "[" + strings.TrimSuffix(strings.Repeat(`{"password":"`+secret.Value+`"},`, 20), ",") + "]", []string{"passwd@arguments/0/password", "passwd@arguments/15/password"}, 16},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, r := newHarness(t), registry(t)
			call := toolkit.Call{Name: "echo", Arguments: []byte(c.arguments)}
			if _, err := toolkit.Chain(r.Handle, toolkit.Observe(r.Lookup, h))(context.Background(), call); err != nil {
				t.Fatal(err)
			}
			got := attributes(h.one(t).Attributes())["toolscope.redacted.paths"]
			for _, place := range c.want {
				if !strings.Contains(got, `"`+place+`"`) {
					t.Errorf("got %s, want %s", got, place)
				}
			}
			if n := strings.Count(got, "@"); n != c.count {
				t.Errorf("got %d places, want %d: %s", n, c.count, got)
			}
			if canary.Find(got, []canary.Secret{secret}) != nil {
				t.Errorf("the places show %v", secret)
			}
		})
	}
}
