// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package temporal_test

import (
	"context"
	"fmt"
	"log"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/workflow"
	"github.com/toolscope/toolscope/workflow/temporal"
)

// A worker with its tools. Several of them share the runs.
func Example() {
	approvals, err := approve.New(approve.Options{Askers: []approve.Asker{approve.External()}})
	if err != nil {
		log.Fatal(err)
	}
	scope, err := toolscope.New(toolscope.Options{Policies: []middleware.Policy{approvals}})
	if err != nil {
		log.Fatal(err)
	}
	registry := new(toolkit.Registry) // with the tools book and pay
	set, err := workflow.New(workflow.Options{
		Handler: scope.WrapRegistry(registry), Tools: registry, Scope: scope,
		Definitions: map[string]workflow.Definition{}, // with the workflow order
	})
	if err != nil {
		log.Fatal(err)
	}
	c, err := temporal.Dial(context.Background(), temporal.DialOptions{
		Options: client.Options{HostPort: "localhost:7233"}, KeyFile: "workflow.key",
	})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	engine, err := temporal.New(temporal.Options{Client: c, Set: set})
	if err != nil {
		log.Fatal(err)
	}
	if err := engine.NewWorker().Run(worker.InterruptCh()); err != nil {
		log.Fatal(err)
	}
}

// Any process with the workflows and the keys starts runs. One with the keys shows and answers approvals.
func ExampleEngine_Decide() {
	ctx := context.Background()
	var engine *temporal.Engine // as in the example of the package
	run, err := engine.Start(ctx, "order", []byte(`{"item": "pen"}`), "order-4711")
	if err != nil {
		log.Fatal(err)
	}
	waiting, err := engine.Waiting(ctx, run)
	if err != nil {
		log.Fatal(err)
	}
	for _, w := range waiting {
		fmt.Printf("%s wants to call %s with %s\n", w.Call, w.Tool, w.Arguments)
		decision := temporal.Decision{Call: w.Call, Digest: w.Digest, Approved: true, By: "kim"}
		if err := engine.Decide(ctx, run, decision); err != nil {
			log.Fatal(err)
		}
	}
	result := engine.Wait(ctx, run)
	fmt.Println(result.Output, result.Err)
}
