// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope/exporters"
)

// A deadlined exporter notes the deadline of its Shutdown.
type deadlined struct {
	mu       sync.Mutex
	deadline time.Time
}

func (*deadlined) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error { return nil }

func (d *deadlined) Shutdown(ctx context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.deadline, _ = ctx.Deadline()
	return nil
}

// Every exporter has to be done before the deadline of Shutdown, so that a spool can still put on disk what it
// was sending. The tracer provider shuts the same batchers down, with the whole time, and must not be first. On
// one processor it would be: of goroutines that are started together, the last one runs first.
func TestShutdownGivesUpBeforeItsDeadline(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for range 100 {
		all := []*deadlined{{}, {}, {}}
		p := setup(t, exporters.Options{Exporters: []sdktrace.SpanExporter{all[0], all[1], all[2]}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		if err := p.Shutdown(ctx); err != nil {
			t.Fatal(err)
		}
		end, _ := ctx.Deadline()
		for i, d := range all {
			if got := end.Sub(d.deadline); got != time.Second {
				t.Fatalf("exporter %d: has to be done %v before the deadline, want 1s", i, got)
			}
		}
		cancel()
	}
}
