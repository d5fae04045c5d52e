// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/mcp/toolmcp"
)

// A wire is one end of a session, as lines of JSON.
type wire struct {
	t    *testing.T
	to   io.Writer
	from *bufio.Reader
}

// pipes are two ends that are connected to each other.
func pipes(t *testing.T) (mcp.Transport, *wire) {
	t.Helper()
	theirs, to := io.Pipe()
	from, ours := io.Pipe()
	t.Cleanup(func() {
		_ = to.Close()
		_ = from.Close()
	})
	return &mcp.IOTransport{Reader: theirs, Writer: ours}, &wire{t, to, bufio.NewReaderSize(from, 1<<20)}
}

func (w *wire) send(line string) {
	w.t.Helper()
	if _, err := io.WriteString(w.to, line+"\n"); err != nil {
		w.t.Fatalf("sending %.200s: %v", line, err)
	}
}

// receive is the next message.
func (w *wire) receive() string {
	w.t.Helper()
	line, err := w.from.ReadString('\n')
	if err != nil {
		w.t.Fatalf("receiving: %v", err)
	}
	return strings.TrimSuffix(line, "\n")
}

// answer is the next message with that id.
func (w *wire) answer(id int) string {
	w.t.Helper()
	for {
		line := w.receive()
		var message struct{ ID any }
		if err := json.Unmarshal([]byte(line), &message); err != nil {
			w.t.Fatalf("got %.200s: %v", line, err)
		}
		if message.ID == float64(id) {
			return line
		}
	}
}

const handshake = `{"jsonrpc":"2.0","id":-1,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
	`"capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`

// envelope is the _meta that makes a request one of the stateless revision.
const envelope = `"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"raw","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}`

// rawRequests are requests good and bad, by method and parameters; "" leaves them out.
var rawRequests = []struct{ method, params string }{
	{"ping", ""}, {"ping", `{}`}, {"ping", `null`}, {"ping", `{"_meta":{META}}`}, {"ping", `{"_meta":null}`}, {"ping", `[]`},
	{
		"tools/list",
		"",
	}, {"tools/list", `{"cursor":"nonsense","_meta":{META}}`}, {"tools/list", `{"_meta":{META}}`}, {"tools/list", `7`},
	{
		"tools/call",
		"",
	}, {"tools/call", `null`}, {"tools/call", `{"_meta":{META}}`}, {"tools/call", `{"name":7,"_meta":{META}}`},
	{"tools/call", `"text"`},
	{"tools/call", `{"name":"echo","arguments":{"text":"a"},"_meta":{META}}`},
	{"tools/call", `{"name":"echo","arguments":{"text":"<&>\u2028 g\u00f6 \ud83d\ude00","more":1},"_meta":{META}}`},
	{"tools/call", `{"name":"echo","arguments":{"text":"\ud800"},"_meta":{META}}`},
	{"tools/call", `{"name":"echo","arguments":{"text":"a","text":"b"},"_meta":{META}}`},
	{
		"tools/call",
		`{"name":"echo","arguments":{"text":7},"_meta":{META}}`,
	}, {"tools/call", `{"name":"echo","arguments":[1],"_meta":{META}}`},
	{"tools/call", `{"name":"echo","arguments":null,"_meta":{META}}`}, {"tools/call", `{"name":"echo","_meta":{META}}`},
	{
		"tools/call",
		`{"name":"echo","arguments":"text","_meta":{META}}`,
	}, {"tools/call", `{"name":"fails","arguments":{"text":"a"},"_meta":{META}}`},
	{
		"tools/call",
		`{"name":"made_up","arguments":{},"_meta":{META}}`,
	}, {"tools/call", `{"name":"","arguments":{},"_meta":{META}}`},
	{
		"tools/call",
		`{"name":"\u001b[2J\u0000\n\u202e","arguments":{},"_meta":{META}}`,
	}, {"tools/call", `{"name":"LONG","arguments":{},"_meta":{META}}`},
	{
		"tools/call",
		`{"name":"echo","arguments":{"text":"a"},"_meta":{"traceparent":"nonsense","tracestate":7,"baggage":{"a":1},META}}`,
	},
	{
		"tools/call",
		`{"name":"echo","arguments":{"text":"a"},"_meta":{"traceparent":` +
			`"00-00000000000000000000000000000000-0000000000000000-00",META}}`,
	},
	{"tools/call", `{"name":"echo","arguments":{"text":"a"},"_meta":{"progressToken":"p","unknown":[1,{"a":null}],META}}`},
	{"tools/call", `{"name":"echo","arguments":{"text":"DEEP"},"_meta":{META}}`},
	{
		"prompts/list",
		"",
	}, {"prompts/get", `{"name":"greet","arguments":{"who":"me"},"_meta":{META}}`}, {"prompts/get", `{"name":"greet",` +
		`"arguments":{"who":7},"_meta":{META}}`},
	{"prompts/get", `{"name":"missing","_meta":{META}}`}, {"prompts/get", ""}, {"prompts/get", `{"_meta":{META}}`},
	{
		"resources/list",
		"",
	}, {"resources/templates/list", `{"_meta":{META}}`}, {"resources/read", `{"uri":"test://a","_meta":{META}}`},
	{
		"resources/read",
		`{"uri":"test://missing","_meta":{META}}`,
	}, {"resources/read", `{"uri":"http://[::1]:namedport/","_meta":{META}}`}, {"resources/read", `{"_meta":{META}}`},
	{
		"resources/subscribe",
		`{"uri":"test://a"}`,
	}, {"completion/complete", `{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"who","value":"m"},"_meta":{META}}`},
	{
		"completion/complete",
		`{"_meta":{META}}`,
	}, {"logging/setLevel", `{"level":"loud"}`}, {"logging/setLevel", `{"level":"info"}`},
	{"no/such/method", `{"_meta":{META}}`}, {"notifications/initialized", `{}`}, {"sampling/createMessage", `{}`}, {"", `{}`},
	{
		"initialize",
		`{}`,
	}, {"server/discover", `{"_meta":{META}}`}, {"subscriptions/listen", `{"_meta":{META}}`},
	{"subscriptions/listen", `{"notifications":{},` +
		`"_meta":{META}}`},
}

// rawAnswers are what a server answers to all of them.
func rawAnswers(t *testing.T, server *mcp.Server, stateless bool) (answers []string) {
	t.Helper()
	transport, w := pipes(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- server.Run(ctx, transport) }()
	defer func() { cancel(); <-ended }()
	if !stateless {
		w.send(handshake)
		w.answer(-1)
		w.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	id := 0
	for _, r := range rawRequests {
		params := strings.NewReplacer("LONG", strings.Repeat("x", 5000), "DEEP", strings.Repeat(`{\"a\":[`, 20000)).
			Replace(r.params)
		if stateless {
			params = strings.ReplaceAll(params, "META", envelope)
		} else {
			params = strings.NewReplacer(",META", "", "META", "").Replace(params)
		}
		if params != "" {
			params = `,"params":` + params
		}
		for range 2 { // once more, with the same id
			w.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q%s}`, id, r.method, params))
			answers = append(answers, fmt.Sprintf("%s%.200s\n  %s", r.method, params, w.answer(id)))
		}
		w.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q%s}`, r.method, params)) // as a notification, which no one answers
		w.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id))
		id++
	}
	return answers
}

// TestAnswersAreTheSame sends good and bad requests to a server bare and instrumented,
// by a revision with sessions and one without, and compares what comes over the wire.
func TestAnswersAreTheSame(t *testing.T) {
	quiet := func() *mcp.Server {
		s := newServerWith(&mcp.ServerOptions{Logger: slog.New(slog.DiscardHandler)})
		return s
	}
	for _, stateless := range []bool{false, true} {
		t.Run(fmt.Sprint("stateless ", stateless), func(t *testing.T) {
			bare := rawAnswers(t, quiet(), stateless)
			server := quiet()
			toolmcp.Instrument(server, newTelemetry(t, toolscope.Options{}).Scope, toolmcp.Options{})
			watched := rawAnswers(t, server, stateless)
			for i := range bare {
				if bare[i] != watched[i] {
					t.Errorf("bare         %.1500s\ninstrumented %.1500s", bare[i], watched[i])
				}
			}
		})
	}
}

// hostileResults are what a server may answer to tools/call.
var hostileResults = []string{
	`"result":{}`, `"result":null`, `"result":[]`, `"result":"text"`, `"result":{"content":null}`, `"result":{"content":{}}`,
	`"result":{"content":[null]}`,
	`"result":{"content":[{}]}`, `"result":{"content":[{"type":"hologram","text":"x"}]}`, `"result":{"content":[{"type":"text"}]}`,
	`"result":{"content":[{"type":"text","text":7}]}`, `"result":{"content":[],"isError":"yes"}`, `"result":{"content":[],` +
		`"isError":true}`,
	`"result":{"content":[],"structuredContent":[1,2]}`, `"result":{"content":[],` +
		`"structuredContent":"text"}`, `"result":{"content":[],"structuredContent":{"a":1e400}}`,
	`"result":{"content":[{"type":"image","data":"no base64!","mimeType":"x"}]}`, `"result":{"content":[{` +
		`"type":"resource"}]}`, `"result":{"content":[{"type":"resource","resource":{}}]}`,
	`"result":{"content":[{"type":"text","text":"a","_meta":null,"annotations":{"audience":"all"}}]}`, `"result":{"content":[],` +
		`"_meta":{"traceparent":7}}`, `"result":{"content":[],"_meta":[]}`,
	`"result":{"content":[{"type":"text","text":"\u001b[31m\u0000\ud800"}]}`, `"result":{"content":[{"type":` +
		`"resource_link","uri":"\u0000"}]}`,
	`"result":{"inputRequests":{}}`, `"result":{"inputRequests":{"a":{"method":"roots/list"}},` +
		`"content":[]}`, `"result":{"resultType":"input_required"}`,
	`"error":{"code":-32602,"message":"unknown tool"}`, `"error":{"code":-32042,"message":"url","data":{` +
		`"elicitations":[]}}`, `"error":{"code":12345,"message":"\u001b[2J"}`,
	`"error":{"code":0,"message":""}`, `"error":{"code":-32603,"message":"LONG"}`, `"error":{"code":-32603}`, `"error":{"code":` +
		`9007199254740993,"message":"x"}`,
}

// rawResults are how a client takes them.
func rawResults(t *testing.T, client *mcp.Client) (got []string) {
	t.Helper()
	transport, w := pipes(t)
	go func() {
		for n := 0; ; {
			line, err := w.from.ReadString('\n')
			if err != nil {
				return
			}
			var message struct {
				ID     *int
				Method string
			}
			_ = json.Unmarshal([]byte(line), &message)
			answers := []string{}
			switch {
			case message.ID == nil:
			case message.Method == "initialize":
				answers = []string{
					`"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"hostile","version":"1"}}`,
				}
			case message.Method == "tools/list":
				answers = []string{
					`"result":{"tools":[{"name":"t","inputSchema":{"type":"object","$ref":"#"}},{"name":"\u001b[2J",` +
						`"inputSchema":7},{},{"name":"t","inputSchema":null,"_meta":{"harness":7}}]}`,
				}
			default: // twice
				answer := strings.Replace(hostileResults[min(n, len(hostileResults)-1)], "LONG", strings.Repeat("x", 100_000), 1)
				answers = []string{answer, answer}
				n++
			}
			for _, a := range answers {
				if message.Method == "tools/call" { // and once to a request that no one made
					a += fmt.Sprintf("}\n{\"jsonrpc\":\"2.0\",\"id\":%d,%s", *message.ID+1000, a)
				}
				if _, err := fmt.Fprintf(w.to, "{\"jsonrpc\":\"2.0\",\"id\":%d,%s}\n", *message.ID, a); err != nil {
					return
				}
			}
		}
	}()
	cs, err := client.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: legacy})
	if err != nil {
		t.Fatal(err)
	}
	defer cs.Close()
	list, err := cs.ListTools(t.Context(), nil)
	text, _ := json.Marshal(list)
	got = append(got, fmt.Sprintf("%s %v", text, err))
	for _, h := range hostileResults {
		res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "t", Arguments: map[string]any{"a": 1}})
		text, failed := json.Marshal(res)
		got = append(got, fmt.Sprintf("%.200s\n  %s %v %v", h, text, failed, err))
	}
	return got
}

// TestResultsAreTheSame lets a server answer what it should not, and compares what a
// client bare and instrumented gets.
func TestResultsAreTheSame(t *testing.T) {
	newClient := func() *mcp.Client {
		return mcp.NewClient(
			&mcp.Implementation{Name: "raw", Version: "1"},
			&mcp.ClientOptions{Logger: slog.New(slog.DiscardHandler)},
		)
	}
	bare := rawResults(t, newClient())
	for name, options := range map[string]toolmcp.Options{"instrumented": {}, "separate": {SeparateSpans: true}} {
		h := newTelemetry(t, toolscope.Options{})
		client := newClient()
		toolmcp.Instrument(client, h.Scope, options)
		watched := rawResults(t, client)
		for i := range bare {
			if bare[i] != watched[i] {
				t.Errorf("bare %.1500s\n%s %.1500s", bare[i], name, watched[i])
			}
		}
		for _, s := range h.spans.Ended() {
			for key, v := range attributes(s.Attributes()) {
				if len(v) > 8192 || !utf8.ValidString(v) {
					t.Errorf("%s: %s: got %d bytes: %.200q", s.Name(), key, len(v), v)
				}
			}
			if len(s.Status().Description) > 1024 || strings.ContainsRune(s.Name(), '\x1b') {
				t.Errorf("got %q: %.200q", s.Name(), s.Status().Description)
			}
		}
	}
}
