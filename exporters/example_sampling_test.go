// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters_test

import (
	"context"
	"fmt"

	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/exporters/tailsample"
)

// Of traces in which nothing happened none is sent; the ring has them all the same.
func ExampleOptions_tailSampling() {
	ctx := context.Background()
	providers, err := exporters.Setup(ctx, exporters.Options{TailSampling: &tailsample.Options{Ratio: -1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	tracer := providers.TracerProvider.Tracer("example")
	for i := range 10 {
		_, turn := tracer.Start(ctx, "turn")
		turn.SetAttributes(tailsample.KeepKey.Bool(i == 7))
		turn.End()
	}
	if err := providers.Shutdown(ctx); err != nil {
		fmt.Println(err)
	}
	sampled := providers.Sampler.Stats()
	fmt.Println("kept:", sampled.SpansKept, "left out:", sampled.SpansLeftOut, "in the ring:", providers.Ring.State().Spans)
	// Output:
	// kept: 1 left out: 9 in the ring: 10
}

// What the providers do shows at /healthz, in the summary and on the dashboard of a handler that
// was made with statshttp.Options{Health: []stats.HealthSource{providers}}.
func ExampleProviders_Components() {
	ctx := context.Background()
	providers, err := exporters.Setup(ctx, exporters.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, turn := providers.TracerProvider.Tracer("example").Start(ctx, "turn")
	turn.End()
	for _, c := range providers.Components() {
		fmt.Println(c.Name, c.Figures[0].Name, c.Figures[0].Value, c.Problems)
	}
	if err := providers.Shutdown(ctx); err != nil {
		fmt.Println(err)
	}
	// Output:
	// ring spans 1 []
}
