// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/e2e/jaeger"
	"github.com/toolscope/toolscope/internal/canary"
)

// demoSeed is what the demo makes its planted secrets of, and we the ones to look for.
const demoSeed = 20261121

// A demoRun is what one run of the demo printed, and what Jaeger then had of it.
type demoRun struct {
	Session struct {
		Calls        int
		Conversation string
	}
	Stats struct {
		Overall struct{ Calls int }
		Tools   []struct {
			Tool  string
			Calls int
		}
	}
	output string
	traces []jaeger.Trace
	raw    string // the text of Jaeger's answer
}

// runDemo runs the command's demo against Jaeger.
func runDemo(t *testing.T, server *jaeger.Server) *demoRun {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute) // it may have to be compiled
	defer cancel()
	cmd := exec.CommandContext(
		ctx,
		"go",
		"run",
		"./cmd/toolscope",
		"demo",
		"--once",
		"--json",
		"--seed",
		strconv.Itoa(demoSeed),
	)
	cmd.Dir = ".."
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "OTEL_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "OTEL_EXPORTER_OTLP_ENDPOINT="+server.OTLP)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("the demo: %v\n%s", err, stderr.String())
	}
	run := &demoRun{output: stdout.String() + stderr.String()}
	if err := json.Unmarshal(stdout.Bytes(), run); err != nil {
		t.Fatalf("the demo's JSON: %v\n%.2000s", err, stdout.String())
	}
	wait, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	traces, raw, err := server.Spans(wait, "toolscope-demo", run.Stats.Overall.Calls)
	if err != nil {
		t.Fatal(err)
	}
	run.traces, run.raw = traces, string(raw)
	return run
}

// spans calls f for each span, with the one above it, nil for a root.
func (r *demoRun) spans(f func(s, parent *jaeger.Span)) {
	for i := range r.traces {
		all := make(map[string]*jaeger.Span)
		for j := range r.traces[i].Spans {
			all[r.traces[i].Spans[j].SpanID] = &r.traces[i].Spans[j]
		}
		for j := range r.traces[i].Spans {
			s := &r.traces[i].Spans[j]
			f(s, all[s.Parent()])
		}
	}
}

// TestDemoInJaeger runs the demo's whole session and reads every call of it back from
// a real Jaeger.
func TestDemoInJaeger(t *testing.T) {
	server := startJaeger(t)
	run := runDemo(t, server)
	t.Run("every call is there", run.checkCounts)
	t.Run("names, kinds, parents", run.checkTree)
	t.Run("attributes", run.checkAttributes)
	t.Run("errors", run.checkErrors)
	t.Run("truncation", run.checkTruncation)
	t.Run("no secret", run.checkSecrets)
	t.Run("search", func(t *testing.T) { run.checkSearch(t, server) })
}

// checkSearch finds rows that look alike by the tags that docs/scaling.md names.
func (r *demoRun) checkSearch(t *testing.T, server *jaeger.Server) {
	for _, c := range []struct {
		tags map[string]string
		want int
	}{
		{map[string]string{"gen_ai.conversation.id": r.Session.Conversation}, len(r.traces)},
		{map[string]string{"session.id": r.Session.Conversation}, len(r.traces)},
		{map[string]string{"session.id": r.Session.Conversation, "toolscope.turn": "7"}, 1},
		{map[string]string{"gen_ai.conversation.id": "another"}, 0},
	} {
		traces, err := server.TracesWith(t.Context(), "toolscope-demo", c.tags)
		if err != nil || len(traces) != c.want {
			t.Errorf("%v: got %d traces (%v), want %d", c.tags, len(traces), err, c.want)
		}
	}
	if traces, err := server.TracesWith(t.Context(), "toolscope-demo", map[string]string{"error.type": "timeout"}); err != nil ||
		len(traces) == 0 || len(traces) == len(r.traces) {
		t.Errorf("error.type=timeout: got %d of %d traces (%v), want some", len(traces), len(r.traces), err)
	}
}

func (r *demoRun) checkCounts(t *testing.T) {
	got := make(map[string]int)
	calls := 0
	r.spans(func(s, _ *jaeger.Span) {
		if strings.HasPrefix(s.OperationName, "execute_tool ") {
			name, _ := s.Tag("gen_ai.tool.name")
			got[name]++
			calls++
		}
	})
	if r.Session.Calls < 120 || calls < r.Session.Calls || calls != r.Stats.Overall.Calls {
		t.Errorf(
			"got %d execute_tool spans, want as many as the statistics' %d calls, of which the session made %d, at least 120",
			calls,
			r.Stats.Overall.Calls,
			r.Session.Calls,
		)
	}
	for _, tool := range r.Stats.Tools {
		if got[tool.Tool] != tool.Calls {
			t.Errorf("%s: got %d spans, want the statistics' %d calls", tool.Tool, got[tool.Tool], tool.Calls)
		}
	}
}

func (r *demoRun) checkTree(t *testing.T) {
	subAgents := 0
	r.spans(func(s, parent *jaeger.Span) {
		if kind, _ := s.Tag("span.kind"); kind != "internal" {
			t.Errorf("%s: got kind %q, want internal", s.OperationName, kind)
		}
		agent, isAgent := strings.CutPrefix(s.OperationName, "invoke_agent ")
		switch {
		case !isAgent && !strings.HasPrefix(s.OperationName, "execute_tool "):
			t.Errorf("got a span %q, want execute_tool and invoke_agent only", s.OperationName)
		case !isAgent && (parent == nil || !strings.HasPrefix(parent.OperationName, "invoke_agent ")):
			t.Errorf("%s: got parent %+v, want an invoke_agent", s.OperationName, parent)
		case isAgent && parent != nil:
			subAgents++
			if parent.OperationName != "execute_tool agent_delegate" {
				t.Errorf("%s: got parent %s, want the tool that called it", s.OperationName, parent.OperationName)
			}
		}
		if got, _ := s.Tag("gen_ai.agent.name"); isAgent && got != agent {
			t.Errorf("%s: got gen_ai.agent.name %q", s.OperationName, got)
		}
		if parent != nil &&
			(s.StartTime < parent.StartTime || s.StartTime+s.Duration > parent.StartTime+parent.Duration+1) {
			t.Errorf(
				"%s: from %d for %d µs, want within its parent's, from %d for %d µs",
				s.OperationName,
				s.StartTime,
				s.Duration,
				parent.StartTime,
				parent.Duration,
			)
		}
		if len(s.Warnings) > 0 {
			t.Errorf("%s: Jaeger warns %q", s.OperationName, s.Warnings)
		}
	})
	if subAgents == 0 {
		t.Error("got no invoke_agent below a tool, want the sub-agent's")
	}
}

func (r *demoRun) checkAttributes(t *testing.T) {
	ids := make(map[string]bool)
	r.spans(func(s, parent *jaeger.Span) {
		if conversation, _ := s.Tag("gen_ai.conversation.id"); conversation != r.Session.Conversation {
			t.Errorf(
				"%s: got gen_ai.conversation.id %q, want %q",
				s.OperationName,
				conversation,
				r.Session.Conversation,
			)
		}
		operation, _, _ := strings.Cut(s.OperationName, " ")
		if got, _ := s.Tag("gen_ai.operation.name"); got != operation {
			t.Errorf("%s: got gen_ai.operation.name %q", s.OperationName, got)
		}
		if operation != "execute_tool" {
			return
		}
		name, _ := s.Tag("gen_ai.tool.name")
		kind, _ := s.Tag("gen_ai.tool.type")
		want := "execute_tool " + name
		if program, ok := s.Tag("process.executable.name"); ok {
			want += " " + program
		}
		if s.OperationName != want ||
			!slices.Contains([]string{"function", "extension", "datastore"}, kind) {
			t.Errorf("%s: got gen_ai.tool.name %q and gen_ai.tool.type %q", s.OperationName, name, kind)
		}
		id, ok := s.Tag("gen_ai.tool.call.id")
		if !ok || ids[id] {
			t.Errorf("%s: got gen_ai.tool.call.id %q, want one of its own", s.OperationName, id)
		}
		ids[id] = true
		if parent != nil {
			agent, _ := s.Tag("gen_ai.agent.name")
			if want, _ := parent.Tag("gen_ai.agent.name"); agent != want || agent == "" {
				t.Errorf("%s: got gen_ai.agent.name %q, want %q", s.OperationName, agent, want)
			}
		}
		outcome, _ := s.Tag("toolscope.outcome")
		if !slices.Contains([]string{"executed", "cache_hit", "coalesced", "repeated", "refused"}, outcome) {
			t.Errorf("%s: got toolscope.outcome %q", s.OperationName, outcome)
		}
		if _, ok := s.Tag("toolscope.arguments.bytes"); !ok {
			t.Errorf("%s: got no toolscope.arguments.bytes", s.OperationName)
		}
		_, failed := s.Tag("error.type")
		if _, ok := s.Tag("toolscope.result.bytes"); !ok && !failed {
			t.Errorf("%s: got no toolscope.result.bytes on a success", s.OperationName)
		}
	})
}

func (r *demoRun) checkErrors(t *testing.T) {
	seen := make(map[string]int)
	r.spans(func(s, _ *jaeger.Span) {
		kind, failed := s.Tag("error.type")
		status, hasStatus := s.Tag("otel.status_code")
		red, _ := s.Tag("error")
		switch {
		case failed && (status != "ERROR" || red != "true"):
			t.Errorf("%s: error.type %s: got status %q and error %q", s.OperationName, kind, status, red)
		case !failed && hasStatus:
			t.Errorf("%s: got status %q without error.type, want it unset", s.OperationName, status)
		}
		if _, ok := s.Tag("gen_ai.tool.call.result"); failed && ok {
			t.Errorf("%s: got a result on a failed call", s.OperationName)
		}
		outcome, _ := s.Tag("toolscope.outcome")
		if kind == "unknown_tool" && outcome != "refused" {
			t.Errorf("%s: error.type %s: got outcome %q, want refused", s.OperationName, kind, outcome)
		}
		if (kind == "unknown_tool") != (s.OperationName == "execute_tool _unknown") {
			t.Errorf(
				"%s: got error.type %q: an unknown tool's name is _unknown, and no other tool's",
				s.OperationName,
				kind,
			)
		}
		if failed {
			seen[kind]++
		}
	})
	for _, kind := range []string{"tool_error", "timeout", "panic", "unknown_tool", "invalid_arguments"} {
		if seen[kind] == 0 {
			t.Errorf("got no call with error.type %s (those there are: %v)", kind, seen)
		}
	}
}

// limit is the default for arguments and for results.
const limit = 4 << 10

func (r *demoRun) checkTruncation(t *testing.T) {
	cut := 0
	r.spans(func(s, _ *jaeger.Span) {
		if !strings.HasPrefix(s.OperationName, "execute_tool ") {
			return
		}
		kind, _ := s.Tag("error.type")
		arguments, ok := s.Tag("gen_ai.tool.call.arguments")
		if !ok {
			t.Errorf("%s: got no arguments", s.OperationName)
		}
		if !json.Valid([]byte(arguments)) && kind != "invalid_arguments" {
			t.Errorf("%s: got arguments that are no JSON: %q", s.OperationName, arguments)
		}
		result, _ := s.Tag("gen_ai.tool.call.result")
		if len(arguments) > limit || len(result) > limit {
			t.Errorf(
				"%s: got %d bytes of arguments and %d of the result, want at most %d each",
				s.OperationName,
				len(arguments),
				len(result),
				limit,
			)
		}
		if kind != "" {
			return
		}
		bytes, _ := s.Tag("toolscope.result.bytes")
		size, _ := strconv.Atoi(bytes)
		truncated, _ := s.Tag("toolscope.result.truncated")
		if size > limit {
			cut++
			if truncated != "true" {
				t.Errorf("%s: a result of %d bytes is not marked as cut", s.OperationName, size)
			}
		}
		if strings.HasPrefix(result, "{") && !json.Valid([]byte(result)) {
			t.Errorf("%s: got a result that is no JSON: %q", s.OperationName, result)
		}
		if name, _ := s.Tag("gen_ai.tool.name"); name == "log_dump" && size < 4<<20 {
			t.Errorf("log_dump: got a result of %d bytes, want several MiB", size)
		}
	})
	if cut == 0 {
		t.Error("got no result that was cut")
	}
}

func (r *demoRun) checkSecrets(t *testing.T) {
	secrets := canary.Secrets(demoSeed)
	var decoded strings.Builder
	redacted := 0
	r.spans(func(s, _ *jaeger.Span) {
		decoded.WriteString(s.OperationName + "\n")
		fields := slices.Clone(s.Tags)
		for _, l := range s.Logs {
			fields = append(fields, l.Fields...)
		}
		for _, tag := range fields {
			if text, ok := tag.Value.(string); ok {
				decoded.WriteString(text + "\n")
			}
		}
		if _, ok := s.Tag("toolscope.redacted.count"); ok {
			redacted++
		}
	})
	if redacted < 5 || !strings.Contains(decoded.String(), "[REDACTED:") {
		t.Fatalf(
			"got %d spans with something redacted: the secrets were not planted, so finding none says nothing",
			redacted,
		)
	}
	for where, text := range map[string]string{
		"Jaeger's answer": r.raw, "a stored value": decoded.String(), "the demo's output": r.output,
	} {
		for _, s := range canary.Find(text, secrets) {
			t.Errorf("%s holds %v", where, s)
		}
	}
	t.Logf(
		"%d of %d bytes read back, %d spans with something redacted, none of %d secrets",
		decoded.Len(),
		len(r.raw),
		redacted,
		len(secrets),
	)
}
