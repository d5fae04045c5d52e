// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package guard_test

import (
	"context"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/toolscope/toolscope/exporters/internal/guard"
)

// BenchmarkExport is a batch of 200 calls straight to an exporter that does nothing, and through
// the guard: clean, with a list on each span, and with one bad byte on each.
func BenchmarkExport(b *testing.B) {
	listed, broken := usual(), usual()
	listed.Attributes = append(listed.Attributes, attribute.StringSlice("toolscope.redacted.kinds", []string{"email", "passwd"}))
	broken.Attributes = append(broken.Attributes, attribute.String("path", "/tmp/"+strings.Repeat("\xff", 3)))
	next := tracetest.NewNoopExporter()
	for _, c := range []struct {
		name  string
		to    sdktrace.SpanExporter
		batch []sdktrace.ReadOnlySpan
	}{
		{"bare", next, spans(make200(usual())...)},
		{"clean", newGuard(b, next, guard.Limits{}), spans(make200(usual())...)},
		{"lists", newGuard(b, next, guard.Limits{}), spans(make200(listed)...)},
		{"mended", newGuard(b, next, guard.Limits{}), spans(make200(broken)...)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := c.to.ExportSpans(context.Background(), c.batch); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
