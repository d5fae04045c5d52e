// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/mcp/toolmcp"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/middleware/breaker"
	"github.com/toolscope/toolscope/middleware/budget"
	"github.com/toolscope/toolscope/middleware/cache"
	"github.com/toolscope/toolscope/middleware/limit"
	"github.com/toolscope/toolscope/middleware/loop"
	"github.com/toolscope/toolscope/middleware/permit"
	"github.com/toolscope/toolscope/middleware/retry"
	"github.com/toolscope/toolscope/middleware/timeout"
	"github.com/toolscope/toolscope/middleware/validate"
	"github.com/toolscope/toolscope/toolkit"
)

// worker serves one tool, which does what its arguments say, and counts how often it ran.
func worker(t *testing.T, runs *atomic.Int64) *mcp.Server {
	t.Helper()
	registry := new(toolkit.Registry)
	if err := registry.Register(toolkit.ToolFunc(toolkit.Definition{
		Name: "work", ReadOnly: toolkit.Yes, Idempotent: toolkit.Yes, RequiresApproval: true,
		InputSchema: json.RawMessage(`{"type":"object","properties":{"do":{"type":"string"}},"required":["do"]}`),
	}, func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		n := runs.Add(1)
		var in struct{ Do string }
		if err := json.Unmarshal(call.Arguments, &in); err != nil {
			return toolkit.Result{}, err
		}
		switch in.Do {
		case "fail":
			return toolkit.Result{}, errors.New("no")
		case "recover":
			if n == 1 {
				return toolkit.Result{}, errors.New("not yet")
			}
		case "wait":
			<-ctx.Done()
			return toolkit.Result{}, ctx.Err()
		case "much":
			return toolkit.Result{Output: strings.Repeat("much ", 1000)}, nil
		}
		return toolkit.Result{Output: string(call.Arguments)}, nil
	})); err != nil {
		t.Fatal(err)
	}
	server, err := toolmcp.NewServer(nil, registry, nil)
	if err != nil {
		t.Fatal(err)
	}
	return server
}

// must is a policy that could be made.
func must[P middleware.Policy](p P, err error) middleware.Policy {
	if err != nil {
		panic(err)
	}
	return p
}

// TestEveryPolicy puts each policy around a server's tool and around a client's calls, by a
// revision with sessions and by the one without: what the spans tell, how often the tool ran,
// and what the last answer says. Those that share answers among calls at once are in
// TestSharedResults.
func TestEveryPolicy(t *testing.T) {
	tenant, err := toolkit.NewHostParams(
		toolkit.HostParam{Tools: "work", Name: "tenant", Value: func(context.Context) (any, error) { return "ours", nil }},
	)
	if err != nil {
		t.Fatal(err)
	}
	panics := middleware.At(middleware.StagePermit, func(toolkit.Handler) toolkit.Handler {
		return func(context.Context, toolkit.Call) (toolkit.Result, error) { panic("boom") }
	})
	for name, c := range map[string]struct {
		policies func() []middleware.Policy
		calls    []string // arguments
		want     []string // error.type, else outcome, of each call
		runs     int64    // below 0: any
		says     string   // in the last answer
	}{
		"inject": {func() []middleware.Policy { return []middleware.Policy{must(middleware.Inject(tenant))} },
			[]string{`{"do":"echo","tenant":"another's"}`}, []string{"executed"}, 1, `"tenant":"ours"`},
		"loop": {func() []middleware.Policy {
			return []middleware.Policy{must(loop.New(loop.Options{Default: loop.Thresholds{Stop: 3}}))}
		}, []string{`{"do":"echo"}`, `{"do":"echo"}`, `{"do":"echo"}`}, []string{"executed", "executed", "loop_detected"}, 2, "work"},
		"truncate": {func() []middleware.Policy {
			return []middleware.Policy{must(middleware.Truncate(middleware.TruncateOptions{Limit: 512}))}
		}, []string{`{"do":"much"}`}, []string{"executed"}, 1, "left out"},
		"validate": {func() []middleware.Policy { return []middleware.Policy{must(validate.New(validate.Options{}))} },
			[]string{`{"do":7}`, `{}`}, []string{"invalid_arguments", "invalid_arguments"}, 0, "do"},
		"permit": {func() []middleware.Policy {
			rules, err := permit.Compile(
				permit.Spec{Rules: []permit.Rule{{Name: "no-fail", Effect: permit.Deny, When: `args.do == "fail"`}}},
			)
			if err != nil {
				t.Fatal(err)
			}
			return []middleware.Policy{must(permit.New(permit.Options{Rules: rules}))}
		}, []string{`{"do":"echo"}`, `{"do":"fail"}`}, []string{"executed", "permission_denied"}, 1, "no-fail"},
		"approve": {func() []middleware.Policy {
			return []middleware.Policy{must(approve.New(approve.Options{Askers: []approve.Asker{approve.AskerFunc(func(
				_ context.Context, r approve.Request,
			) (approve.Answer, error) {
				return approve.Answer{Approved: strings.Contains(string(r.Arguments), "echo"), By: "Ada", Note: "rather not"}, nil
			})}}))}
		}, []string{`{"do":"echo"}`, `{"do":"fail"}`}, []string{"executed", "approval_denied"}, 1, "rather not"},
		"cache": {func() []middleware.Policy {
			return []middleware.Policy{must(cache.New(cache.Options{}))}
		}, []string{`{"do":"echo"}`, ` {"do" : "echo"}`}, []string{"executed", "cache_hit"}, 1, "echo"},
		"budget": {func() []middleware.Policy {
			return []middleware.Policy{must(budget.New(budget.Options{Session: budget.Limits{Calls: 1}}))}
		}, []string{`{"do":"echo"}`, `{"do":"more"}`}, []string{"executed", "budget_exceeded"}, 1, "budget"},
		"retry": {func() []middleware.Policy {
			return []middleware.Policy{must(retry.New(retry.Options{On: []toolkit.Kind{toolkit.ErrTool}, BaseDelay: time.Millisecond}))}
		}, []string{`{"do":"recover"}`}, []string{"executed"}, 2, "recover"},
		"breaker": {func() []middleware.Policy {
			return []middleware.Policy{must(breaker.New(breaker.Options{On: []toolkit.Kind{toolkit.ErrTool}, Consecutive: 2}))}
		}, []string{`{"do":"fail"}`, `{"do":"fail"}`, `{"do":"echo"}`}, []string{"tool_error", "tool_error", "circuit_open"}, 2,
			"work"},
		"limit": {func() []middleware.Policy {
			return []middleware.Policy{
				must(limit.New(limit.Options{Rate: limit.Rate{Global: toolkit.RateLimit{MaxCalls: 1, Window: time.Hour}}})),
			}
		}, []string{`{"do":"echo"}`, `{"do":"echo"}`}, []string{"executed", "rate_limited"}, 1, "again"},
		"timeout": {func() []middleware.Policy {
			return []middleware.Policy{must(timeout.New(timeout.Options{Default: 20 * time.Millisecond}))}
		}, []string{`{"do":"wait"}`}, []string{"timeout"}, -1, "20ms"},
		"recover": {func() []middleware.Policy { return []middleware.Policy{must(middleware.Recover()), panics} },
			[]string{`{"do":"echo"}`}, []string{"panic"}, 0, "panic"},
	} {
		for _, revision := range []string{legacy, stateless} {
			for _, side := range []string{"client", "server"} {
				t.Run(name+"/"+revision+"/"+side, func(t *testing.T) {
					var runs atomic.Int64
					h, one := newTelemetry(t, toolscope.Options{Policies: c.policies()}), toolkit.Session{ID: "one"}
					server, client := worker(t, &runs), mcp.NewClient(&mcp.Implementation{Name: "test"}, nil)
					if side == "client" {
						toolmcp.Instrument(client, h.Scope, toolmcp.Options{})
					} else {
						toolmcp.Instrument(server, h.Scope, toolmcp.Options{
							Session: func(mcp.Request) *toolkit.Session { return &one },
						})
					}
					cs := dial(t, client, server, revision)
					if _, err := cs.ListTools(t.Context(), nil); err != nil {
						t.Fatal(err)
					}
					ctx, text := toolkit.WithSession(t.Context(), one), ""
					for _, arguments := range c.calls {
						res, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: "work", Arguments: json.RawMessage(arguments)})
						if err != nil {
							t.Fatalf("%s: got %v, want a result that the model reads", arguments, err)
						}
						text = res.Content[0].(*mcp.TextContent).Text
					}
					if got := endings(h, "tools/call work"); !slices.Equal(got, c.want) {
						t.Errorf("got %q, want %q", got, c.want)
					}
					if n := runs.Load(); n != c.runs && c.runs >= 0 {
						t.Errorf("the tool ran %d times, want %d", n, c.runs)
					}
					if !strings.Contains(text, c.says) || name == "truncate" && len(text) > 512 {
						t.Errorf("got the last answer %q, want it to say %q", text, c.says)
					}
				})
			}
		}
	}
}

// endings are how the spans of that name ended: their error.type, else their outcome.
func endings(h *telemetry, name string) (list []string) {
	for _, span := range h.spans.Ended() {
		if span.Name() == name {
			a := attributes(span.Attributes())
			list = append(list, a["error.type"])
			if list[len(list)-1] == "" {
				list[len(list)-1] = a["toolscope.outcome"]
			}
		}
	}
	return list
}

// TestAPolicyThatPanics checks that a server answers a call of which a policy made a panic, and
// does not say what it panicked with.
func TestAPolicyThatPanics(t *testing.T) {
	for _, revision := range []string{legacy, stateless} {
		var runs atomic.Int64
		s := newTelemetry(t, toolscope.Options{
			Policies: []middleware.Policy{middleware.At(middleware.StageCache, func(toolkit.Handler) toolkit.Handler {
				return func(context.Context, toolkit.Call) (toolkit.Result, error) { panic("boom") }
			})},
		})
		cs := connect(t, worker(t, &runs), nil, s, revision)
		for range 2 {
			res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "work", Arguments: json.RawMessage(`{"do":"echo"}`)})
			said, _ := json.Marshal(res)
			if err != nil || !res.IsError || strings.Contains(string(said), "boom") ||
				strings.Contains(string(said), `"resultType":"complete"`) != (revision == stateless) {
				t.Errorf("%s: got %s and %v, want a failed result", revision, said, err)
			}
		}
		if got := endings(s, "tools/call work"); !slices.Equal(got, []string{"panic", "panic"}) {
			t.Errorf("%s: got %q", revision, got)
		}
	}
}
