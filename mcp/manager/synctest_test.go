// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope/mcp/manager"
	"github.com/toolscope/toolscope/toolkit"
)

// memory is a server in memory, which can be made to fail.
type memory struct {
	server *mcp.Server
	dials  atomic.Int32
	down   atomic.Bool // it cannot be reached
	frozen atomic.Bool // it answers nothing
	last   atomic.Pointer[mcp.ServerSession]
}

func (m *memory) conf(name string) manager.Server {
	return manager.Server{Name: name, Transport: func(context.Context) (mcp.Transport, error) {
		m.dials.Add(1)
		if m.down.Load() {
			return nil, errors.New("connection refused")
		}
		ours, theirs := mcp.NewInMemoryTransports()
		s, err := m.server.Connect(context.Background(), theirs, nil)
		m.last.Store(s)
		return ours, err
	}}
}

func newMemory(tools ...*mcp.Tool) *memory {
	m := &memory{server: mcp.NewServer(&mcp.Implementation{Name: "memory"}, nil)}
	for _, t := range tools {
		t.InputSchema = map[string]any{"type": "object"}
		m.server.AddTool(t, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "ok"}}}, nil
		})
	}
	m.server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if m.frozen.Load() && !strings.HasPrefix(method, "notifications/") {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return next(ctx, method, req)
		}
	})
	return m
}

// bubble runs f with virtual time.
func bubble(t *testing.T, o manager.Options, f func(t *testing.T, m *manager.Manager)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		m, err := manager.New(o)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close() //nolint:errcheck // it has none
		f(t, m)
	})
}

func TestReconnectBacksOff(t *testing.T) {
	server := newMemory(&mcp.Tool{Name: "t"})
	server.down.Store(true)
	var states []manager.State
	o := manager.Options{Servers: []manager.Server{server.conf("a")},
		OnState: func(s manager.Status) { states = append(states, s.State) }}
	bubble(t, o, func(t *testing.T, m *manager.Manager) {
		if err := m.Start(context.Background()); err == nil || !strings.Contains(err.Error(), "connection refused") {
			t.Fatalf("got %v, want why it is not connected", err)
		}
		if st := status(t, m, "a"); st.State != manager.Failed || st.NextAttempt.IsZero() {
			t.Errorf("got %+v, want a failed server with its next attempt", st)
		}
		time.Sleep(time.Hour)
		// 0.5+1+2+4+8+16 s, then every 15 to 30 s.
		if n := server.dials.Load(); n < 120 || n > 250 {
			t.Errorf("got %d attempts in an hour, want one every 15 to 30 s", n)
		}
		server.down.Store(false)
		time.Sleep(31 * time.Second)
		st := status(t, m, "a")
		if st.State != manager.Connected || st.Connects != 1 || st.LastError == "" {
			t.Errorf("got %+v, want a server that is connected at last", st)
		}
		wantCall(t, m, "a__t", "", "ok")
		synctest.Wait()
		if states[0] != manager.Connecting || states[1] != manager.Failed || states[len(states)-1] != manager.Connected {
			t.Errorf("got the states %v", states)
		}
	})
}

func TestAServerThatDoesNotAnswerPingsIsConnectedAnew(t *testing.T) {
	server := newMemory(&mcp.Tool{Name: "t"})
	bubble(t, manager.Options{Servers: []manager.Server{server.conf("a")}}, func(t *testing.T, m *manager.Manager) {
		if err := m.Start(context.Background()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Minute)
		if st := status(t, m, "a"); st.Connects != 1 {
			t.Fatalf("got %+v, want a server that answers pings to stay connected", st)
		}
		server.frozen.Store(true)
		time.Sleep(30*time.Second + 2*40*time.Second)
		if st := status(t, m, "a"); st.State == manager.Connected ||
			!strings.Contains(st.LastError, "ping") && !strings.Contains(st.LastError, "start timeout") {
			t.Errorf("got %+v, want it to be given up", st)
		}
		server.frozen.Store(false)
		time.Sleep(2 * time.Minute)
		if st := status(t, m, "a"); st.State != manager.Connected || st.Connects != 2 {
			t.Errorf("got %+v, want it to be connected anew", st)
		}
	})
}

func TestACallWaitsForAServerThatComes(t *testing.T) {
	server := newMemory(&mcp.Tool{Name: "t"})
	o := manager.Options{Backoff: 3 * time.Second, MaxBackoff: 3 * time.Second, Servers: []manager.Server{server.conf("a")}}
	bubble(t, o, func(t *testing.T, m *manager.Manager) {
		if err := m.Start(context.Background()); err != nil {
			t.Fatal(err)
		}
		if err := server.last.Load().Close(); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		began := time.Now()
		wantCall(t, m, "a__t", "", "ok")
		if took := time.Since(began); took < time.Second || took > 3*time.Second {
			t.Errorf("waited %v, want until it was connected", took)
		}
		server.down.Store(true)
		if err := server.last.Load().Close(); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		began = time.Now()
		_, err := call(t, m, "a__t", "")
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("waited %v, want CallWait", took)
		}
		var own *manager.ServerError
		if !errors.As(err, &own) || own.Sent {
			t.Errorf("got %v, want an error of the server's, for a call that was not sent", err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if _, err := m.Handle(ctx, toolkit.Call{Name: "a__t"}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the caller's deadline", err)
		}
	})
}

func TestTwoServersOfWhichOneDegrades(t *testing.T) {
	tool := func() *mcp.Tool { return &mcp.Tool{Name: "t", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}} }
	a, b := newMemory(tool()), newMemory(tool())
	var calls [2]atomic.Int32
	var bad atomic.Bool
	for i, s := range []*memory{a, b} {
		s.server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
			return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
				if method == "tools/call" {
					calls[i].Add(1)
					time.Sleep(time.Duration(i+1) * time.Millisecond) // the first is faster
					if i == 0 && bad.Load() {
						return nil, errors.New("the database is down")
					}
				}
				return next(ctx, method, req)
			}
		})
	}
	o := manager.Options{SharedNames: true, Servers: []manager.Server{a.conf("a"), b.conf("b")}}
	bubble(t, o, func(t *testing.T, m *manager.Manager) {
		if err := m.Start(context.Background()); err != nil {
			t.Fatal(err)
		}
		for range 100 {
			wantCall(t, m, "t", "", "ok")
		}
		if calls[0].Load() != 99 || calls[1].Load() != 1 {
			t.Errorf("got %d and %d calls, want the second to be tried once, and the faster one for the rest",
				calls[0].Load(), calls[1].Load())
		}
		bad.Store(true)
		for range 100 {
			wantCall(t, m, "t", "", "ok") // failures go to the other server
		}
		if n := calls[0].Load(); n > 99+10 {
			t.Errorf("the bad one was asked %d times, want it to be left when 5 in 100 failed", n-99)
		}
		bad.Store(false)
		time.Sleep(6 * time.Minute)
		before := calls[0].Load()
		for range 10 {
			wantCall(t, m, "t", "", "ok")
		}
		if calls[0].Load() == before {
			t.Error("the one that was bad is not tried again")
		}
	})
}
