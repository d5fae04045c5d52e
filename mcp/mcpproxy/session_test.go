// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/internal/keys"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/frames"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/watch"
)

func TestCallIsOneSpanBelowItsCaller(t *testing.T) {
	c := newWatched(t, Options{Server: "files"}).connect()
	c.begin("read")
	c.client(
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"_meta":{"traceparent":` +
			`"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"},"name":"read","arguments":{"path":"/x"}}}`,
	)
	c.answer(7, "hello")
	s := c.span("tools/call read")
	if s.Parent().SpanID().String() != "b7ad6b7169203331" ||
		s.SpanContext().TraceID().String() != "0af7651916cd43dd8448eb211c80319c" ||
		s.SpanKind() != trace.SpanKindServer {
		t.Errorf("got parent %v, trace %v and kind %v", s.Parent().SpanID(), s.SpanContext().TraceID(), s.SpanKind())
	}
	for key, want := range map[string]string{
		"mcp.method.name": "tools/call", "gen_ai.tool.name": "read", "gen_ai.operation.name": "execute_tool", "jsonrpc.request.id": "7",
		"network.transport": "pipe", "mcp.protocol.version": "2025-06-18", "toolscope.mcp.server": "files",
		"gen_ai.tool.call.arguments": `{"path":"/x"}`, "gen_ai.tool.call.result": "hello", "error.type": "",
	} {
		if got := has(s, attribute.Key(key)); got != want {
			t.Errorf("%s: got %q, want %q", key, got, want)
		}
	}
	if s.Status().Code != codes.Unset || !s.EndTime().After(s.StartTime()) {
		t.Errorf("got status %v and times %v to %v", s.Status(), s.StartTime(), s.EndTime())
	}
	init := c.span("initialize")
	if has(init, keys.Capabilities) != `["logging","tools"]` || has(init, keys.Client) != "c 2" ||
		has(init, keys.Implementation) != "s 1" {
		t.Errorf("got %v", init.Attributes())
	}
	if list := c.span("tools/list"); has(list, keys.ToolsCount) != "1" || has(list, keys.ToolsBytes) != "65" ||
		has(list, keys.ToolsTokens) != "17" {
		t.Errorf("got %v", list.Attributes())
	}
}

func TestFailuresByTheConventions(t *testing.T) {
	for _, tt := range []struct{ answer, errorType, code string }{
		{`"result":{"isError":true,"content":[{"type":"text","text":"no"}]}`, "tool_error", ""},
		{`"error":{"code":-32602,"message":"bad"}`, "", "-32602"},
		{`"error":{"code":-32603,"message":"bad"}`, "-32603", "-32603"},
		{`"result":5`, "", ""},
		{`"result":null`, "", ""},
		{`"error":{"code":"odd"}`, "unanswered", ""}, // no message
	} {
		c := newWatched(t, Options{}).connect()
		c.begin("x")
		c.call(1, "x")
		c.server(`{"jsonrpc":"2.0","id":1,%s}`, tt.answer)
		c.close()
		s := c.span("tools/call x")
		if got := has(s, keys.ErrorType); got != tt.errorType || has(s, keys.StatusCode) != tt.code ||
			(s.Status().Code == codes.Error) != (tt.errorType != "") {
			t.Errorf("%s: got %q and %q, want %q and %q", tt.answer, got, has(s, keys.StatusCode), tt.errorType, tt.code)
		}
	}
}

func TestClientSpans(t *testing.T) {
	c := newWatched(t, Options{ClientSpans: true}).connect()
	c.begin("x")
	c.call(1, "x")
	c.answer(1, "")
	c.settle()
	var kinds []trace.SpanKind
	for _, s := range c.spans.Ended() {
		if s.Name() == "tools/call x" {
			kinds = append(kinds, s.SpanKind())
		}
	}
	if len(kinds) != 2 || kinds[0] != trace.SpanKindClient || kinds[1] != trace.SpanKindServer {
		t.Errorf("got kinds %v, want the client's and then the server's", kinds)
	}
}

// What only the wire shows is counted, and told with the session it was in.
func TestObservations(t *testing.T) {
	token := "ghp" + "_" + strings.Repeat("aB3", 12)
	for _, tt := range []struct {
		kind  watch.NoteKind
		count uint64
		play  func(c *wireConn)
	}{
		{watch.NoteCancelled, 1, func(c *wireConn) {
			c.call(1, "x")
			c.client(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		}},
		{watch.NoteLate, 1, func(c *wireConn) {
			c.call(1, "x")
			c.client(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
			c.answer(1, "too late")
			c.answer(1, "again")
		}},
		{watch.NoteUnanswered, 2, func(c *wireConn) { c.call(1, "x"); c.call(2, "x"); c.close() }},
		{watch.NoteUnknownTool, 1, func(c *wireConn) { c.call(1, "nothing"); c.answer(1, "") }},
		{watch.NoteStrayOutput, 2, func(c *wireConn) { c.server("Server running, token %s", token); c.server("{}") }},
		{watch.NoteStrayInput, 1, func(c *wireConn) { c.client("quit") }},
		{watch.NoteTornFrame, 1, func(c *wireConn) {
			c.Tap.CopyBytes(c.streams[1], time.Now(), []byte(`{"jsonrpc":"2.0","id":1,"resu`))
			c.Tap.EndStream(c.streams[1], time.Now())
		}},
		{watch.NoteLongFrame, 1, func(c *wireConn) { c.call(1, "x"); c.answer(1, strings.Repeat("x", frames.MaxFrame)) }},
		{watch.NoteChanged, 1, func(c *wireConn) { c.list("another", "x", "y"); c.list("d", "x", "y") }},
		{watch.NoteAdded, 1, func(c *wireConn) { c.list("d", "x", "y", "z") }},
		{watch.NoteRemoved, 1, func(c *wireConn) { c.list("d", "x") }},
	} {
		c := newWatched(t, Options{}).connect()
		c.begin("x", "y")
		tt.play(c)
		r := c.report()
		want := tt.count
		if tt.kind == watch.NoteChanged {
			want = 2 // both tools, in the first of the lists
		}
		if r.Counts[string(tt.kind)] != want {
			t.Errorf("%s: got %v, want %d", tt.kind, r.Counts, want)
		}
		for _, o := range r.Observations {
			if o.Session == "" || strings.Contains(o.Text, token) {
				t.Errorf("got %+v, want its session, and no secret", o)
			}
		}
	}
}

func TestHungCallIsToldOnce(t *testing.T) {
	c := newWatched(t, Options{HungAfter: time.Minute}).connect()
	c.begin("x")
	c.call(1, "x")
	for range 3 {
		c.Tap.CallNow(func() { c.FindHung(time.Now().Add(2 * time.Minute)) })
	}
	c.settle()
	if n := c.report().Counts[string(watch.NoteHung)]; n != 1 {
		t.Errorf("got %d, want 1", n)
	}
	c.answer(1, "at last")
	if s := c.span("tools/call x"); has(s, attribute.Key("toolscope.mcp.hung")) != "yes" {
		t.Errorf("got %v, want it told", s.Attributes())
	}
}

// A call that asks for input in between is one call.
func TestRoundsAreOneCall(t *testing.T) {
	c := newWatched(t, Options{}).connect()
	c.begin("x")
	c.client(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{}}}`)
	c.server(
		`{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","requestState":"s1","inputRequests":{` +
			`"a":{"method":"elicitation/create"}}}}`,
	)
	c.client(
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x","arguments":{},"requestState":"s1",` +
			`"inputResponses":{"a":{"action":"accept"}}}}`,
	)
	c.answer(2, "done")
	if s := c.span("tools/call x"); has(s, keys.Rounds) != "2" {
		t.Errorf("got %v, want two rounds", s.Attributes())
	}
}

func TestStderrIsLinkedToTheCallThatRuns(t *testing.T) {
	c := newWatched(t, Options{}).connect()
	c.begin("x")
	c.stderr("before")
	c.call(1, "x")
	c.stderr("reading %s", "ghp"+"_"+strings.Repeat("aB3", 12))
	c.answer(1, "")
	s := c.span("tools/call x")
	if len(s.Events()) != 1 || has(s, keys.StderrLines) != "1" ||
		!strings.Contains(s.Events()[0].Attributes[0].Value.AsString(), "reading [REDACTED") {
		t.Errorf("got events %v", s.Events())
	}
}

// The bytes of one message may come in any pieces, and between other directions'.
func TestPiecesOfMessages(t *testing.T) {
	c := newWatched(t, Options{}).connect()
	c.begin("x")
	for _, b := range []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}` + "\r\n") {
		c.Tap.CopyBytes(c.streams[0], time.Now(), []byte{b})
	}
	c.answer(1, "whole")
	c.span("tools/call x")
}

// What a peer makes up does not grow what is remembered.
func TestSessionIsBounded(t *testing.T) {
	c := newWatched(t, Options{}).connect()
	var many strings.Builder
	for i := range 4 * watch.MaxOpen {
		many.WriteString(
			`{"jsonrpc":"2.0","id":` + strings.Repeat(
				"9",
				i%20+1,
			) + strings.Repeat(
				"1",
				i/20,
			) + `,"method":"m` + strings.Repeat(
				"x",
				i%7,
			) + `"}` + "\n",
		)
	}
	c.client("%s", many.String())
	c.Tap.CallNow(func() {
		if n := len(c.session.Open); n > watch.MaxOpen {
			t.Errorf("got %d requests, want at most %d", n, watch.MaxOpen)
		}
	})
	for range 3 * watch.MaxNotes {
		c.server("stray")
	}
	if r := c.report(); len(r.Observations) > watch.MaxNotes || r.Counts[string(watch.NoteStrayOutput)] != 3*watch.MaxNotes {
		t.Errorf("got %d observations and %v", len(r.Observations), r.Counts)
	}
}

// A server that floods its client with requests does not have the client's calls forgotten. Of a side's own requests the
// oldest is.
func TestRequestsOfOneSideDoNotDisplaceTheOther(t *testing.T) {
	c := newWatched(t, Options{}).connect()
	c.begin("x")
	const call = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"x"}}`
	c.client(call, 1)
	for i := range 3 * watch.MaxOpen {
		c.server(`{"jsonrpc":"2.0","id":"%d","method":"sampling/createMessage"}`, i)
		if i%3 == 0 {
			c.client(`{"jsonrpc":"2.0","id":"%d","result":{}}`, i)
		}
	}
	c.answer(1, "done")
	if got := c.span("tools/call x"); has(got, keys.ErrorType) != "" {
		t.Errorf("got %v, want a call that was answered", got.Attributes())
	}
	for i := range watch.MaxOpen + 1 {
		c.client(call, i+2)
	}
	c.answer(2, "forgotten")
	c.answer(3, "remembered")
	unseen, answered := 0, 0
	for _, span := range c.spans.Ended() {
		switch {
		case span.Name() != "tools/call x":
		case has(span, keys.ErrorType) == "unseen":
			unseen++
		default:
			answered++
		}
	}
	if unseen != 1 || answered != 2 {
		t.Errorf("got %d calls that were forgotten and %d answered, want 1 and 2", unseen, answered)
	}
}

// A queue that is full drops, and the frames after what was dropped are read again.
func TestWhatHasNoRoomIsDropped(t *testing.T) {
	c := newWatched(t, Options{}).connect()
	c.begin("x")
	hold := make(chan struct{})
	c.Tap.CallNow(func() { <-hold })
	c.call0(1)
	big := make([]byte, frames.WideRead)
	for range 2*frames.MaxHeld/frames.WideRead + 1 {
		c.Tap.CopyBytes(c.streams[1], time.Now(), big)
	}
	close(hold)
	c.settle()
	c.server("")
	c.call(2, "x")
	c.answer(2, "")
	r := c.report()
	if r.LostBytes == 0 || r.Counts[string(watch.NoteLostFrame)] == 0 {
		t.Errorf("got %+v, want what was lost", r)
	}
	if s := c.span("tools/call x"); has(s, keys.RequestID) != "2" {
		t.Errorf("got %v", s.Attributes())
	}
	c.close()
	c.settle()
	for _, s := range c.spans.Ended() {
		if s.Name() == "tools/call x" && has(s, keys.RequestID) == "1" && has(s, keys.ErrorType) != "unseen" {
			t.Errorf("got %v, want a call whose answer was not seen", s.Attributes())
		}
	}
}

// call0 is call without waiting for its being looked at.
func (c *wireConn) call0(id int) {
	c.Tap.CopyBytes(
		c.streams[watch.FromClient],
		time.Now(),
		[]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`+"\n"),
	)
}

// The answer "1" is one to the request 1, as clients take it, and so is 1.0; an id that is waited for comes first.
func TestAnswersWithAnotherFormOfTheID(t *testing.T) {
	w := newWatched(t, Options{})
	c := w.connect()
	c.begin("x")
	for i, id := range []string{`"1"`, `1.0`, `1`} {
		c.call(1, "x")
		c.server(`{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}`, id)
		if n := len(w.spans.Ended()); n != 3+i { // behind initialize and tools/list
			t.Errorf("%s: got %d spans, want %d", id, n, 3+i)
		}
	}
	c.call(1, "x")
	c.client(`{"jsonrpc":"2.0","id":"1","method":"ping"}`)
	c.server(`{"jsonrpc":"2.0","id":"1","result":{}}`)
	if n := len(w.spans.Ended()); n != 6 {
		t.Errorf("got %d spans, want that of the ping", n)
	}
	c.close()
	for _, s := range w.spans.Ended() {
		if s.Name() == "tools/call x" && has(s, "error.type") == "unanswered" {
			return
		}
	}
	t.Error("the call was answered by the ping's answer")
}
