// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

// The tools of what is played after the script.
const (
	stockTool  = "stock_lookup"   // fails while its backend is down
	ticketTool = "ticket_search"  // asked again and again by a model that goes round in circles
	deployTool = "release_deploy" // asks for approval
)

// The outage of the stock's backend: it begins this long into each cycle.
const (
	outageCycle = 90 * time.Second
	outageFrom  = 20 * time.Second
	outageUntil = 40 * time.Second
)

// errUnavailable is an error with a type of its own, which the demo's policies retry.
type errUnavailable struct{}

func (errUnavailable) Error() string     { return "stock backend: connect: connection refused" }
func (errUnavailable) ErrorType() string { return unavailable }

// playTools are the tools that only what is played uses. begun is when it began.
func playTools(begun time.Time) []toolkit.Tool {
	type question struct {
		Text string `json:"text"`
	}
	schema := json.RawMessage(`{"type":"object","properties":{"text":{"type":"string","description":"What is asked."}}}`)
	return []toolkit.Tool{
		toolkit.NewTool(toolkit.Definition{
			Name: stockTool, Description: "Looks an article up in the stock; its backend is down now and then.", InputSchema: schema,
			ReadOnly: toolkit.Yes, Idempotent: toolkit.Yes, Category: "stock",
		}, func(ctx context.Context, q question) (string, error) {
			if at := time.Since(begun) % outageCycle; at >= outageFrom && at < outageUntil {
				return "", errUnavailable{}
			}
			return "12 of " + q.Text + " in stock", pause(ctx, 15*time.Millisecond)
		}),
		toolkit.NewTool(toolkit.Definition{
			Name: ticketTool, Description: "Searches the tickets.", InputSchema: schema, ReadOnly: toolkit.No, Category: "tickets",
		}, func(ctx context.Context, q question) (string, error) {
			return "no ticket has " + q.Text, pause(ctx, 8*time.Millisecond)
		}),
		toolkit.NewTool(toolkit.Definition{
			Name: deployTool, Description: "Deploys a release.", InputSchema: schema, Risk: toolkit.RiskHigh, RequiresApproval: true,
			Category: "operations",
		}, func(ctx context.Context, q question) (string, error) {
			return "deployed " + q.Text, pause(ctx, 300*time.Millisecond)
		}),
	}
}

// pause waits, unless the context is over before.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// play makes sessions of several agents, until the context is over.
func (s *session) play(ctx context.Context) error {
	if err := s.catalog.Registry.Register(playTools(time.Now())...); err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	var releases sync.WaitGroup
	releases.Go(func() { s.release(ctx) })
	defer releases.Wait()
	agents := []string{"planner", "researcher", "support"}
	for n := 0; ; n++ {
		conversation := fmt.Sprintf("%s-%d", s.summary.Conversation, n+1)
		for i, t := range s.model.session(n) {
			if err := s.playTurn(ctx, conversation, agents[n%len(agents)], i+1, t); err != nil {
				return ended(ctx, err)
			}
		}
	}
}

// ended is nil for an error that is only the end of the context.
func ended(ctx context.Context, err error) error {
	if errors.Is(err, context.Cause(ctx)) {
		return nil
	}
	return err
}

// release asks for a deployment over and over. Its calls wait for approval, so that they have a loop of their own.
func (s *session) release(ctx context.Context) {
	for n := 1; ; n++ {
		deploy := s.model.call(deployTool, "text", fmt.Sprintf("v1.%d.0", n))
		t := turn{prompt: "Deploy the release.", batches: [][]toolkit.Call{{deploy}}}
		if s.playTurn(ctx, s.summary.Conversation+"-releases", "releaser", n, t) != nil || pause(ctx, 5*time.Second) != nil {
			return
		}
	}
}

// playTurn runs one turn, and after each batch waits for as long as its calls may take at the rate.
func (s *session) playTurn(ctx context.Context, conversation, agent string, number int, t turn) error {
	ctx, run := s.scope.StartAgent(ctx, tracing.Agent{
		Name: agent, Conversation: conversation, Session: conversation, Turn: number, Prompt: t.prompt,
	})
	defer run.End(nil)
	for _, batch := range t.batches {
		run.InferenceCall()
		s.executor.Execute(ctx, batch...)
		if err := pause(ctx, time.Duration(float64(len(batch))/s.options.Rate*float64(time.Second))); err != nil {
			return err
		}
	}
	return nil
}

// session is the turns of the n-th session that is played.
func (m *model) session(n int) []turn {
	stock := func(article string) toolkit.Call { return m.call(stockTool, "text", article) }
	again := make([][]toolkit.Call, 6) // the same, over and over
	for i := range again {
		again[i] = []toolkit.Call{m.call(ticketTool, "text", fmt.Sprint("invoice ", n))}
	}
	read := m.file(n)
	return []turn{
		m.more(n),
		{prompt: "What is in stock?", batches: [][]toolkit.Call{
			{stock("bolts"), stock("bolts"), stock("nuts")},   // a duplicate in one batch
			{stock("bolts"), stock(fmt.Sprint("screws ", n))}, // a cache hit
		}},
		{prompt: "Read it again.", batches: [][]toolkit.Call{
			{m.call(fileRead, "path", read)}, {m.call(fileRead, "path", read), m.call(shellRun, "command", "date")},
		}},
		{prompt: "Find the ticket.", batches: again},
		{prompt: "Refund it.", batches: [][]toolkit.Call{
			{m.call("payment_refund", "topic", fmt.Sprint(5000+n)), m.call("config_read", "topic", "staging")},
			{m.call("report_export", "topic", "sales"), m.call(sqlQuery, "query", "SELECT city, COUNT(*) FROM orders GROUP BY city")},
		}},
	}
}

// unavailable is the error.type of a backend that is down.
const unavailable = "unavailable"
