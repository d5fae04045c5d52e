// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tree_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/exporters/internal/tree"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var began = time.Date(2026, 11, 21, 4, 0, 0, 0, time.UTC)

// made is a span for trees; at and took are in milliseconds.
func made(id, parent, name string, at, took int, attributes ...string) tree.Span {
	s := tree.Span{TraceID: "4bf92f3577b34da6a3ce929d0e0e4736", SpanID: id, ParentID: parent, Name: name,
		Start: began.Add(time.Duration(at) * time.Millisecond), End: began.Add(time.Duration(at+took) * time.Millisecond)}
	for i := 0; i < len(attributes); i += 2 {
		s.Attributes = append(s.Attributes, tree.Attribute{Key: attributes[i], Value: attributes[i+1]})
		s.Failed = s.Failed || attributes[i] == "error.type"
	}
	return s
}

const (
	arguments = "gen_ai.tool.call.arguments"
	result    = "gen_ai.tool.call.result"
	outcome   = "toolscope.outcome"
)

// aTurn is a trace with everything a tree can show.
func aTurn() []tree.Span {
	linked := made("a7", "a1", "execute_tool file_read", 30, 0, outcome, "coalesced", arguments, `{"path":"go.mod"}`)
	linked.Links = []string{"4bf92f3577b34da6a3ce929d0e0e4736-00000000000000a2"}
	timeout := made("a3", "a1", "execute_tool report_export", 12, 120, outcome, "executed", "error.type", "timeout",
		arguments, `{"topic":"sales"}`)
	timeout.StatusText = "export of page 3 of 12: context deadline exceeded"
	unknown := made("a4", "a1", "execute_tool _unknown", 13, 0, outcome, "refused", "error.type", "unknown_tool",
		arguments, `{"query":"x"}`)
	unknown.StatusText = "there is no tool \"sëarch\u202e\"\x1b[31m\nlook at the list"
	event := made("a8", "a1", "query", 140, 3)
	event.Failed = true
	event.Events = []tree.Event{{Name: "exception", Attributes: []tree.Attribute{{Key: "exception.message", Value: "no rows"}}}}
	served := made("b1", "ff", "execute_tool served", 150, 1)
	served.RemoteParent = true
	return []tree.Span{
		made("a1", "", "invoke_agent planner", 0, 145),
		made("a2", "a1", "execute_tool file_read", 1, 2, outcome, "executed", arguments,
			`{"path":"go.mod","token":"[REDACTED:token]"}`,
			result, "module github.com/toolscope/toolscope\n\ngo 1.26.0\n\nrequire (\n"+
				strings.Repeat("\tsomething v1.0.0\n", 10), "toolscope.redacted.count", "1"),
		timeout, unknown,
		made("a5", "a1", "execute_tool agent_delegate", 20, 100, outcome, "executed", arguments,
			`{"question":"Where are the tests?"}`, "toolscope.attempts", "2"),
		made("a6", "a5", "invoke_agent researcher", 21, 98),
		made("a9", "a6", "execute_tool log_dump", 22, 30, outcome, "cache_hit", arguments, `{}`, result, "…",
			"toolscope.result.truncated", "true",
			"toolscope.result.bytes", "4194358", "toolscope.repeat", "3"),
		linked, event,
		made("b2", "ee", "execute_tool orphan", 149, 1),
		served,
	}
}

func TestWrite(t *testing.T) {
	for name, options := range map[string]tree.Options{
		"tree":            {},
		"tree_color":      {Color: true},
		"tree_bare":       {NoTimes: true, MaxValue: -1},
		"tree_attributes": {Attributes: true, MaxValue: 40},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := tree.Write(&out, aTurn(), 2, options); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", name+".txt")
			if *update {
				if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if out.String() != string(want) {
				t.Errorf("got\n%s\nwant (go test -update rewrites it)\n%s", &out, want)
			}
		})
	}
}

// TestWriteHostile: whatever spans say, each is drawn once, and only as text.
func TestWriteHostile(t *testing.T) {
	bad := "\x1b]0;owned\a\u202e\n\u2028\xff" + strings.Repeat("長", 500)
	circle := []tree.Span{
		made("1", "2", bad, 0, 1, outcome, bad, "error.type", bad, arguments, bad, result, bad, "toolscope.redacted.count", bad,
			"toolscope.result.truncated", "true", "toolscope.result.bytes", bad),
		made("2", "1", "two", 0, -5),
		made("3", "3", "its own parent", 0, 1),
		made("3", "3", "the same id", 0, 1),
	}
	circle[0].StatusText, circle[0].Links = bad, []string{bad}
	circle[0].Events = []tree.Event{{Name: bad, Attributes: []tree.Attribute{{Key: bad, Value: bad}}}}
	for _, options := range []tree.Options{{}, {Attributes: true}} {
		var out bytes.Buffer
		if err := tree.Write(&out, circle, 0, options); err != nil {
			t.Fatal(err)
		}
		for _, r := range out.String() {
			if r != '\n' && !unicode.IsGraphic(r) {
				t.Errorf("got %U in the tree", r)
			}
		}
		for _, name := range []string{"two", "its own parent", "the same id"} {
			if n := strings.Count(out.String(), name); n != 1 {
				t.Errorf("%q is drawn %d times, want once:\n%s", name, n, &out)
			}
		}
	}

	var deep []tree.Span
	for i := range 5000 {
		deep = append(deep, made(fmt.Sprint(i+1), fmt.Sprint(i), "level", i, 1))
	}
	var out bytes.Buffer
	if err := tree.Write(&out, deep, 0, tree.Options{}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "level"); n != 5000 || out.Len() > 5000*200 {
		t.Errorf("got %d spans in %d bytes, want 5000 in less than a megabyte", n, out.Len())
	}
	if err := tree.Write(&out, nil, 0, tree.Options{}); err != nil {
		t.Error(err)
	}
	if err := tree.Write(failing{}, deep, 0, tree.Options{}); !errors.Is(err, errFull) {
		t.Errorf("got %v, want the writer's error", err)
	}
}

var errFull = errors.New("disk full")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFull }

func TestColored(t *testing.T) {
	if tree.Colored(new(bytes.Buffer)) {
		t.Error("a buffer is no terminal")
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if tree.Colored(f) {
		t.Error("a file is no terminal")
	}
}

func TestView(t *testing.T) {
	start := time.Date(2026, 11, 21, 4, 0, 0, 0, time.UTC)
	remote := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}, Remote: true})
	own := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{5}})
	link := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{3}, SpanID: trace.SpanID{4}})
	got := tree.View(tracetest.SpanStub{
		Name: "served", SpanContext: own, Parent: remote, StartTime: start, EndTime: start.Add(time.Second),
		Attributes: []attribute.KeyValue{attribute.Int("n", 42), attribute.Bool("yes", true),
			attribute.StringSlice("list", []string{"a", "b"})},
		Events: []sdktrace.Event{{Name: "happened", Time: start, Attributes: []attribute.KeyValue{attribute.Float64("x", 0.5)}}},
		Links:  []sdktrace.Link{{SpanContext: link}},
		Status: sdktrace.Status{Code: codes.Error, Description: "it failed"},
	}.Snapshot())
	want := tree.Span{
		TraceID: "01000000000000000000000000000000", SpanID: "0500000000000000", ParentID: "0200000000000000", RemoteParent: true,
		Name: "served", Start: start, End: start.Add(time.Second), Failed: true, StatusText: "it failed",
		Attributes: []tree.Attribute{{"n", "42"}, {"yes", "true"}, {"list", `["a","b"]`}},
		Events:     []tree.Event{{"happened", []tree.Attribute{{"x", "0.5"}}}},
		Links:      []string{"03000000000000000000000000000000-0400000000000000"},
	}
	if g, w := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); g != w {
		t.Errorf("got  %s\nwant %s", g, w)
	}
	if v := got.Attribute("n"); v != "42" {
		t.Errorf("Attribute: got %q, want 42", v)
	}
}
