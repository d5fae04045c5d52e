// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package jsonlines_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope/exporters/internal/jsonlines"
)

func Example() {
	dir, err := os.MkdirTemp("", "traces")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	e, err := jsonlines.New(dir, jsonlines.Options{MaxBytes: 1 << 30})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(e))
	_, span := provider.Tracer("example").Start(ctx, "execute_tool search")
	span.End()
	if err := provider.Shutdown(ctx); err != nil {
		fmt.Println(err)
		return
	}

	files, _ := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	text, _ := os.ReadFile(files[0])
	var line struct {
		ResourceSpans []struct {
			ScopeSpans []struct{ Spans []struct{ Name string } }
		}
	}
	fmt.Println(json.Unmarshal(text, &line), line.ResourceSpans[0].ScopeSpans[0].Spans[0].Name)
	// Output: <nil> execute_tool search
}
