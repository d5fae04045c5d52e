// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"

	"github.com/toolscope/toolscope/internal/keys"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/watch"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/wire"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/stats"
)

// asTask answers a call with a task, and requests about the task with what becomes of it: a failure.
func asTask(line string) string {
	switch {
	case strings.Contains(line, `"tools/call"`):
		return `{"resultType":"task","task":{"taskId":"task-1","status":"working"}}`
	case strings.Contains(line, `"tasks/result"`):
		return `{"isError":true,"content":[{"type":"text","text":"it failed"}]}`
	}
	return `{"task":{"taskId":"task-1","status":"failed"}}`
}

// A call that becomes a task is one call of a tool. Its span ends with the task, and the requests about the task are
// linked to it and are no calls of a tool, with policies and without.
func TestTasks(t *testing.T) {
	for _, governed := range []bool{false, true} {
		var options []middleware.Policy
		if governed {
			options = append(options, refusing())
		}
		w := newWatched(t, Options{}, options...)
		call := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","arguments":{},"task":{"ttl":1000}}}` + "\n"
		polls := []string{"tasks/get", "tasks/result", "tasks/update", "tasks/cancel"}
		poll := func(method, id string) string {
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":{"taskId":%q}}`+"\n", method, id)
		}
		if governed {
			p := connectTo(t, w, func(in io.Reader, out io.WriteCloser) error {
				for lines := bufio.NewScanner(in); lines.Scan(); {
					fmt.Fprintf(out, `{"jsonrpc":"2.0","id":7,"result":%s}`+"\n", asTask(lines.Text()))
				}
				return nil
			})
			p.send(call)
			for _, method := range polls {
				p.send(poll(method, "task-1"))
			}
			p.send(poll("tasks/list", "another"))
			_ = p.to.Close()
			<-p.served
		} else {
			c := w.connect()
			exchange := func(line string) {
				c.client("%s", strings.TrimSuffix(line, "\n"))
				c.server(`{"jsonrpc":"2.0","id":7,"result":%s}`, asTask(line))
			}
			exchange(call)
			for _, method := range polls {
				exchange(poll(method, "task-1"))
			}
			exchange(poll("tasks/list", "another"))
		}
		called := w.ended("tools/call x")
		if has(called, keys.Task) != "task-1" || called.Status().Code == codes.Error {
			t.Errorf(
				"governed %v: got the task %q and status %v on the call's span",
				governed,
				has(called, keys.Task),
				called.Status(),
			)
		}
		for _, method := range polls {
			s := w.ended(method)
			if len(s.Links()) != 1 || s.Links()[0].SpanContext.SpanID() != called.SpanContext().SpanID() ||
				has(s, keys.Task) != "task-1" {
				t.Errorf(
					"governed %v: %s: got the links %v and task %q, want the call's",
					governed,
					method,
					s.Links(),
					has(s, keys.Task),
				)
			}
			if has(s, keys.Operation) != "" || has(s, keys.ToolName) != "" || s.Status().Code == codes.Error {
				t.Errorf("governed %v: %s: got %v, want no call of a tool and no failure", governed, method, s.Attributes())
			}
		}
		if s := w.ended("tasks/list"); len(s.Links()) != 0 {
			t.Errorf("governed %v: got a link of an unknown task", governed)
		}
		if tool := w.Scope.Stats().Snapshot(stats.Window{}).Tool("x"); tool == nil || tool.Calls() != 1 || tool.Errors() != 0 {
			t.Errorf("governed %v: got the statistics %+v, want one call", governed, tool)
		}
	}
}

// What is remembered of tasks is bounded, and the latest are.
func TestTasksAreBounded(t *testing.T) {
	w := newWatched(t, Options{})
	c := w.connect()
	for i := range 2 * watch.MaxTasks {
		c.client(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`)
		c.server(`{"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"%d"}}}`, i)
	}
	c.client(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`)
	c.server(`{"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":%q}}}`, strings.Repeat("t", wire.MaxID+1))
	w.settle()
	if n := len(w.Tasks.Calls); n != watch.MaxTasks {
		t.Errorf("got %d tasks, want %d", n, watch.MaxTasks)
	}
	c.client(`{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"%d"}}`, 2*watch.MaxTasks-1)
	c.server(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	if s := w.ended("tasks/get"); len(s.Links()) != 1 {
		t.Errorf("got %d links, want one", len(s.Links()))
	}
}

// A result that asks for input is no failure, whatever else it says: neither while the call waits, nor where no one
// carries it on.
func TestSuspendedIsNoFailure(t *testing.T) {
	const asks = `{"resultType":"input_required","requestState":"s","isError":true,"inputRequests":{"a":{` +
		`"method":"elicitation/create"}}}`
	for _, governed := range []bool{false, true} {
		var options []middleware.Policy
		if governed {
			options = append(options, refusing())
		}
		w := newWatched(t, Options{}, options...)
		if governed {
			p := connectTo(t, w, func(in io.Reader, out io.WriteCloser) error {
				for lines := bufio.NewScanner(in); lines.Scan(); {
					fmt.Fprintf(out, `{"jsonrpc":"2.0","id":7,"result":%s}`+"\n", asks)
				}
				return nil
			})
			for i := range watch.MaxRounds + 1 { // after which it is a call of its own
				state := "s"
				if i == 0 {
					state = ""
				}
				p.send(roundOf("x", `{}`, state) + "\n")
			}
			_ = p.to.Close()
			<-p.served
			w.Close()
		} else {
			c := w.connect()
			c.client("%s", roundOf("x", `{}`, ""))
			c.server(`{"jsonrpc":"2.0","id":7,"result":%s}`, asks)
			w.Close()
		}
		spans := 0
		for _, s := range w.spans.Ended() {
			if s.Name() != "tools/call x" {
				continue
			}
			spans++
			if s.Status().Code == codes.Error || has(s, keys.ErrorType) != "" ||
				has(s, attribute.Key("toolscope.suspended")) != "true" {
				t.Errorf("governed %v: got the status %v and %v", governed, s.Status(), s.Attributes())
			}
		}
		if spans == 0 {
			t.Errorf("governed %v: got no span", governed)
		}
		for _, tool := range w.Scope.Stats().Snapshot(stats.Window{}).Tools {
			if tool.Errors() != 0 {
				t.Errorf("governed %v: got %d errors", governed, tool.Errors())
			}
		}
	}
}
