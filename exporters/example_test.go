// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters_test

import (
	"context"
	"fmt"
	"os"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"

	"github.com/toolscope/toolscope/exporters"
)

// With nothing in the environment the spans stay in the process, to be looked at.
func ExampleSetup() {
	ctx := context.Background()
	providers, err := exporters.Setup(ctx, exporters.Options{ServiceName: "orders-agent"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer providers.Shutdown(ctx)

	tracer := providers.TracerProvider.Tracer("example") // toolscope.New does this
	ctx, agent := tracer.Start(ctx, "invoke_agent planner")
	_, tool := tracer.Start(ctx, "execute_tool search")
	tool.SetAttributes(attribute.String("gen_ai.tool.call.arguments", `{"q":"tea"}`), attribute.String("error.type", "timeout"))
	tool.SetStatus(codes.Error, "no answer after 2s")
	tool.End()
	agent.End()

	for _, trace := range providers.Ring.Traces() {
		_ = exporters.WriteTree(os.Stdout, trace, exporters.TreeOptions{NoTimes: true})
	}
	// Output:
	// invoke_agent planner
	// └─ execute_tool search  timeout
	//       → {"q":"tea"}
	//       ✗ no answer after 2s
}

// A value that cannot be used is an error, not passed over.
func ExampleSetup_badEnvironment() {
	os.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4317")
	defer os.Unsetenv("OTEL_EXPORTER_OTLP_ENDPOINT")
	_, err := exporters.Setup(context.Background(), exporters.Options{})
	fmt.Println(err)
	// Output:
	// exporters: OTEL_EXPORTER_OTLP_ENDPOINT: got "localhost:4317", want a URL such as http://localhost:4317 (scheme: http, https, unix, dns)
}
