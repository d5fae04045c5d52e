// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package errtype_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/toolscope/toolscope/internal/errtype"
	"github.com/toolscope/toolscope/toolkit"
)

func TestKindsAndIdentifiersAreExported(t *testing.T) {
	g := errtype.New(nil)
	values := []string{"", "_OTHER", "-32602", "-32700", "throttled", "*fs.PathError", "net/http.Error", "Unavailable",
		"500", "queue_full", "E:42"}
	for _, k := range toolkit.Kinds() {
		values = append(values, string(k))
	}
	for range 2 {
		for _, v := range values {
			if got := g.Export(v); got != v {
				t.Errorf("%q: got %q", v, got)
			}
		}
	}
	if allocs := testing.AllocsPerRun(100, func() { g.Export("timeout"); g.Export("throttled") }); allocs != 0 {
		t.Errorf("got %v allocations, want 0", allocs)
	}
}

// TestSecretsAndTextsAreNotExported exports a token of each form, and values that are no identifiers.
func TestSecretsAndTextsAreNotExported(t *testing.T) {
	g := errtype.New(nil)
	for _, v := range []string{
		"ghp_" + strings.Repeat("aB3x", 9), "sk-proj-" + strings.Repeat("aB3xK9", 8), "AKIA" + "QYLPMN5HHHFPZAM2",
		"xoxb" + "-123456789012-1234567890123-" + strings.Repeat("aB3xK9", 4),
		"a b", "password=hunter2seven", "line\n", "\xff", strings.Repeat("a", 65), "a*b",
	} {
		for range 2 {
			if got := g.Export(v); got != toolkit.TypeOther {
				t.Errorf("%q: got %q, want _OTHER", v, got)
			}
		}
	}
	var none *errtype.Guard
	if none.Export("x") != toolkit.TypeOther || none.Export("timeout") != "timeout" {
		t.Error("a nil guard exports a value that is no kind")
	}
}

func TestTheNumberOfValuesIsBounded(t *testing.T) {
	g := errtype.New(nil)
	var mu sync.Mutex
	exported := map[string]bool{}
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			for i := range 300 {
				out := g.Export(fmt.Sprintf("type_%d", (i+n*40)%300))
				g.Export(fmt.Sprintf("no type %d", i))
				mu.Lock()
				exported[out] = true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(exported) != errtype.Max+1 || !exported[toolkit.TypeOther] {
		t.Errorf("got %d values, want %d and _OTHER", len(exported), errtype.Max)
	}
	if g.Export("timeout") != "timeout" {
		t.Error("a kind is no longer exported")
	}
}
