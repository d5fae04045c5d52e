// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package soak

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

// boundMiB is what a program with everything on, and every bound at its default, may hold after a
// million of everything; the race detector and the runtime's own share are part of it.
const boundMiB = 512

// TestBounds makes a million calls in which everything differs: the tool's name, the session, the
// conversation, the arguments' members and the error's text.
func TestBounds(t *testing.T) {
	calls := 20_000
	if os.Getenv("TOOLSCOPE_E2E") == "1" {
		calls = 1_000_000
	}
	h, err := newHost(t.Context(), bounds{spans: 4096})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	const callers = 16
	for c := range callers {
		all.Go(func() {
			for n := c; n < calls; n += callers {
				id := fmt.Sprintf("%x", uint64(n)*0x9E3779B97F4A7C15)
				name := "unknown_" + id
				if n%2 == 0 {
					name = []string{"fails", "read", "write"}[n/2%3]
				}
				arguments, _ := json.Marshal(map[string]any{"n": 0, "text": id, "member_" + id: id})
				if n%4 == 0 { // those that the schema takes
					arguments, _ = json.Marshal(input{Text: id})
				}
				ctx, turn := h.scope.StartAgent(
					t.Context(),
					tracing.Agent{Name: "agent", Session: "session-" + id, Conversation: "conversation-" + id},
				)
				_, _ = h.handle(ctx, toolkit.Call{ID: "call_" + id, Name: name, Arguments: arguments})
				turn.End(nil)
			}
		})
	}
	all.Wait()
	mib := residentBytes() / (1 << 20)
	summary := h.scope.Stats().Summary(allTime)
	t.Logf(
		"%d calls, every one of another session: %.0f MiB resident, %d tools and %d error groups listed",
		summary.Overall.Calls,
		mib,
		len(summary.Tools),
		len(summary.Errors),
	)
	if summary.Overall.Calls != uint64(calls) {
		t.Errorf("got %d calls in the statistics, want %d", summary.Overall.Calls, calls)
	}
	if mib > boundMiB {
		t.Errorf("got %.0f MiB, want at most %d", mib, boundMiB)
	}
	for _, tool := range summary.Tools {
		if strings.HasPrefix(tool.Tool, "unknown_") {
			t.Errorf("the name %q is listed as a tool's", tool.Tool)
		}
	}
	if err := h.close(t.Context()); err != nil {
		t.Error(err)
	}
}
