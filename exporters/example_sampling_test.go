// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/toolscope/toolscope/exporters"
)

// Of traces in which nothing happened none is sent; the ring has them all the same.
func ExampleOptions_tailSampling() {
	ctx := context.Background()
	providers, err := exporters.Setup(ctx, exporters.Options{TailSampling: &exporters.TailSampling{Ratio: -1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	tracer := providers.TracerProvider.Tracer("example")
	for i := range 10 {
		_, turn := tracer.Start(ctx, "turn")
		turn.SetAttributes(exporters.KeepKey.Bool(i == 7))
		turn.End()
	}
	if err := providers.Shutdown(ctx); err != nil {
		fmt.Println(err)
	}
	for _, c := range providers.Components() {
		for _, f := range c.Figures {
			if strings.HasPrefix(f.Name, "spans") {
				fmt.Printf("%s: %s %v\n", c.Name, f.Name, f.Value)
			}
		}
	}
	// Output:
	// tail sampler: spans_held 0
	// tail sampler: spans_kept 1
	// tail sampler: spans_left_out 9
	// ring: spans 10
	// ring: spans_made_room 0
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
