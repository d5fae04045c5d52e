// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"bufio"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope/internal/revision"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/mirror"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/watch"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/wire"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
)

// mirrored is a tool of which headers repeat arguments.
const mirrored = `{"name":"act","inputSchema":{"type":"object","properties":{
	"region":{"type":"string","x-mcp-header":"Region"},"n":{"type":"integer","x-mcp-header":"count"},
	"dry":{"type":"boolean","x-mcp-header":"Dry_Run"},
	"at":{"type":"object","properties":{"zone":{"type":"string","x-mcp-header":"Zone"}}},"free":{"type":"string"}}}}`

// posted sends a request as it stands, and returns the status and the answer.
func posted(t *testing.T, address, head, body string) (status int, answer string) {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(deadline())
	_, _ = fmt.Fprintf(
		c,
		"POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: "+
			"application/json\r\n%sContent-Length: %d\r\n\r\n%s",
		head,
		len(body),
		body,
	)
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, bodyOf(t, resp)
}

// Under policies a request reaches the server only if the headers that repeat its message say the same, by
// whichever of both it is dispatched on, and if those are there that its revision demands.
func TestMirroredHeaders(t *testing.T) {
	pass := middleware.At(middleware.StagePermit, func(next toolkit.Handler) toolkit.Handler { return next })
	w := newWatched(t, Options{}, pass)
	var reached atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		reached.Add(1)
		body, _ := io.ReadAll(r.Body)
		out.Header().Set("Content-Type", "application/json")
		if strings.Contains(string(body), "tools/list") {
			_, _ = io.WriteString(out, `{"jsonrpc":"2.0","id":"l","result":{"tools":[`+mirrored+`]}}`)
			return
		}
		_, _ = io.WriteString(out, `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`)
	}))
	t.Cleanup(s.Close)
	target, _ := url.Parse(s.URL + "/mcp")
	address := serve(t, w, target)
	if status, answer := posted(t, address, "", `{"jsonrpc":"2.0","id":"l","method":"tools/list"}`); status != 200 ||
		reached.Swap(0) != 1 {
		t.Fatalf("got %d and %s, want the list", status, answer)
	}

	const newest, older = "MCP-Protocol-Version: 2026-07-28\r\n", "MCP-Protocol-Version: 2025-11-25\r\n"
	const call, act = "Mcp-Method: tools/call\r\n", "Mcp-Name: act\r\n"
	request := func(method, params string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)
	}
	acting := func(arguments string) string {
		return request(wire.MethodCallTool, `{"name":"act","arguments":`+arguments+`}`)
	}
	revision := func(said string) string {
		return request(wire.MethodCallTool, `{"name":"act","_meta":{"`+mcp.MetaKeyProtocolVersion+`":`+said+`}}`)
	}
	sentinel := func(text string) string {
		return mirror.SentinelStart + base64.StdEncoding.EncodeToString([]byte(text)) + mirror.SentinelEnd
	}
	plain := acting("{}")
	for _, tt := range []struct {
		name, head, body string
		says             string // what the refusal says; "" for a request that is forwarded
	}{
		{"older, none", older, plain, ""},
		{"no revision, none", "", plain, ""},
		{"older, the same", older + call + act, plain, ""},
		{"newest, the same", newest + call + act, plain, ""},
		{"a later revision", strings.Replace(newest, "2026", "2027", 1) + call + act, plain, ""},
		{"names in other case", "mcp-protocol-version: 2026-07-28\r\nMCP-METHOD: tools/call\r\nmcp-name: act\r\n", plain, ""},
		{"blanks around", newest + "Mcp-Method: \t tools/call \t\r\nMcp-Name:act\r\n", plain, ""},
		{"encoded without need", newest + call + "Mcp-Name: " + sentinel("act") + "\r\n", plain, ""},
		{"encoded", newest + call + "Mcp-Name: " + sentinel("ö b") + "\r\n", request(wire.MethodCallTool, `{"name":"ö b"}`), ""},
		{"encoded, a name that looks so", newest + call + "Mcp-Name: " + sentinel(sentinel("act")) + "\r\n", request(
			wire.MethodCallTool, `{"name":"`+sentinel("act")+`"}`,
		), ""},
		{"escaped in the message", newest + call + act, request(wire.MethodCallTool, `{"name":"\u0061ct"}`), ""},
		{"a list", newest + "Mcp-Method: tools/list\r\n", request("tools/list", `{}`), ""},
		{"a prompt", newest + "Mcp-Method: prompts/get\r\nMcp-Name: p\r\n", request("prompts/get", `{"name":"p"}`), ""},
		{"a resource", newest + "Mcp-Method: resources/read\r\nMcp-Name: file:///a\r\n", request(
			"resources/read", `{"uri":"file:///a"}`,
		), ""},
		{"a task's id as name", newest + "Mcp-Method: tasks/get\r\nMcp-Name: t\r\n", request("tasks/get", `{"taskId":"t"}`), ""},
		{"a notification, none", newest, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, ""},
		{"an answer, none", older, `{"jsonrpc":"2.0","id":1,"result":{}}`, ""},
		{"the same revision", newest + call + act, revision(`"2026-07-28"`), ""},

		{"newest, no method", newest + act, plain, "no Mcp-Method"},
		{"newest, no name", newest + call, plain, "no Mcp-Name"},
		{"newest, a list without a method", newest, request("tools/list", `{}`), "no Mcp-Method"},
		{"newest, no URI", newest + "Mcp-Method: resources/read\r\n", request("resources/read", `{"uri":"file:///a"}`), "no Mcp-Name"},
		{"a draft, none", "MCP-Protocol-Version: DRAFT-2026-v1\r\n", plain, "no Mcp-Method"},
		{"another method", newest + "Mcp-Method: tools/list\r\n" + act, plain, "another Mcp-Method"},
		{"older, another method", older + "Mcp-Method: tools/list\r\n" + act, plain, "another Mcp-Method"},
		{"no revision, another method", "Mcp-Method: ping\r\n", plain, "another Mcp-Method"},
		{"no revision, an empty method", "Mcp-Method: \r\n", plain, "another Mcp-Method"},
		{"a call in the header only", newest + call + act, request("ping", `{}`), "another Mcp-Method"},
		{"a call in a notification's header", call, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "another Mcp-Method"},
		{"a method in other case", newest + "Mcp-Method: TOOLS/CALL\r\n" + act, plain, "another Mcp-Method"},
		{"a method that is encoded", newest + "Mcp-Method: " + sentinel("tools/call") + "\r\n" + act, plain, "another Mcp-Method"},
		{"two methods in one", newest + "Mcp-Method: tools/call, tools/call\r\n" + act, plain, "another Mcp-Method"},
		{"another name", newest + call + "Mcp-Name: other\r\n", plain, "another Mcp-Name"},
		{"older, another name", older + "Mcp-Name: other\r\n", plain, "another Mcp-Name"},
		{"an empty name", older + "Mcp-Name:\r\n", plain, "another Mcp-Name"},
		{"a name in other case", newest + call + "Mcp-Name: Act\r\n", plain, "another Mcp-Name"},
		{"blanks of the name", newest + call + act, request(wire.MethodCallTool, `{"name":" act"}`), "another Mcp-Name"},
		{"another name, encoded", newest + call + "Mcp-Name: " + sentinel("other") + "\r\n", plain, "another Mcp-Name"},
		{"encoded by other marks", newest + call + "Mcp-Name: =?BASE64?YWN0?=\r\n", plain, "another Mcp-Name"},
		{"encoded without its end", newest + call + "Mcp-Name: =?base64?YWN0\r\n", plain, "another Mcp-Name"},
		{"encoded badly", newest + call + "Mcp-Name: =?base64?YW?N0?=\r\n", plain, "another Mcp-Name"},
		{"encoded with bits left", newest + call + "Mcp-Name: =?base64?YWN1Yf==?=\r\n", request(
			wire.MethodCallTool, `{"name":"acua"}`,
		), "another Mcp-Name"},
		{"a name that looks encoded", newest + call + "Mcp-Name: =?base64?YWN0?=\r\n", request(
			wire.MethodCallTool, `{"name":"=?base64?YWN0?="}`,
		), "another Mcp-Name"},
		{"letters that headers have not", newest + call + "Mcp-Name: ö\r\n", request(
			wire.MethodCallTool, `{"name":"ö"}`,
		), "in letters"},
		{"another prompt", older + "Mcp-Name: q\r\n", request("prompts/get", `{"name":"p"}`), "another Mcp-Name"},
		{"another resource", older + "Mcp-Name: a\r\n", request("resources/read", `{"uri":"b","name":"a"}`), "another Mcp-Name"},
		{"the method twice", newest + call + call + act, plain, "more than once"},
		{"two methods", newest + call + "mcp-method: tools/list\r\n" + act, plain, "more than once"},
		{"the name twice", older + act + "Mcp-Name: other\r\n", plain, "more than once"},
		{"two revisions", newest + older + call + act, plain, "more than once"},
		{"two sessions", "Mcp-Session-Id: a\r\nMcp-Session-Id: b\r\n", plain, "more than once"},
		{"Mcp_Method", "Mcp_Method: ping\r\n", plain, "take for another"},
		{"Mcp.Name", newest + call + act + "Mcp.Name: other\r\n", plain, "take for another"},
		{"Mcp_Session_Id", "Mcp_Session_Id: b\r\n", plain, "take for another"},
		{"Mcp_Param-Region", "Mcp_Param-Region: b\r\n", plain, "take for another"},
		{"another revision", newest + call + act, revision(`"2025-11-25"`), "in _meta"},
		{"an older one in the header", older, revision(`"2026-07-28"`), "in _meta"},
		{"a revision in the message only", call + act, revision(`"2026-07-28"`), "in _meta"},
		{"a revision that is no text", newest + call + act, revision(`20260728`), "in _meta"},
		{"a batch", call + act, `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, "without one"},
		{"an answer", "Mcp-Name: act\r\n", `{"jsonrpc":"2.0","id":1,"result":{}}`, "without one"},

		{"arguments, the same", newest + call + act + "Mcp-Param-Region: eu\r\nMcp-Param-Count: " +
			"42\r\nmcp-param-dry_run: true\r\nMcp-Param-Zone: z\r\n",
			acting(`{"region":"eu","n":42,"dry":true,"at":{"zone":"z"},"free":"f"}`), ""},
		{"an argument, encoded", newest + call + act + "Mcp-Param-Region: " + sentinel(" é ") + "\r\n", acting(`{"region":" é "}`), ""},
		{"an integer otherwise", newest + call + act + "Mcp-Param-Count: 42.0\r\n", acting(`{"n":4.2e1}`), ""},
		{"older, an argument without its header", older, acting(`{"region":"eu"}`), ""},
		{"null", newest + call + act, acting(`{"region":null}`), ""},
		{"an argument that no header repeats", newest + call + act, acting(`{"region":["eu"],"n":0.5}`), ""},
		{"a header of no argument", newest + call + act + "Mcp-Param-Other: x\r\n", plain, ""},
		{"no argument's header", newest + call + act, acting(`{"region":"eu"}`), "no Mcp-Param-Region"},
		{"another argument", newest + call + act + "Mcp-Param-Region: us\r\n", acting(`{"region":"eu"}`), "another Mcp-Param-Region"},
		{"older, another argument", older + "Mcp-Param-Region: us\r\n", acting(`{"region":"eu"}`), "another Mcp-Param-Region"},
		{
			"an argument in other case", newest + call + act + "Mcp-Param-Region: EU\r\n", acting(`{"region":"eu"}`),
			"another Mcp-Param-Region",
		},
		{"another below", older + "Mcp-Param-Zone: y\r\n", acting(`{"zone":"y","at":{"zone":"z"}}`), "another Mcp-Param-Zone"},
		{"another integer", older + "Mcp-Param-Count: 43\r\n", acting(`{"n":42}`), "another Mcp-Param-Count"},
		{"an integer in hexadecimal", older + "Mcp-Param-Count: 0x2a\r\n", acting(`{"n":42}`), "another Mcp-Param-Count"},
		{
			"an integer of 54 bits", older + "Mcp-Param-Count: 9007199254740993\r\n", acting(`{"n":9007199254740993}`),
			"has no such form",
		},
		{"another truth", older + "Mcp-Param-Dry_Run: True\r\n", acting(`{"dry":true}`), "another Mcp-Param-Dry_run"},
		{"a text for a truth", older + "Mcp-Param-Dry-Run: false\r\n", acting(`{"dry":true}`), "another Mcp-Param-Dry_run"},
		{"a header for null", older + "Mcp-Param-Region: null\r\n", acting(`{"region":null}`), "not there"},
		{"a header for nothing", older + "Mcp-Param-Region: eu\r\n", plain, "not there"},
		{"a header for a list", older + "Mcp-Param-Region: eu\r\n", acting(`{"region":["eu"]}`), "has no such form"},
		{"an argument twice", older + "Mcp-Param-Region: eu\r\nMcp-Param-Region: eu\r\n", acting(`{"region":"eu"}`), "more than once"},
		{"an argument twice, otherwise", older + "Mcp-Param-Dry_Run: true\r\nMcp-Param-Dry-Run" +
			": false\r\n", acting(`{"dry":true}`), "more than once"},
	} {
		before, noted := reached.Load(), w.report().Counts[string(watch.NoteRefused)]
		status, answer := posted(t, address, tt.head, tt.body)
		reachedIt, notes := reached.Load()-before, w.report().Counts[string(watch.NoteRefused)]-noted
		if tt.says == "" {
			if status != 200 || reachedIt != 1 || notes != 0 {
				t.Errorf("%s: got %d and %s, want it passed", tt.name, status, answer)
			}
			continue
		}
		id := `"id":1,`
		if !strings.Contains(tt.body, `"method"`) || !strings.Contains(tt.body, `"id":1`) || tt.body[0] == '[' {
			id = `"id":null,`
		}
		if status != 400 || !strings.Contains(answer, `"error":{"code":-32020,`) || !strings.Contains(answer, tt.says) ||
			!strings.Contains(answer, id) ||
			reachedIt != 0 ||
			notes != 1 {
			t.Errorf(
				"%s: got %d and %s, and %d requests at the server, want 400 and code -32020 that says %q, noted once",
				tt.name,
				status,
				answer,
				reachedIt,
				tt.says,
			)
		}
	}
}

// Where there is no message to repeat no header says that there is one.
func TestMirroredHeadersOfOtherRequests(t *testing.T) {
	w := newWatched(t, Options{}, refusing())
	var reached atomic.Int64
	address := before(t, w, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	for _, tt := range []struct {
		method, path, contentType, body, header string
		status                                  int
	}{
		{"GET", "/", "", "", mirror.VersionHeader, 200},
		{"GET", "/", "", "", mirror.MethodHeader, 400},
		{"DELETE", "/", "", "", mirror.ParamPrefix + "A", 400},
		{"POST", "/token", "application/x-www-form-urlencoded", "a=1", mirror.VersionHeader, 200},
		{"POST", "/token", "application/x-www-form-urlencoded", "a=1", mirror.MethodHeader, 415},
		{"POST", "/register", "application/json", `{"name":"act"}`, mirror.VersionHeader, 200},
		{"POST", "/register", "application/json", `{"name":"act"}`, mirror.MethodHeader, 400},
	} {
		reached.Store(0)
		r, err := http.NewRequestWithContext(
			t.Context(),
			tt.method,
			strings.TrimSuffix(address, "/")+tt.path,
			strings.NewReader(tt.body),
		)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", tt.contentType)
		r.Header.Set(tt.header, "tools/call")
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got := reached.Load() == 1; resp.StatusCode != tt.status || got != (tt.status == 200) {
			t.Errorf(
				"%s %s with %s: got %d, and the server reached: %t, want %d",
				tt.method,
				tt.path,
				tt.header,
				resp.StatusCode,
				got,
				tt.status,
			)
		}
	}
}

// What policies make of arguments stands in the headers as well.
func TestMirroredArgumentsThatPoliciesChange(t *testing.T) {
	inject := middleware.At(middleware.StageInject, func(next toolkit.Handler) toolkit.Handler {
		return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
			call.Arguments = []byte(`{"region":"of the höst","n":7,"free":"f"}`)
			return next(ctx, call)
		}
	})
	w := newWatched(t, Options{}, inject)
	heads := make(chan http.Header, 1)
	address := before(t, w, http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		out.Header().Set("Content-Type", "application/json")
		if strings.Contains(string(body), "tools/list") {
			_, _ = io.WriteString(out, `{"jsonrpc":"2.0","id":"l","result":{"tools":[`+mirrored+`]}}`)
			return
		}
		heads <- r.Header
		_, _ = io.WriteString(out, `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`)
	}))
	const sent = "Mcp-Param-Region: us\r\nMcp-Param-Dry_run: true\r\nMcp-Param-Unknown: u\r\n"
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"act","arguments":{"region":"us","dry":true}}}`
	for i, want := range []http.Header{
		{}, // no one knows what they repeat
		{"Mcp-Param-Region": {mirror.Encoded("of the höst")}, "Mcp-Param-Count": {"7"}},
	} {
		if status, answer := posted(t, address, sent, body); status != 200 {
			t.Fatalf("%d: got %d and %s", i, status, answer)
		}
		got := http.Header{}
		for key, values := range <-heads {
			if strings.HasPrefix(key, mirror.ParamPrefix) {
				got[key] = values
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%d: got %v at the server, want %v", i, got, want)
		}
		posted(t, address, "", `{"jsonrpc":"2.0","id":"l","method":"tools/list"}`)
	}
}

// What the official SDK's client sends in the newest revision passes, and its server takes it.
func TestMirroredHeadersOfTheSDK(t *testing.T) {
	w := newWatched(t, Options{}, refusing())
	s := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
	got := make(chan http.Header, 1)
	s.AddTool(
		&mcp.Tool{
			Name: "act",
			InputSchema: map[string]any{
				"type":       "object",
				"properties": map[string]any{"region": map[string]any{"type": "string", "x-mcp-header": "Region"}},
			},
		},
		func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			got <- r.Extra.Header
			return &mcp.CallToolResult{}, nil
		},
	)
	transport := transports["stateless"]
	session, err := mcp.NewClient(&mcp.Implementation{Name: "c"}, nil).
		Connect(t.Context(), transport.dial(before(t, w, transport.handler(s)), nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if _, err := session.ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if res, err := session.CallTool(
		t.Context(), &mcp.CallToolParams{Name: "act", Arguments: map[string]any{"region": " é"}},
	); err != nil ||
		res.IsError {
		t.Fatalf("got %+v and %v", res, err)
	}
	if h := <-got; h.Get(mirror.VersionHeader) < revision.Newest.String() || h.Get(mirror.MethodHeader) != wire.MethodCallTool ||
		h.Get(mirror.NameHeader) != "act" ||
		h.Get(mirror.ParamPrefix+"Region") != mirror.Encoded(" é") {
		t.Errorf("got %v", h)
	}
	if n := w.report().Counts[string(watch.NoteRefused)]; n != 0 {
		t.Errorf("got %d refused", n)
	}
}

// What stands behind a body is not passed on: some servers take it for headers.
func TestNoTrailersUnderPolicies(t *testing.T) {
	w := newWatched(t, Options{}, refusing())
	trailers := make(chan http.Header, 1)
	address := before(t, w, http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		trailers <- r.Trailer
		out.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(out, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	}))
	for _, body := range []string{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, swap("bad", "good")} {
		r, err := http.NewRequestWithContext(
			t.Context(),
			http.MethodPost,
			address,
			io.NopCloser(strings.NewReader(body)),
		) // in chunks
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Trailer = http.Header{mirror.NameHeader: {"other"}}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != 200 {
			t.Fatalf("got %d, %s and %v", resp.StatusCode, text, err)
		}
		if got := <-trailers; len(got) > 0 {
			t.Errorf("got %v at the server", got)
		}
	}
}
