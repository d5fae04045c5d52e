// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// TestToolsAreToldApart: however many definitions there are, more than the table by address
// has places, each call counts for its own tool, from several goroutines at once.
func TestToolsAreToldApart(t *testing.T) {
	const tools, goroutines, rounds = 1000, 4, 3
	r := newRecorder(t, Options{MaxTools: tools})
	definitions := make([]toolkit.Definition, 2*tools) // two of each name, as when a list is read again
	for i := range definitions {
		definitions[i].Name = fmt.Sprint("tool", i%tools)
	}
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() {
			for n := range rounds * len(definitions) {
				i := (n + 700*g) % len(definitions)
				for range 1 + i%tools%2 {
					record(r, call(&definitions[i], time.Millisecond))
				}
			}
		})
	}
	all.Wait()
	list := r.Summary(Window{}).Tools
	if len(list) != tools {
		t.Fatalf("got %d tools, want %d", len(list), tools)
	}
	for _, tool := range list {
		var number int
		if _, err := fmt.Sscanf(tool.Tool, "tool%d", &number); err != nil {
			t.Fatal(err)
		}
		if want := uint64(2 * goroutines * rounds * (1 + number%2)); tool.Calls != want {
			t.Fatalf("%s: got %d calls, want %d", tool.Tool, tool.Calls, want)
		}
	}
}
