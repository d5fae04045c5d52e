// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package soak

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/middleware/breaker"
	"github.com/toolscope/toolscope/middleware/budget"
	"github.com/toolscope/toolscope/middleware/cache"
	"github.com/toolscope/toolscope/middleware/dedupe"
	"github.com/toolscope/toolscope/middleware/limit"
	"github.com/toolscope/toolscope/middleware/loop"
	"github.com/toolscope/toolscope/middleware/permit"
	"github.com/toolscope/toolscope/middleware/retry"
	"github.com/toolscope/toolscope/middleware/timeout"
	"github.com/toolscope/toolscope/middleware/validate"
	"github.com/toolscope/toolscope/toolkit"
)

// host is a program that uses toolscope with everything on.
type host struct {
	providers *exporters.Providers
	scope     *toolscope.Scope
	handle    toolkit.Handler
	server    *http.Server
	served    chan struct{}
	url       string
	made      atomic.Int64 // calls that were begun
	ended     atomic.Int64 // calls that the observer received
	outcomes  [8]atomic.Int64
}

// newHost makes a host whose stores have those bounds.
func newHost(ctx context.Context, b bounds) (*host, error) {
	h := new(host)
	o := exporters.Options{ServiceName: "soak", RingSpans: b.spans}
	if b.spool != "" {
		o.SpoolDir, o.SpanProcessors = b.spool, []sdktrace.SpanProcessor{b.ended}
		o.Spool = exporters.SpoolOptions{WriteAhead: true, MaxBackoff: time.Second}
	}
	providers, err := exporters.Setup(ctx, o)
	if err != nil {
		return nil, err
	}
	policies, err := policies(b)
	if err != nil {
		return nil, err
	}
	scope, err := toolscope.New(toolscope.Options{
		TracerProvider: providers.TracerProvider,
		MeterProvider:  providers.MeterProvider,
		Policies:       policies,
		Observers:      []toolkit.Observer{h},
	})
	if err != nil {
		return nil, err
	}
	registry := new(toolkit.Registry)
	if err := registry.Register(tools...); err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	h.providers, h.scope, h.handle = providers, scope, scope.WrapRegistry(registry)
	h.url = "http://" + listener.Addr().String()
	h.server = &http.Server{Handler: scope.HTTPHandler(), ReadHeaderTimeout: 5 * time.Second}
	h.served = make(chan struct{})
	go func() {
		defer close(h.served)
		_ = h.server.Serve(listener) // ends by close
	}()
	return h, nil
}

var _ toolkit.Observer = (*host)(nil)

// Begin, Wants and End make the host an observer of its own calls, which counts them.
func (h *host) Begin(ctx context.Context, _ toolkit.Call, _ *toolkit.CallInfo) context.Context {
	return ctx
}
func (h *host) Wants(context.Context) bool { return false }
func (h *host) End(_ context.Context, e *toolkit.Ended) {
	h.ended.Add(1)
	h.outcomes[e.Disposition.Outcome].Add(1)
}

// bounds are what may be kept; 0 is the default.
type bounds struct {
	duplicates, answers, spans int
	sessions                   int    // remembered by policies
	spool                      string // a directory; "" is no spool
	ended                      *ended // counts what ends before it goes through the spool
}

// policies are all that there are.
func policies(b bounds) ([]middleware.Policy, error) {
	rules, err := permit.Compile(permit.Spec{Rules: []permit.Rule{
		{Name: "no", Effect: permit.Deny, Tools: []string{"forbidden"}},
		{Name: "others", Effect: permit.Allow, Tools: []string{"*"}},
	}})
	if err != nil {
		return nil, err
	}
	gate, err1 := permit.New(permit.Options{Rules: rules, Approver: true})
	approvals, err2 := approve.New(approve.Options{Askers: []approve.Asker{approve.AskerFunc(func(context.Context, approve.Request) (
		approve.Answer, error,
	) {
		return approve.Answer{Approved: true, By: "soak"}, nil
	})}})
	duplicates, err3 := dedupe.New(dedupe.Options{History: 200 * time.Millisecond, MaxBytes: b.duplicates})
	answers, err4 := cache.New(cache.Options{TTL: 5 * time.Second, MaxBytes: b.answers})
	loops, err5 := loop.New(loop.Options{Sessions: b.sessions})
	paid, err6 := budget.New(budget.Options{Keep: b.sessions, Session: budget.Limits{Calls: 10_000}})
	again, err7 := retry.New(retry.Options{On: []toolkit.Kind{toolkit.ErrTool}, BaseDelay: time.Millisecond})
	circuits, err8 := breaker.New(breaker.Options{})
	limits, err9 := limit.New(limit.Options{Concurrency: limit.Concurrency{
		Global: 128, PerTool: 64, MaxWait: time.Second, Queue: 1000,
	}})
	clock, err10 := timeout.New(timeout.Options{Default: 20 * time.Millisecond, Abandon: []string{"deaf"}, MaxAbandoned: 16})
	valid, err11 := validate.New(validate.Options{Coerce: true})
	recovers, err12 := middleware.Recover()
	return []middleware.Policy{
			recovers, valid, gate, approvals, duplicates, answers, loops, paid, again, circuits, limits, clock,
		},
		errors.Join(err1, err2, err3, err4, err5, err6, err7, err8, err9, err10, err11, err12)
}

// readers is how many goroutines read the statistics meanwhile.
const readers = 6

// read starts the readers: all resources in turn, and streams that are left after a while. The function
// returned stops them.
func (h *host) read() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	get := func(ctx context.Context, path string) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, h.url+path, nil)
		if err != nil {
			return
		}
		if res, err := client.Do(req); err == nil {
			_, _ = io.Copy(io.Discard, res.Body) // a stream ends with its context
			res.Body.Close()
		}
	}
	paths := []string{
		"/", "/api/v1/summary?window=5m", "/api/v1/tools/read", "/api/v1/errors", "/api/v1/calls",
		"/api/v1/sessions", "/api/v1/loops", "/api/v1/snapshot", "/metrics", "/healthz",
	}
	for i := range readers {
		all.Go(func() {
			for n := i; ctx.Err() == nil; n++ {
				if i == 0 {
					short, leave := context.WithTimeout(ctx, 3*time.Second)
					get(short, "/api/v1/stream")
					leave()
					continue
				}
				get(ctx, paths[n%len(paths)])
				select {
				case <-ctx.Done():
				case <-time.After(500 * time.Millisecond):
				}
			}
		})
	}
	return func() { cancel(); all.Wait() }
}

// judge compares the counts.
func (h *host) judge(made int64) error {
	all := h.scope.Stats().Summary(allTime).Overall
	fmt.Printf("%d calls: %d executed (%d failed), %d hits, %d coalesced, %d repeated, %d refused; p99 %.2f ms\n",
		all.Calls, all.Executed, all.Failed, all.CacheHits, all.Coalesced, all.Repeated, all.Refused, all.P99Ms)
	var problems []error
	check := func(what string, got, want int64) {
		if got != want {
			problems = append(problems, fmt.Errorf("%s: got %d, want %d", what, got, want))
		}
	}
	check("calls that the observer received", h.ended.Load(), made)
	check("calls in the statistics", int64(all.Calls), made)
	check("calls in flight", all.InFlight, 0)
	for o, got := range map[toolkit.Outcome]uint64{
		toolkit.OutcomeExecuted: all.Executed, toolkit.OutcomeCacheHit: all.CacheHits, toolkit.OutcomeCoalesced: all.Coalesced,
		toolkit.OutcomeRepeated: all.Repeated, toolkit.OutcomeRefused: all.Refused,
	} {
		check(o.String()+" in the statistics", int64(got), h.outcomes[o].Load())
		if got == 0 {
			problems = append(problems, fmt.Errorf("%v: none, so the load does not show what it should", o))
		}
	}
	return errors.Join(problems...)
}

func (h *host) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	err := h.server.Shutdown(ctx)
	<-h.served
	return errors.Join(err, h.scope.Shutdown(ctx), h.providers.Shutdown(ctx))
}
