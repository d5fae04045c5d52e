// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package guard_test

import (
	"context"
	"fmt"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/toolscope/toolscope/exporters/internal/guard"
)

// A value that is too long and a name with a byte that is no UTF-8 are mended.
func Example() {
	exporter := tracetest.NewInMemoryExporter()
	guarded, err := guard.New(exporter, guard.Limits{Value: 64})
	if err != nil {
		fmt.Println(err)
		return
	}
	span := tracetest.SpanStub{Name: "read \xff",
		Attributes: []attribute.KeyValue{attribute.String("content", strings.Repeat("abc-", 100))}}
	if err := guarded.ExportSpans(context.Background(), tracetest.SpanStubs{span}.Snapshots()); err != nil {
		fmt.Println(err)
	}
	for _, s := range exporter.GetSpans() {
		fmt.Println(s.Name)
		fmt.Println(s.Attributes[0].Value.AsString())
	}
	fmt.Println("mended:", guarded.Stats().Mended)
	// Output:
	// read �
	// abc-abc-abc-abc-abc-abc-abc-abc-a…[357 bytes cut]…c-abc-abc-
	// mended: 1
}
