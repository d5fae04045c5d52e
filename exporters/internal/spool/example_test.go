// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"go.opentelemetry.io/otel"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope/exporters/internal/spool"
)

// printer is an exporter that prints the names of spans, when it works.
type printer struct{ works bool }

func (p printer) ExportSpans(_ context.Context, spans []sdktrace.ReadOnlySpan) error {
	if !p.works {
		return errors.New("connection refused")
	}
	for _, s := range spans {
		fmt.Println("arrived:", s.Name())
	}
	return nil
}

func (printer) Shutdown(context.Context) error { return nil }

// What a destination does not take is sent by the next process, or by this one later.
func Example() {
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(error) {})) // it gets the destination's errors
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "spool")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	session := func(e sdktrace.SpanExporter, names ...string) {
		s, err := spool.New(dir, spool.Around(e), spool.Options{WriteAhead: true})
		if err != nil {
			fmt.Println(err)
			return
		}
		provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(s))
		for _, name := range names {
			_, span := provider.Tracer("example").Start(ctx, name)
			span.End()
		}
		_ = s.Flush(ctx) // fails while the destination does
		stats := s.Stats()
		fmt.Printf("waiting: %d, delivered: %d\n", stats.Spans, stats.Delivered)
		if err := provider.Shutdown(ctx); err != nil {
			fmt.Println(err)
		}
	}
	session(printer{works: false}, "execute_tool search", "execute_tool read")
	session(printer{works: true}, "execute_tool write")
	// Output:
	// waiting: 2, delivered: 0
	// arrived: execute_tool search
	// arrived: execute_tool read
	// arrived: execute_tool write
	// waiting: 0, delivered: 3
}

// A session is deleted from what waits, as a user may ask for.
func ExampleDeleteSession() {
	dir, err := os.MkdirTemp("", "spool")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	n, err := spool.DeleteSession(context.Background(), dir, "conversation-17", "")
	fmt.Println(n, err)
	// Output: 0 <nil>
}

func ExampleNew_badOption() {
	_, err := spool.New(os.TempDir()+"/spool", spool.Around(nil), spool.Options{MaxBytes: 1000})
	fmt.Println(err)
	// Output: spool: Options.MaxBytes: got 1000, want at least 65536 bytes, or 0 for 268435456
}
