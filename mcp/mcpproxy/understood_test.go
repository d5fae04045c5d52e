// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/govern"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/overhttp"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/stdio"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/watch"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/wire"
	"github.com/toolscope/toolscope/middleware"
)

// refusable is a call that a policy refuses; the forms below hide it from one reader or another.
const refusable = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"act","arguments":{"a":"bad"}}}`

// hidden are forms of refusable that some reader runs and another does not see. None may reach a server
// that policies stand before.
var hidden = []struct {
	name, body string
	says       string // what the refusal says
}{
	{"no id", swap(`"id":1,`, ``), "without an id"},
	{"null id", swap(`"id":1`, `"id":null`), "without an id"},
	{"long id", swap(`"id":1`, `"id":"`+strings.Repeat("i", 300)+`"`), "without an id"},
	{"an object as id", swap(`"id":1`, `"id":{}`), "no string and no number"},
	{"id that is answered as 1", swap(`"id":1`, `"id":1.0`), "another form"},
	{"id with an escape", swap(`"id":1`, `"id":"\u0031"`), "another form"},
	{"batch", `[` + refusable + `]`, "a batch with"},
	{"batch, notification first", `[` + swap(`"id":1,`, ``) + `,` + refusable + `]`, "without an id"},
	{
		"batch, behind 1024",
		`[` + strings.Repeat(`{"jsonrpc":"2.0","id":9,"method":"ping"},`, 1024) + refusable + `]`,
		"more than 1024",
	},
	{"batch, behind what is no message", `[{},` + refusable + `]`, "no message"},
	{"batch within a batch", `[[` + refusable + `]]`, "no message"},
	{"empty batch", `[]`, "no message"},
	{"batch, behind its end", `[{"jsonrpc":"2.0","method":"a"}]` + refusable, "no message"},
	{"batch without an end", `[{"jsonrpc":"2.0","method":"a"}`, "no message"},
	{"batch, name twice", `[{"jsonrpc":"2.0","method":"a","params":{"b":1,"b":2}}]`, "twice"},
	{"byte order mark", "\xef\xbb\xbf" + refusable, "byte order mark"},
	{"no UTF-8", swap(`bad`, "bad\xff"), "UTF-8"},
	{"half a surrogate", swap(`"act"`, `"act\ud800"`), "UTF-8"},
	{"NaN", swap(`"bad"`, `"bad","b":NaN`), "no message"},
	{"comment", swap(`"id":1`, `/* */"id":1`), "no message"},
	{"10001 levels", swap(`"bad"`, `"bad","b":`+strings.Repeat("[", 10001)+strings.Repeat("]", 10001)), "no message"},
	{"two messages", `{"jsonrpc":"2.0","id":2,"method":"ping"} ` + refusable, "no message"},
	{"half a message", refusable[:len(refusable)-1], "no message"},
	{"a number as error", swap(`"id":1`, `"id":1,"error":5`), "no message"},
	{"an answer as well", swap(`"id":1`, `"id":1,"result":{}`), "one or the other"},
	{"method twice, first", swap(`}}}`, `}},"method":"ping"}`), "twice"},
	{"method twice, last", swap(`"id":1`, `"id":1,"method":"ping"`), "twice"},
	{"name twice", swap(`"act"`, `"other","name":"act"`), "twice"},
	{"Method", swap(`"method"`, `"Method"`), "no message"},
	{"method and Method", swap(`"id":1`, `"id":1,"method":"ping"`, `"method":"tools`, `"METHOD":"tools`), "take for another"},
	{"method and met_hod", swap(`"id":1`, `"id":1,"method":"ping"`, `"method":"tools`, `"met_hod":"tools`), "take for another"},
	{
		"paramſ",
		swap(`"id":1`, `"id":1,"params":{"name":"act"}`, `"params":{"name":"act","a`, `"paramſ":{"name":"act","a`),
		"take for another",
	},
	{"Name", swap(`"act"`, `"other","Name":"act"`), "take for another"},
	{"Arguments", swap(`"arguments"`, `"arguments":{},"Arguments"`), "take for another"},
	{"method ends at a NUL", swap(`tools/call`, `tools/call\u0000s`), "take for tools/call"},
	{"Tools/Call", swap(`tools/call`, `Tools/Call`), "take for tools/call"},
	{"name ends at a NUL", swap(`"act"`, `"act\u0000s"`), "control character"},
	{"no name", swap(`"name":"act",`, ``), "no name"},
	{"a parameter of another type first", swap(`"name"`, `"cursor":5,"name"`), "none of a tools/call"},
	{"parameters by position", swap(`{"name":"act","arguments":{"a":"bad"}}`, `["act",{"a":"bad"}]`), "none of a tools/call"},
	{"arguments in a string", swap(`{"a":"bad"}`, `"{\"a\":\"bad\"}"`), "no object"},
}

// What every reader reads alike is understood.
func TestUnderstood(t *testing.T) {
	for name, text := range map[string]string{
		"call":               refusable,
		"64 bits":            swap(`"id":1`, `"id":9223372036854775807`),
		"text as id":         swap(`"id":1`, `"id":"a-\n\"é"`),
		"blanks":             "\r\n\t" + swap(`,`, " ,\r\n ") + "\r\n",
		"an emoji, escaped":  swap(`bad`, `\ud83d\ude00`),
		"names in arguments": swap(`"a"`, `"Method":"tools/call","Name":1,"method"`),
		"without arguments":  swap(`,"arguments":{"a":"bad"}`, ``),
		"null arguments":     swap(`{"a":"bad"}`, `null`),
		"trace and task":     swap(`"name"`, `"_meta":{"progressToken":1},"task":{"ttl":1},"name"`),
		"round":              swap(`"name"`, `"requestState":"s","inputResponses":{"a":{}},"name"`),
		"notification":       `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		"unknown method":     `{"jsonrpc":"2.0","id":"x","method":"vendor/Method","params":[1,"tools/call"]}`,
		"answer":             `{"jsonrpc":"2.0","id":1,"result":{"Name":1},"error":null}`,
		"failure":            `{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"m","data":[]}}`,
		"batch":              ` [ {"jsonrpc":"2.0","method":"a"} , {"jsonrpc":"2.0","id":1,"result":{}} ] `,
		"1024 in a batch":    "[" + strings.Repeat(`{"method":"a"},`, 1023) + `{"method":"a"}]`,
	} {
		m, refused := wire.ReadStrict([]byte(text))
		if call := strings.Contains(text, `"method":"tools/call","params"`) || name == "blanks"; refused != "" ||
			(m.Method == wire.MethodCallTool) != call {
			t.Errorf("%s: got %q and method %q, want it understood, a call: %t", name, refused, m.Method, call)
		}
	}
}

// swap is refusable with other texts in the place of some.
func swap(old ...string) string { return strings.NewReplacer(old...).Replace(refusable) }

// acting is a server of the official SDK with a tool, and how often that ran.
func acting() (s *mcp.Server, ran *atomic.Int64) {
	s, ran = mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil), new(atomic.Int64)
	mcp.AddTool(
		s,
		&mcp.Tool{Name: "act"},
		func(context.Context, *mcp.CallToolRequest, map[string]any) (*mcp.CallToolResult, any, error) {
			ran.Add(1)
			return &mcp.CallToolResult{}, nil, nil
		},
	)
	return s, ran
}

// refusing is a policy that refuses what says "bad".
func refusing() middleware.Policy {
	return middleware.At(middleware.StagePermit, refuseBad)
}

// A message over HTTP that one reader may run and another does not see is refused, and noted.
func TestRefusedOverHTTP(t *testing.T) {
	w := newWatched(t, Options{}, refusing())
	s, ran := acting()
	reached := new(atomic.Int64)
	inner := transports["stateless"].handler(s)
	address := before(t, w, http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		reached.Add(1)
		inner.ServeHTTP(out, r)
	}))
	post := "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAccept: application/json, text/event-stream\r\n"
	send := func(head, body string) (status int, answer string) {
		t.Helper()
		c, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_ = c.SetDeadline(deadline())
		_, _ = fmt.Fprintf(c, "%sContent-Length: %d\r\n\r\n%s", head, len(body), body) // it may be answered before its end
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, bodyOf(t, resp)
	}
	const kind = "Content-Type: application/json\r\n"
	for _, tt := range []struct{ name, head string }{
		{"none", ""}, {"a character set", "charset=utf-8"}, {"in quotes", `Charset="UTF-8"`},
	} {
		before := reached.Load()
		head := post + strings.TrimSuffix("Content-Type: application/json; "+tt.head, "; ") + "\r\n"
		if status, answer := send(head, swap("bad", "good")); status != 200 || reached.Load() != before+1 ||
			ran.Load() != before+1 {
			t.Errorf("%s: got %d and %s, want the tool run", tt.name, status, answer)
		}
		if status, answer := send(head, refusable); status != 200 || !strings.Contains(answer, "not that") ||
			reached.Load() != before+1 {
			t.Errorf("%s: got %d and %s, want the policy's answer", tt.name, status, answer)
		}
	}
	reached.Store(0)
	ran.Store(0)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = io.WriteString(z, refusable)
	_ = z.Close()
	type form struct {
		name, head, body, says string
		status                 int
	}
	forms := []form{
		{"no type", post, refusable, "Content-Type", 415},
		{"text/plain", post + "Content-Type: text/plain\r\n", refusable, "Content-Type", 415},
		{"a parameter without a value", post + "Content-Type: application/json; charset\r\n", refusable, "Content-Type", 415},
		{"two types", post + "Content-Type: text/plain\r\n" + kind, refusable, "Content-Type", 415},
		{"a list of types", post + "Content-Type: application/json, application/json\r\n", refusable, "Content-Type", 415},
		{"application/json-rpc", post + "Content-Type: application/json-rpc\r\n", refusable, "Content-Type", 415},
		{"UTF-16", post + "Content-Type: application/json; charset=utf-16le\r\n", refusable, "Content-Type", 415},
		{"gzip", post + kind + "Content-Encoding: gzip\r\n", packed.String(), "Content-Encoding", 415},
		{
			"gzip behind identity",
			post + kind + "Content-Encoding: identity\r\nContent-Encoding: gzip\r\n",
			packed.String(),
			"Content-Encoding",
			415,
		},
		{"PUT", strings.Replace(post, "POST", "PUT", 1) + kind, refusable, "method of HTTP", 405},
		{"post", strings.Replace(post, "POST", "post", 1) + kind, refusable, "method of HTTP", 405},
		{"GET with a body", strings.Replace(post, "POST", "GET", 1) + kind, refusable, "another method than POST", 400},
		{"DELETE with a body", strings.Replace(post, "POST", "DELETE", 1) + kind, refusable, "another method than POST", 400},
		{"no body", post + kind, "", "no message", 400},
		{"too long", post + kind, `"` + strings.Repeat("a", govern.MaxGoverned) + `"`, "16 MiB", 413},
		{"the older transport", strings.Replace(post, "/mcp", "/mcp?sessionId=a", 1) + kind, refusable, "older transport", 501},
	}
	for _, h := range hidden {
		forms = append(forms, form{h.name, post + kind, h.body, h.says, 400})
	}
	for i, f := range forms {
		status, answer := send(f.head, f.body)
		if status != f.status || !strings.Contains(answer, f.says) || !strings.Contains(answer, `"error":{"code":-32600,`) {
			t.Errorf("%s: got %d and %q, want %d and an error that says %q", f.name, status, answer, f.status, f.says)
		}
		if reached.Load() != 0 || ran.Load() != 0 {
			t.Fatalf("%s: reached the server, and the tool ran %d times", f.name, ran.Load())
		}
		if n := w.report().Counts[string(watch.NoteRefused)]; n != uint64(i+1) {
			t.Errorf("%s: got %d notes, want %d", f.name, n, i+1)
		}
	}
}

// Another protocol is not offered to the server: requests go on without it.
func TestNoUpgradeUnderPolicies(t *testing.T) {
	w := newWatched(t, Options{}, refusing())
	address := before(t, w, http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(out, r.Header.Get("Upgrade")+"|"+r.Header.Get("Connection"))
	}))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"Connection": {"Upgrade"}, "Upgrade": {"websocket"}}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if text, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != 200 || string(text) != "|" {
		t.Errorf("got %d, %q and %v, want no Upgrade at the server", resp.StatusCode, text, err)
	}
	if n := w.report().Counts[string(watch.NoteRefused)]; n != 1 {
		t.Errorf("got %d notes, want one of the Upgrade", n)
	}
}

// piped is a client at the pipes of a connection that policies govern, before a server of the official
// SDK.
type piped struct {
	*watched
	to     *os.File
	from   *bufio.Reader
	got    bytes.Buffer // the server; to be read once it has ended
	served chan error
	g      *stdio.Governor
}

func connectPipes(t *testing.T, w *watched, s *mcp.Server) *piped {
	t.Helper()
	return connectTo(t, w, func(in io.Reader, out io.WriteCloser) error {
		return s.Run(context.Background(), &mcp.IOTransport{Reader: io.NopCloser(in), Writer: out})
	})
}

// connectTo is connectPipes before any server.
func connectTo(t *testing.T, w *watched, serve func(in io.Reader, out io.WriteCloser) error) *piped {
	t.Helper()
	pair := func() (r, w *os.File) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _, _ = r.Close(), w.Close() })
		return r, w
	}
	stdin, to := pair()
	from, stdout := pair()
	in, toServer := pair()
	fromServer, out := pair()
	p := &piped{watched: w, to: to, from: bufio.NewReader(from), served: make(chan error, 1)}
	_ = from.SetReadDeadline(deadline())
	go func() {
		err := serve(io.TeeReader(in, &p.got), out)
		_ = out.Close()
		p.served <- err
	}()
	g := stdio.NewGovernor(w.Watcher, stdout)
	p.g = g
	w.Join(g.Session)
	g.Server = &stdio.FrameWriter{To: toServer}
	ends := &stdio.Pipes{In: toServer, Out: fromServer}
	go g.ReadClient(stdin, ends)
	go g.ReadServer(stdout, ends)
	return p
}

func (p *piped) write(text string) {
	p.t.Helper()
	if _, err := io.WriteString(p.to, text); err != nil {
		p.t.Fatal(err)
	}
}

// end closes the client's end, and waits for the server.
func (p *piped) end() {
	_ = p.to.Close()
	<-p.served
}

// send sends a text, and returns the line that answers it.
func (p *piped) send(text string) string {
	p.t.Helper()
	p.write(text)
	line, err := p.from.ReadString('\n')
	if err != nil {
		p.t.Fatal(err)
	}
	return line
}

// The same over pipes, and what only lines have.
func TestRefusedOverPipes(t *testing.T) {
	w := newWatched(t, Options{}, refusing())
	s, ran := acting()
	p := connectPipes(t, w, s)
	p.send(
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{` +
			`},"clientInfo":{"name":"c","version":"1"}}}` + "\n",
	)
	answer := p.send("\r\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + swap("bad", "good") + "\r\n")
	if !strings.Contains(answer, `"result"`) || ran.Load() != 1 {
		t.Fatalf("got %s, want the tool run once", answer)
	}
	ping := `{"jsonrpc":"2.0","id":2,"method":"ping"`
	lines := append(hidden[:len(hidden):len(hidden)], []struct{ name, body, says string }{
		{"behind a carriage return", ping + "}\r" + refusable, "carriage return"},
		{"between carriage returns in a valid message", ping + `,"params":[` + "\r" + refusable + "\r]}", "carriage return"},
	}...)
	for i, tt := range lines {
		if answer := p.send(tt.body + "\n"); !strings.Contains(answer, tt.says) ||
			!strings.Contains(answer, `"error":{"code":-32600,`) {
			t.Errorf("%s: got %q, want an error that says %q", tt.name, answer, tt.says)
		}
		if n := w.report().Counts[string(watch.NoteRefused)]; n != uint64(i+1) {
			t.Errorf("%s: got %d notes, want %d", tt.name, n, i+1)
		}
	}
	if answer := p.send(ping + "}\n"); !strings.Contains(answer, `"id":2,"result":{}`) {
		t.Errorf("got %s, want the server's answer", answer)
	}
	if _, err := io.WriteString(p.to, refusable); err != nil { // without an end of the line
		t.Fatal(err)
	}
	_ = p.to.Close()
	if rest, err := io.ReadAll(p.from); err != nil || !strings.Contains(string(rest), "not that") {
		t.Errorf("got %q and %v, want the policy's answer to the last line", rest, err)
	}
	<-p.served
	if got := p.got.String(); strings.Contains(got, "bad") || ran.Load() != 1 {
		t.Errorf("the tool ran %d times, and the server got %q", ran.Load(), got)
	}
}

// What no policy governs passes as it is, even where the trace context is written into calls.
func TestNotUnderstoodWithoutPolicies(t *testing.T) {
	for name, options := range map[string]Options{"watched": {}, "injected": {InjectContext: true}} {
		w := newWatched(t, options)
		got := make(chan string, 1)
		address := before(t, w, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			text, _ := io.ReadAll(r.Body)
			got <- r.Method + string(text)
		}))
		for _, method := range []string{http.MethodPost, http.MethodPut} {
			for _, kind := range []string{"application/json", "text/plain"} {
				for _, tt := range hidden {
					r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(tt.body))
					if err != nil {
						t.Fatal(err)
					}
					r.Header.Set("Content-Type", kind)
					resp, err := http.DefaultClient.Do(r)
					if err != nil {
						t.Fatal(err)
					}
					_ = resp.Body.Close()
					if text := <-got; text != method+tt.body {
						t.Errorf("%s, %s of %s, %s: got %q, want it as it is", name, method, kind, tt.name, text)
					}
				}
			}
		}
		if n := w.report().Counts[string(watch.NoteRefused)]; n != 0 {
			t.Errorf("%s: got %d refused, want none", name, n)
		}
	}
}

// Sessions are distinguished whatever the length of their ids, of which no more is kept than an id may be
// long.
func TestLongSessionIDs(t *testing.T) {
	w := newWatched(t, Options{})
	h := overhttp.New(w.Watcher, &url.URL{Scheme: "http", Host: "localhost"})
	for _, id := range []string{
		strings.Repeat("a", wire.MaxID), strings.Repeat("b", wire.MaxID+1), strings.Repeat("b", 100*wire.MaxID),
	} {
		x := &overhttp.HTTPExchange{Session: h.Sessions.Find(""), Method: http.MethodPost}
		h.Sessions.Answered(x, http.StatusOK, id)
		if again := h.Sessions.Find(id); again != x.Session || len(again.Called().ID) > wire.MaxID {
			t.Errorf("an id of %d bytes: got session %.300q, want the one that was given it", len(id), again.Called().ID)
		}
	}
	if n := len(h.Sessions.ByID); n != 3 {
		t.Errorf("got %d sessions, want 3", n)
	}
	h.Sessions.Answered(
		&overhttp.HTTPExchange{Session: h.Sessions.Find(""), Method: http.MethodDelete, Asked: strings.Repeat("b", wire.MaxID+1)},
		http.StatusOK,
		"",
	)
	if n := len(h.Sessions.ByID); n != 2 {
		t.Errorf("got %d sessions after one has ended, want 2", n)
	}
}

// Under policies a server's other addresses get what no reader takes for a message: forms, and objects
// without a method. Nothing of it is recorded.
func TestOtherAddressesUnderPolicies(t *testing.T) {
	const form, plain = "application/x-www-form-urlencoded", "application/json"
	secret := "an-authorization-code"
	w := newWatched(t, Options{}, refusing())
	s := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		out.Header().Set("Content-Type", plain)
		_, _ = io.WriteString(out, `{"access_token":"`+secret+`","got":"`+r.URL.Path+" "+fmt.Sprint(len(body))+`"}`)
	}))
	t.Cleanup(s.Close)
	target, _ := url.Parse(s.URL + "/mcp")
	address := serve(t, w, target)
	for _, tt := range []struct {
		path, contentType, body string
		status                  int
	}{
		{"/token", form, "grant_type=authorization_code&code=" + secret + "&redirect_uri=http%3A%2F%2Flocalhost", 200},
		{"/token", form + "; charset=utf-8", "code=" + secret, 200},
		{"/token", form, "", 200},
		{"/register", plain, `{"client_name":"c","redirect_uris":["http://localhost"]}`, 200},
		{"/token", form + "; charset=utf-7", "+AHsAIgBtAGUAdABoAG8AZAAi-", 415},
		{"/token", form, refusable, 415},
		{"/token", form, "a=1&b=\"", 415},
		{"/token", form, "a=1 b", 415},
		{"/token", form, "a=" + strings.Repeat("1", overhttp.MaxForm), 415},
		{"/token", "text/plain", "a=1", 415},
		{"/register", plain, `{"client_name":"c","client_name":"d"}`, 400},
		{"/register", plain, `{"client_name":"c","Method":"tools/call"}`, 400},
		{"/register", plain, `{"client_name":"c"} ` + refusable, 400},
		{"/register", plain, `[{"client_name":"c"}]`, 400},
		{"/mcp", form, "code=" + secret, 415},
		{"/mcp/", form, "code=" + secret, 415},
		{"/x/../MCP", form, "code=" + secret, 415},
		{"/%6dcp", form, "code=" + secret, 415},
		{"/mcp", plain, `{"client_name":"c"}`, 400},
	} {
		resp, err := http.Post(address+tt.path, tt.contentType, strings.NewReader(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		want := fmt.Sprintf(`"got":"%s %d"`, tt.path, len(tt.body))
		if err != nil || resp.StatusCode != tt.status || tt.status == 200 != strings.Contains(string(text), want) {
			t.Errorf(
				"%s %s %.60q: got %d, %s and %v, want %d",
				tt.path,
				tt.contentType,
				tt.body,
				resp.StatusCode,
				text,
				err,
				tt.status,
			)
		}
	}
	if told := fmt.Sprint(w.report().Observations); strings.Contains(told, secret) {
		t.Errorf("got the code or the token told: %s", told)
	}
}

// Of a long line that is recorded no word is cut: half a secret may not be seen to be one.
func TestBeginningOfLongLines(t *testing.T) {
	word := strings.Repeat("w", 100)
	line := strings.Repeat(word+" ", 4*watch.MaxNoteText/101) + strings.Repeat("x", 4*watch.MaxNoteText)
	if got := watch.Beginning([]byte(line)); strings.Contains(got, "x") || !strings.HasSuffix(got, word+" ") {
		t.Errorf("got %q", got)
	}
	if got := watch.Beginning([]byte(strings.Repeat("x", 5*watch.MaxNoteText))); got != "" {
		t.Errorf("a long word: got %q", got)
	}
	if got := watch.Beginning([]byte(word)); got != word {
		t.Errorf("a short line: got %q", got)
	}
}
