// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp

import (
	"fmt"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric/noop"

	"github.com/toolscope/toolscope/internal/keys"
)

// TestWhatIsRememberedIsBounded checks what peers can make a middleware remember: how many
// sessions, names and labels, and how long they are.
func TestWhatIsRememberedIsBounded(t *testing.T) {
	long := strings.Repeat("x", maxName+1)
	var calls callAttributes
	made := 0
	of := func(id string) []attribute.KeyValue {
		return calls.attributesOf(traits{sessionID: id}, func() []attribute.KeyValue {
			made++
			return append(make([]attribute.KeyValue, 0, 8), keys.SessionID.String(id))
		})
	}
	for i := range 3 * maxTraits {
		of(fmt.Sprint(i))
		if len(calls.made) > maxTraits {
			t.Fatalf("got %d sessions, want at most %d", len(calls.made), maxTraits)
		}
	}
	made = 0
	for range 2 {
		if list := of("again"); list[0].Value.AsString() != "again" || cap(list) != 1 {
			t.Errorf("got %v with room for %d, want the session's and no room", list, cap(list))
		}
	}
	if made != 1 {
		t.Errorf("got them made %d times, want once", made)
	}
	before := len(calls.made)
	if of(long); len(calls.made) != before {
		t.Error("an id that is too long was remembered")
	}

	var set names
	if set.addName(long, 10) || set.has(long) {
		t.Error("a name that is too long was remembered")
	}
	for i := range 20 {
		set.addName(fmt.Sprint(i), 10)
	}
	if len(set.set) != 10 {
		t.Errorf("got %d names, want 10", len(set.set))
	}

	m, err := newMetrics(noop.NewMeterProvider(), "client", strings.ToUpper)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 * maxLabels {
		m.options(labels{tool: fmt.Sprint(i)}, nil)
	}
	if len(m.cached) != maxLabels {
		t.Errorf("got %d sets of labels, want %d", len(m.cached), maxLabels)
	}
	clear(m.cached)
	m.options(labels{tool: long}, nil)
	m.options(labels{prompt: long}, nil)
	if len(m.cached) != 0 {
		t.Errorf("got %d sets of labels of names that are too long", len(m.cached))
	}
	l := labels{method: methodCallTool, tool: "secret"}
	if got := l.attributes(nil, m.clean); got[len(got)-1] != keys.ToolName.String("SECRET") {
		t.Errorf("got %v, want the name cleaned", got)
	}
}
