// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//lint:file-ignore SA1019 servers of older revisions ask for what the newest deprecates, and are served.

package manager_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope/mcp/manager"
	"github.com/toolscope/toolscope/toolkit"
)

// asking is a server whose tool asks the host, and says what came.
func asking(ask func(ctx context.Context, s *mcp.ServerSession) (any, error)) *memory {
	m := newMemory()
	m.server.AddTool(&mcp.Tool{Name: "ask", InputSchema: map[string]any{"type": "object"}},
		func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			got, err := ask(ctx, r.Session)
			text, _ := json.Marshal(got)
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf("%s %v", text, err)}}}, nil
		})
	return m
}

// old is a server's configuration by a revision in which servers may ask on their own.
func old(m *memory, name string) manager.Server {
	s := m.conf(name)
	s.ProtocolVersion = "2025-11-25"
	return s
}

func TestRequestsAreHandedToTheHost(t *testing.T) {
	sample := &mcp.CreateMessageParams{MaxTokens: 1,
		Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: "hi"}}}}
	elicit := &mcp.ElicitParams{Message: "name?",
		RequestedSchema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}}}`)}
	// Schemas on which the SDK's validator calls itself for ever, or nearly so.
	hostile := func(schema string) func(context.Context, *mcp.ServerSession) (any, error) {
		return func(ctx context.Context, s *mcp.ServerSession) (any, error) {
			return s.Elicit(ctx, &mcp.ElicitParams{Message: "?", RequestedSchema: json.RawMessage(schema)})
		}
	}
	answer := manager.Options{
		Sampling: func(_ context.Context, server string, p *mcp.CreateMessageParams) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Role: "assistant", Model: "m",
				Content: &mcp.TextContent{Text: "hello from " + server}}, nil
		},
		Elicitation: func(context.Context, string, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada"}}, nil
		},
		Roots: []*mcp.Root{{URI: "file:///work", Name: "work"}},
	}
	for _, c := range []struct {
		name    string
		options manager.Options
		ask     func(ctx context.Context, s *mcp.ServerSession) (any, error)
		want    string
	}{
		{"sampling", answer, func(ctx context.Context, s *mcp.ServerSession) (any,
			error) {
			return s.CreateMessage(ctx, sample)
		}, "hello from a"},
		{"sampling with tools", manager.Options{
			SamplingWithTools: func(context.Context, string,
				*mcp.CreateMessageWithToolsParams) (*mcp.CreateMessageWithToolsResult, error) {
				return &mcp.CreateMessageWithToolsResult{Role: "assistant", Model: "m",
					Content: []mcp.Content{&mcp.TextContent{Text: "with tools"}}}, nil
			}}, func(ctx context.Context, s *mcp.ServerSession) (any, error) { return s.CreateMessage(ctx, sample) },
			"with tools"},
		{"elicitation", answer, func(ctx context.Context, s *mcp.ServerSession) (any,
			error) {
			return s.Elicit(ctx, elicit)
		}, `"name":"Ada"`},
		{"roots", answer, func(ctx context.Context, s *mcp.ServerSession) (any,
			error) {
			return s.ListRoots(ctx, nil)
		}, "file:///work"},
		{"a panic", manager.Options{
			Elicitation: func(context.Context, string, *mcp.ElicitParams) (*mcp.ElicitResult, error) { panic("secret") }},
			func(ctx context.Context, s *mcp.ServerSession) (any, error) { return s.Elicit(ctx, elicit) },
			"handler of elicitation/create panicked"},
		{"an error", manager.Options{Elicitation: func(context.Context, string, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
			return nil, errors.New("no one at home")
		}}, func(ctx context.Context, s *mcp.ServerSession) (any, error) { return s.Elicit(ctx, elicit) }, "no one at home"},
		{"a schema of itself", answer, hostile(`{"type":"object","$ref":"#"}`), "requestedSchema: got references"},
		{"a property of itself", answer, hostile(`{"type":"object","properties":{"name":{"type":"string",` +
			`"$ref":"#/properties/name"}}}`), "requestedSchema: got references"},
		{"a dynamic reference", answer, hostile(`{"type":"object","allOf":[{"$dynamicRef":"#"}]}`),
			"requestedSchema: got references"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.options.Servers = []manager.Server{old(asking(c.ask), "a")}
			m := open(t, c.options)
			got, err := call(t, m, "a__ask", "")
			if err != nil || !strings.Contains(got, c.want) || strings.Contains(got, "secret") {
				t.Errorf("got %q, %v, want %s", got, err, c.want)
			}
		})
	}
}

func TestRefusalsSayWhat(t *testing.T) {
	for want, ask := range map[string]func(ctx context.Context, s *mcp.ServerSession) (any, error){
		`method not found: "roots/list"`: func(ctx context.Context, s *mcp.ServerSession) (any,
			error) {
			return s.ListRoots(ctx, nil)
		},
		"sampling": func(ctx context.Context, s *mcp.ServerSession) (any, error) {
			return s.CreateMessage(ctx, &mcp.CreateMessageParams{MaxTokens: 1})
		},
		"elicitation": func(ctx context.Context, s *mcp.ServerSession) (any, error) {
			return s.Elicit(ctx, &mcp.ElicitParams{Message: "?"})
		},
	} {
		m := open(t, manager.Options{Servers: []manager.Server{old(asking(ask), "a")}})
		if got, err := call(t, m, "a__ask", ""); err != nil || !strings.Contains(got, want) || !strings.HasPrefix(got, "null") {
			t.Errorf("got %q, %v, want %s", got, err, want)
		}
	}
}

func TestAServerThatAsksTooMuchAtATime(t *testing.T) {
	release := make(chan struct{})
	var once sync.Once
	server := asking(func(ctx context.Context, s *mcp.ServerSession) (any, error) {
		refused := make(chan error, 200)
		var all sync.WaitGroup
		for range 200 {
			all.Go(func() {
				_, err := s.Elicit(ctx, &mcp.ElicitParams{Message: "?"})
				if err != nil && strings.Contains(err.Error(), "more than 64 requests") {
					once.Do(func() { close(release) })
				}
				refused <- err
			})
		}
		all.Wait()
		close(refused)
		n := 0
		for err := range refused {
			if err != nil {
				n++
			}
		}
		return n > 0, nil
	})
	m := open(t, manager.Options{Servers: []manager.Server{old(server, "a")},
		Elicitation: func(ctx context.Context, _ string, _ *mcp.ElicitParams) (*mcp.ElicitResult, error) {
			select {
			case <-release:
			case <-ctx.Done():
			}
			return &mcp.ElicitResult{Action: "decline"}, nil
		}})
	wantCall(t, m, "a__ask", "", "true <nil>")
}

// A host's handler that waits for a person does not keep the manager from closing.
func TestCloseEndsTheHostsHandlers(t *testing.T) {
	for _, kind := range []string{"memory", "child", "http"} {
		t.Run(kind, func(t *testing.T) {
			var conf manager.Server
			switch kind {
			case "memory":
				conf = old(asking(func(ctx context.Context, s *mcp.ServerSession) (any, error) {
					return s.Elicit(ctx, &mcp.ElicitParams{Message: "?"})
				}), "a")
			case "child":
				conf = child("a", "a")
				conf.ProtocolVersion = "2025-11-25"
			case "http":
				conf = web(t, "a", "a", false)
				conf.ProtocolVersion = "2025-11-25"
			}
			waiting := make(chan struct{})
			wait := func(ctx context.Context) error {
				close(waiting)
				<-ctx.Done()
				return ctx.Err()
			}
			m := open(t, manager.Options{Servers: []manager.Server{conf},
				Elicitation: func(ctx context.Context, _ string, _ *mcp.ElicitParams) (*mcp.ElicitResult, error) {
					return nil, wait(ctx)
				},
				Sampling: func(ctx context.Context, _ string, _ *mcp.CreateMessageParams) (*mcp.CreateMessageResult, error) {
					return nil, wait(ctx)
				},
			})
			tool := "a__asks"
			if kind == "memory" {
				tool = "a__ask"
			}
			type answer struct {
				text string
				err  error
			}
			done := make(chan answer, 1)
			go func() {
				got, err := call(t, m, tool, "")
				done <- answer{got, err}
			}()
			<-waiting
			if err := m.Close(); err != nil {
				t.Error(err)
			}
			select {
			case a := <-done:
				// The server may still answer before its connection ends: then it says what its request failed with.
				if text, _, _ := strings.Cut(a.text, "\n"); a.err == nil && strings.HasSuffix(text, "<nil>") {
					t.Errorf("got %q, want an error, or an answer that the server's request failed", a.text)
				}
			case <-time.After(10 * time.Second):
				t.Error("the call goes on after Close, want it to end with the manager")
			}
		})
	}
}

func TestProgressAndLogsAreTold(t *testing.T) {
	var mu sync.Mutex
	type told struct {
		server, tool, id, message string
		progress, total           float64
	}
	var progress []told
	var logs []mcp.LoggingMessageParams
	var logger []string
	var lines []string
	server := newMemory()
	server.server.AddTool(&mcp.Tool{Name: "log", InputSchema: map[string]any{"type": "object"}},
		func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{},
				r.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "warning", Logger: "db", Data: "slow"})
		})
	m := open(t, manager.Options{
		Servers:  []manager.Server{child("a", "a"), web(t, "b", "b", false), old(server, "c")},
		LogLevel: "info",
		OnProgress: func(server string, call toolkit.Call, p mcp.ProgressNotificationParams) {
			mu.Lock()
			defer mu.Unlock()
			progress = append(progress, told{server, call.Name, call.ID, p.Message, p.Progress, p.Total})
			panic("in the application's handler")
		},
		OnLog: func(server string, m mcp.LoggingMessageParams) {
			mu.Lock()
			defer mu.Unlock()
			logs, logger = append(logs, m), append(logger, server)
		},
		OnStderr: func(server, line string) {
			mu.Lock()
			defer mu.Unlock()
			lines = append(lines, server+": "+line)
		},
	})
	count := func() (int, int) {
		mu.Lock()
		defer mu.Unlock()
		return len(progress), len(logs)
	}
	for i, server := range []string{"a", "b"} {
		// A notification may come after the answer, and is dropped then.
		eventually(t, "progress is reported", func() bool {
			if _, err := m.Handle(context.Background(), toolkit.Call{ID: "7", Name: server + "__progress"}); err != nil {
				t.Fatal(err)
			}
			n, _ := count()
			return n > i
		})
		mu.Lock()
		if p, want := progress[len(progress)-1], (told{server, server + "__progress", "7", "half", 1, 2}); p != want {
			t.Errorf("got %+v, want %+v", p, want)
		}
		progress = progress[:i+1]
		mu.Unlock()
	}
	wantCall(t, m, "c__log", "", "")
	eventually(t, "a log message is reported", func() bool { _, n := count(); return n == 1 })
	if l := logs[0]; logger[0] != "c" || l.Logger != "db" || l.Level != "warning" || l.Data != "slow" {
		t.Errorf("got %+v", l)
	}
}

// Since revision 2026-07-28 servers ask in the result of a call.
func TestRequestsInAResultAreHandedToTheHost(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"object","properties":{"name":{"type":"string"}}}`: `{"name":"Ada"}`,
		`{"type":"object","$ref":"#"}`:                              "requestedSchema: got references",
	} {
		server := newMemory()
		server.server.AddTool(&mcp.Tool{Name: "ask", InputSchema: map[string]any{"type": "object"}},
			func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				if got, ok := r.Params.InputResponses["who"].(*mcp.ElicitResult); ok {
					text, err := json.Marshal(got.Content)
					return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}, err
				}
				return &mcp.CallToolResult{
					InputRequests: mcp.InputRequestMap{
						"who": &mcp.ElicitParams{Message: "?", RequestedSchema: json.RawMessage(schema)}}}, nil
			})
		m := open(t, manager.Options{Servers: []manager.Server{server.conf("a")},
			Elicitation: func(context.Context, string, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada"}}, nil
			}})
		got, err := call(t, m, "a__ask", "")
		if !strings.Contains(fmt.Sprint(got, err), want) {
			t.Errorf("%s: got %q, %v, want %s", schema, got, err, want)
		}
		if v := status(t, m, "a").Initialized.ProtocolVersion; v != "2026-07-28" {
			t.Errorf("got the revision %s", v)
		}
	}
}

// A server that says all the time that its lists changed is read now and then.
func TestAFloodOfNotifications(t *testing.T) {
	server := newMemory(&mcp.Tool{Name: "t"})
	var lists atomic.Int32
	server.server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method == "tools/list" {
				lists.Add(1)
			}
			return next(ctx, method, req)
		}
	})
	bubble(t, manager.Options{Servers: []manager.Server{old(server, "a")}}, func(t *testing.T, m *manager.Manager) {
		if err := m.Start(context.Background()); err != nil {
			t.Fatal(err)
		}
		for i := range 1000 {
			server.server.RemoveTools("t")
			server.server.AddTool(&mcp.Tool{Name: "t", Description: fmt.Sprint(i),
				InputSchema: map[string]any{"type": "object"}}, nil)
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Second)
		if n := lists.Load(); n < 2 || n > 30 {
			t.Errorf("read the tools %d times in two seconds, want at most ten times a second", n)
		}
		if d := m.Lookup("a__t"); d == nil || d.Description != "999" {
			t.Errorf("got %+v, want the last one", d)
		}
	})
}
