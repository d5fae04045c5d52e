// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/toolscope/toolscope/bench"
	"github.com/toolscope/toolscope/toolkit"
)

// fleet are the agents of one run.
type fleet struct {
	settings
	client  *http.Client
	execute toolkit.Handler // the tool, bare or wrapped

	mu     sync.Mutex
	took   []time.Duration // by each call
	beyond []time.Duration // the time its tool was asked to wait
}

// message is one of a conversation.
type message struct {
	Role    string     `json:"role"`
	Content string     `json:"content,omitempty"`
	Calls   []proposed `json:"tool_calls,omitempty"`
	CallID  string     `json:"tool_call_id,omitempty"`
}

// maxMessages is when a new conversation starts.
const maxMessages = 40

type waitKey struct{}

// newFleet makes the agents around a way to wrap the tool.
func newFleet(s settings, wrap func(toolkit.Handler) toolkit.Handler) *fleet {
	f := &fleet{settings: s, client: &http.Client{Transport: &http.Transport{MaxIdleConns: 1024, MaxIdleConnsPerHost: 1024}}}
	wrapped := wrap(f.tool)
	f.execute = func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		begin := time.Now()
		res, err := wrapped(ctx, call)
		took := time.Since(begin)
		asked, _ := ctx.Value(waitKey{}).(time.Duration)
		f.mu.Lock()
		f.took, f.beyond = append(f.took, took), append(f.beyond, took-asked)
		f.mu.Unlock()
		return res, err
	}
	return f
}

// tool reads what the server has.
func (f *fleet) tool(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
	var arguments map[string]any
	if err := json.Unmarshal(call.Arguments, &arguments); err != nil {
		return toolkit.Result{}, err
	}
	asked, _ := ctx.Value(waitKey{}).(time.Duration)
	body, err := f.ask(ctx, http.MethodGet, "/tool?wait="+asked.String(), nil)
	return toolkit.Result{Output: string(body)}, err
}

func (f *fleet) ask(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, f.server+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	response, err := f.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return io.ReadAll(response.Body)
}

// run lets the agents work until the time is over, and returns how many calls they made.
func (f *fleet) run(ctx context.Context) (calls int, err error) {
	var all sync.WaitGroup
	errs := make(chan error, f.agents)
	end := time.Now().Add(f.duration)
	for n := range f.agents {
		all.Go(func() { errs <- f.agent(ctx, uint64(n), end) })
	}
	all.Wait()
	for range f.agents {
		if e := <-errs; e != nil {
			err = e
		}
	}
	return len(f.took), err
}

// agent asks the model, runs what it proposes, and asks again. Which call waits how long is
// the same in each run: 1 to 50 ms, short ones more often.
func (f *fleet) agent(ctx context.Context, number uint64, end time.Time) error {
	r := rand.New(rand.NewPCG(number, 1))
	next := func() time.Duration { return time.Duration(float64(time.Millisecond) * math.Pow(50, r.Float64())) }
	ctx = toolkit.WithSession(ctx, toolkit.Session{ID: fmt.Sprintf("session-%d", number), Agent: "planner"})
	executor := &toolkit.Executor{Handler: func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		return f.execute(ctx, call)
	}}
	var conversation []message
	for turn := 0; time.Now().Before(end); turn++ {
		if len(conversation) == 0 || len(conversation) > maxMessages {
			conversation = []message{{Role: "user", Content: bench.Text(300)}}
		}
		calls, err := f.think(ctx, conversation, turn, next())
		if err != nil {
			return err
		}
		conversation = append(conversation, message{Role: "assistant", Calls: calls})
		slowest := context.WithValue(ctx, waitKey{}, next())
		for _, a := range executor.Execute(slowest, asCalls(calls)...) {
			if a.Result.Fault != nil {
				return a.Result.Fault
			}
			conversation = append(conversation, message{Role: "tool", CallID: a.CallID, Content: a.Result.Output})
		}
	}
	return nil
}

// think sends the conversation to the model and reads what it proposes.
func (f *fleet) think(ctx context.Context, conversation []message, turn int, wait time.Duration) ([]proposed, error) {
	text, err := json.Marshal(conversation)
	if err != nil {
		return nil, err
	}
	answer, err := f.ask(ctx, http.MethodPost, fmt.Sprintf("/model?wait=%v&calls=%d&turn=%d", wait, f.batch, turn), text)
	if err != nil {
		return nil, err
	}
	var p proposal
	if err := json.Unmarshal(answer, &p); err != nil {
		return nil, err
	}
	return p.Calls, nil
}

func asCalls(list []proposed) []toolkit.Call {
	calls := make([]toolkit.Call, len(list))
	for i, p := range list {
		calls[i] = toolkit.Call{ID: p.ID, Name: p.Name, Arguments: p.Arguments}
	}
	return calls
}

// p99 sorts a list, which is not empty, and finds its 99th percentile.
func p99(list []time.Duration) time.Duration {
	slices.Sort(list)
	return list[len(list)*99/100]
}
