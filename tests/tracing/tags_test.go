// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/internal/canary"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

// What is remembered of tags is never another's: more of them than there is room for, keys that are
// values of others, and secrets, in each of many calls.
func TestTagsAreRememberedAsTheyAre(t *testing.T) {
	h, r := newHarness(t, tracing.Options{}), registry(t)
	secret := canary.Secrets(1)[2].Value
	execute := toolkit.Observe(r.Lookup, h)(func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
		for _, tag := range [][2]string{{"limit", "limit.key"}, {"limit.key", "limit"}, {"n", call.ID},
			{"k" + call.ID, "n"}, {"of.id", "of " + secret}, {"of.key", "of " + secret}, {"none", ""}} {
			call.Record.Tag(tag[0], tag[1])
		}
		return toolkit.Result{}, nil
	})
	for i := range 1000 {
		_, _ = execute(t.Context(), toolkit.Call{ID: fmt.Sprint(i % 500), Name: "echo"})
	}
	for i, s := range h.spans.Ended() {
		id := fmt.Sprint(i % 500)
		got := attributes(s.Attributes())
		if _, ok := got["toolscope.none"]; ok || got["toolscope.limit"] != "limit.key" ||
			got["toolscope.limit.key"] != "limit" || got["toolscope.n"] != id || got["toolscope.k"+id] != "n" {
			t.Fatalf("call %d: got %v", i, got)
		}
		for _, key := range []string{"toolscope.of.id", "toolscope.of.key"} {
			if v := got[key]; !strings.HasPrefix(v, "of ") || strings.Contains(v, secret) {
				t.Fatalf("call %d: got %s %q, want it redacted", i, key, v)
			}
		}
	}
}
