// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Policies governs a small registry in code: answers of reading tools are stored, a model
// that repeats itself is noticed, slow tools end in time, and a person is asked before
// the dangerous one. It prints what became of each call as a trace. No server is needed.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/middleware/cache"
	"github.com/toolscope/toolscope/middleware/loop"
	"github.com/toolscope/toolscope/middleware/timeout"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer) error {
	policies, err := policies()
	if err != nil {
		return err
	}
	providers, err := exporters.Setup(ctx, exporters.Options{ServiceName: "policies"})
	if err != nil {
		return err
	}
	scope, err := toolscope.New(toolscope.Options{
		TracerProvider: providers.TracerProvider,
		MeterProvider:  providers.MeterProvider,
		Policies:       policies,
	})
	if err != nil {
		return err
	}
	registry, err := tools()
	if err != nil {
		return err
	}
	handle := scope.WrapRegistry(registry)

	turn, agent := scope.StartAgent(ctx, tracing.Agent{Name: "planner", Session: "s1"})
	for i, c := range []struct{ tool, arguments string }{
		{"weather", `{"city":"Oslo"}`},
		{"weather", `{ "city": "Oslo" }`}, // the same: answered from the store
		{"weather", `{"city":"Oslo"}`},    // and again: a loop
		{"report", `{}`},                  // takes too long
		{"deploy", `{"to":"production"}`}, // asks a person
	} {
		_, err := handle(turn, toolkit.Call{ID: fmt.Sprint("call_", i+1), Name: c.tool, Arguments: json.RawMessage(c.arguments)})
		if err != nil {
			fmt.Fprintln(out, err.Error())
		}
	}
	agent.End(nil)

	for _, trace := range providers.Ring.Traces() {
		if err := exporters.WriteTree(out, trace, exporters.TreeOptions{NoTimes: true}); err != nil {
			return err
		}
	}
	return errors.Join(scope.Shutdown(ctx), providers.Shutdown(ctx))
}

// policies may be given in any order: each knows its place.
func policies() ([]middleware.Policy, error) {
	recovers, err := middleware.Recover()
	if err != nil {
		return nil, err
	}
	store, err := cache.New(cache.Options{TTL: time.Minute})
	if err != nil {
		return nil, err
	}
	loops, err := loop.New(loop.Options{})
	if err != nil {
		return nil, err
	}
	limits, err := timeout.New(timeout.Options{Tools: map[string]time.Duration{"report": 20 * time.Millisecond}})
	if err != nil {
		return nil, err
	}
	person := approve.AskerFunc(func(context.Context, approve.Request) (approve.Answer, error) {
		return approve.Answer{By: "ada", Note: "not on a Friday"}, nil
	})
	approvals, err := approve.New(approve.Options{Askers: []approve.Asker{person}})
	if err != nil {
		return nil, err
	}
	return []middleware.Policy{recovers, store, loops, limits, approvals}, nil
}

func tools() (*toolkit.Registry, error) {
	type city struct{ City string }
	weather := toolkit.NewTool(toolkit.Definition{
		Name: "weather", Description: "Says what the weather is.",
		ReadOnly: toolkit.Yes, Idempotent: toolkit.Yes, Destructive: toolkit.No,
	}, func(_ context.Context, in city) (string, error) {
		return "rain in " + in.City, nil
	})
	report := toolkit.NewTool(toolkit.Definition{
		Name: "report", Description: "Writes a report.",
	}, func(ctx context.Context, _ struct{}) (string, error) {
		select {
		case <-time.After(time.Minute):
			return "done", nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	})
	deploy := toolkit.NewTool(toolkit.Definition{
		Name: "deploy", Description: "Deploys.", Risk: toolkit.RiskHigh,
	}, func(context.Context, struct{ To string }) (string, error) {
		return "deployed", nil
	})
	registry := new(toolkit.Registry)
	return registry, registry.Register(weather, report, deploy)
}
