// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolscope/toolscope/internal/keys"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/govern"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/overhttp"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/stdio"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/watch"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/wire"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
)

// editing is a policy that has the client get another text than the server's.
func editing() middleware.Policy {
	return middleware.At(middleware.StageTruncate, func(next toolkit.Handler) toolkit.Handler {
		return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
			res, err := next(ctx, call)
			res.Output = strings.ReplaceAll(res.Output, "long", "cut")
			return res, err
		}
	})
}

// The client gets of a call what its policies make of the answer that they asked for, however a server writes the id,
// and nothing that it sends for the same call otherwise.
func TestAnswersOfAServerOverPipes(t *testing.T) {
	const answer = `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"long"}]}}`
	const other = `{"jsonrpc":"2.0","id":"o","result":{}}`
	id := func(text string) string { return strings.Replace(answer, `"id":7`, `"id":`+text, 1) }
	for _, tt := range []struct {
		name, id string // of the call
		sent     string // for it
		passed   string // that goes on besides
		late     uint64
	}{
		{name: "the answer", id: `7`, sent: answer},
		{name: "twice", id: `7`, sent: answer + "\n" + answer, late: 1},
		{name: "as 7.0", id: `7`, sent: id(`7.0`)},
		{name: "as 70e-1, and again", id: `7`, sent: id(`70e-1`) + "\n" + answer, late: 1},
		{name: "with an escape", id: `"a"`, sent: id(`"\u0061"`)},
		{name: "with many escapes", id: `"` + strings.Repeat("a", 100) + `"`, sent: id(`"` + strings.Repeat(`\u0061`, 100) + `"`)},
		{name: "in a batch", id: `7`, sent: "[" + answer + "]"},
		{name: "in a batch with others", id: `7`, sent: "[" + other + " , " + answer + "]", passed: "[" + other + "]"},
		{name: "a batch of others", id: `7`, sent: "[" + other + " ]\n" + answer, passed: "[" + other + " ]"},
		{name: "for no one", id: `7`, sent: other + "\n" + answer, passed: other},
		{name: "as a text, and again", id: `7`, sent: id(`"7"`) + "\n" + id(`" 7.0 "`), late: 1},
		{name: "as a text of base 16", id: `7`, sent: id(`"0x7"`)},
		{name: "as no text", id: `0`, sent: id(`""`)},
		{name: "another text", id: `7`, sent: id(`"8"`) + "\n" + answer, passed: id(`"8"`)},
		{name: "as a number", id: `"7"`, sent: answer + "\n" + id(`"7"`), passed: answer},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWatched(t, Options{}, editing())
			p := connectTo(t, w, func(in io.Reader, out io.WriteCloser) error {
				lines := bufio.NewScanner(in)
				for lines.Scan() {
					if strings.Contains(lines.Text(), wire.MethodCallTool) {
						fmt.Fprintln(out, tt.sent)
					} else {
						fmt.Fprintln(out, `{"jsonrpc":"2.0","id":"end","result":{}}`)
					}
				}
				return nil
			})
			got := p.send(`{"jsonrpc":"2.0","id":` + tt.id + `,"method":"tools/call","params":{"name":"x"}}` + "\n")
			if tt.passed != "" {
				if got != tt.passed+"\n" {
					t.Errorf("got %s, want %s first", got, tt.passed)
				}
				var err error
				if got, err = p.from.ReadString('\n'); err != nil {
					t.Fatal(err)
				}
			}
			if !strings.Contains(got, `"id":`+tt.id) || !strings.Contains(got, "cut") {
				t.Errorf("got %s, want what the policy made of it, with the client's id", got)
			}
			if got := p.send(`{"jsonrpc":"2.0","id":"end","method":"ping"}` + "\n"); !strings.Contains(got, `"end"`) {
				t.Errorf("got %s, want nothing more", got)
			}
			if n := w.report().Counts[string(watch.NoteLate)]; n != tt.late {
				t.Errorf("got %d late, want %d", n, tt.late)
			}
			_ = p.to.Close()
			<-p.served
		})
	}
}

// A server that answers what policies still judge is not heard; an id that was a call's may be used again.
func TestAnswerBeforeTheCall(t *testing.T) {
	asked, judged := make(chan struct{}), make(chan struct{})
	w := newWatched(t, Options{}, middleware.At(middleware.StagePermit, func(toolkit.Handler) toolkit.Handler {
		return func(context.Context, toolkit.Call) (toolkit.Result, error) {
			close(asked)
			<-judged
			return toolkit.Result{}, &toolkit.Error{Kind: toolkit.ErrPermissionDenied, Message: "not that"}
		}
	}))
	p := connectTo(t, w, func(in io.Reader, out io.WriteCloser) error {
		<-asked
		fmt.Fprintln(out, `{"jsonrpc":"2.0","id":7,"result":{"content":[]}}`)
		lines := bufio.NewScanner(in)
		for lines.Scan() {
			fmt.Fprintln(out, `{"jsonrpc":"2.0","id":7,"result":{"pong":1}}`)
		}
		return nil
	})
	if _, err := io.WriteString(p.to, roundOf("x", `{}`, "")+"\n"); err != nil {
		t.Fatal(err)
	}
	for end := deadline(); w.report().Counts[string(watch.NoteLate)] == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("no report of the answer")
		}
	}
	close(judged)
	if line, err := p.from.ReadString('\n'); err != nil || !strings.Contains(line, "not that") {
		t.Errorf("got %s and %v, want the refusal", line, err)
	}
	if line := p.send(`{"jsonrpc":"2.0","id":7,"method":"ping"}` + "\n"); !strings.Contains(line, "pong") {
		t.Errorf("got %s, want the answer of another request", line)
	}
	_ = p.to.Close()
	<-p.served
}

// Of a stream the answer is found whichever line ends it has, and wherever it is cut.
func TestAnswersInStreams(t *testing.T) {
	const answer = `{"jsonrpc":"2.0","id":7.0,"result":{"content":[{"type":"text","text":"long"}]}}`
	const note = `{"jsonrpc":"2.0","method":"notifications/message"}`
	for name, sent := range map[string]string{
		"newlines":             "data: " + note + "\n\ndata: " + answer + "\n\n",
		"returns":              "data: " + note + "\r\rdata: " + answer + "\r\r",
		"both":                 "data: " + note + "\r\n\r\ndata: " + answer + "\r\n\r\n",
		"one, then both":       "data: " + note + "\n\r\ndata: " + answer + "\n\r\n",
		"both, then one":       "data: " + note + "\r\n\ndata: " + answer + "\r\n\r",
		"byte order mark":      "\xef\xbb\xbfdata: " + answer + "\n\n",
		"over lines":           "id: 1\rdata: {\ndata:" + answer[1:] + "\r\n\n",
		"comments and no data": ": hi\n\nevent: x\n\n\n\ndata: " + note + "\n\ndata:" + answer + "\n\n",
		"of a known length":    "data: " + answer + "\n\n",
		"in a batch of one":    "data: [" + answer + "]\n\n",
		"in a batch of more":   "data: [" + note + ",\ndata: " + answer + "," + answer + "]\n\n",
		"with its id as text":  "data: " + strings.Replace(answer, "7.0", `"7"`, 1) + "\n\n",
	} {
		for _, piece := range []int{1, 7, 1 << 20} {
			w := newWatched(t, Options{}, editing())
			address := before(t, w, http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) {
				out.Header().Set("Content-Type", "text/event-stream")
				if name == "of a known length" {
					out.Header().Set("Content-Length", fmt.Sprint(len(sent)))
				}
				for rest := sent; rest != ""; {
					n := min(piece, len(rest))
					_, _ = io.WriteString(overhttp.Flushing{ResponseWriter: out}, rest[:n])
					rest = rest[n:]
				}
			}))
			got := posted7(t, address)
			if strings.Contains(got, "long") || strings.Count(got, `"text":"cut"`) != 1 ||
				strings.Count(got, note) != strings.Count(sent, note) ||
				!strings.Contains(got, `"id":7,`) {
				t.Errorf("%s, in pieces of %d: got %q", name, piece, got)
			}
		}
	}
}

// A client that has the id "7" for something else gets the answer to that.
func TestTextsThatAreIDs(t *testing.T) {
	for name, first := range map[string]string{
		"a request": `{"jsonrpc":"2.0","id":"7","method":"ping"}`,
		"a batch":   `[{"jsonrpc":"2.0","id":"7","method":"ping"}]`,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWatched(t, Options{}, editing())
			p := connectTo(t, w, func(in io.Reader, out io.WriteCloser) error {
				lines := bufio.NewScanner(in)
				for range 2 {
					lines.Scan()
				}
				fmt.Fprintln(out, `{"jsonrpc":"2.0","id":"7","result":{}}`)
				fmt.Fprintln(out, `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"long"}]}}`)
				return nil
			})
			if got := p.send(first + "\n" + roundOf("x", `{}`, "") + "\n"); got != `{"jsonrpc":"2.0","id":"7","result":{}}`+"\n" {
				t.Errorf("got %s, want the answer to the other request", got)
			}
			if got, err := p.from.ReadString('\n'); err != nil || !strings.Contains(got, `"id":7,`) ||
				!strings.Contains(got, "cut") {
				t.Errorf("got %s and %v, want what the policy made of the answer", got, err)
			}
			_ = p.to.Close()
			<-p.served
		})
	}
}

// A body may be a batch, which some clients read although revision 2025-06-18 has none. It goes on as it came if the policies
// leave the answer as it is.
func TestAnswersInBatches(t *testing.T) {
	const answer = `{"jsonrpc":"2.0","id":"7","result":{"content":[{"type":"text","text":"long"}]}}`
	const note = `{"jsonrpc":"2.0","method":"notifications/message"}`
	for name, tt := range map[string]struct {
		policy middleware.Policy
		sent   string
		want   string
	}{
		"changed": {editing(), "[" + note + ", " + answer + "]", `[` + note + `,{"jsonrpc":"2.0","id":7,` +
			`"result":{"content":[{"type":"text","text":"cut"}]}}]`},
		"one": {editing(), "[" + answer + "]", `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"cut"}]}}`},
		"unchanged": {passing(), "[" + note + ", " + strings.Replace(answer, `"7"`, `7`, 1) + " ]\n",
			"[" + note + ", " + strings.Replace(answer, `"7"`, `7`, 1) + " ]\n"},
	} {
		t.Run(name, func(t *testing.T) {
			address := before(
				t,
				newWatched(t, Options{}, tt.policy),
				http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) {
					out.Header().Set("Content-Type", "application/json")
					_, _ = io.WriteString(out, tt.sent)
				}),
			)
			if got := posted7(t, address); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// passing is a policy that leaves all as it is.
func passing() middleware.Policy {
	return middleware.At(middleware.StagePermit, func(next toolkit.Handler) toolkit.Handler { return next })
}

// posted7 calls a tool by the id 7, and returns the body of the answer.
func posted7(t *testing.T, address string) string {
	t.Helper()
	return sent(t, address, "", roundOf("x", `{}`, ""))
}

// An answer that a policy has to read is asked for uncompressed; one that comes so all the same, in another type or not at
// all passes, and the call is not taken to have failed for it.
func TestAnswersThatAreNotLookedAt(t *testing.T) {
	for name, tt := range map[string]struct {
		head http.Header
		code int
		body string
		want string // error.type
	}{
		"compressed": {http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"gzip"}}, 200, "?", ""},
		"a page":     {http.Header{"Content-Type": {"text/html"}}, 200, "<p>", ""},
		"nothing":    {http.Header{}, 202, "", ""},
		"a status":   {http.Header{"Content-Type": {"application/json"}}, 503, "{}", "http_503"},
		"another's": {http.Header{"Content-Type": {"application/json"}}, 200, `{"jsonrpc":"2.0","id":8,` +
			`"result":{}}`, "unanswered"},
		"two at once": {http.Header{"Content-Type": {"application/json"}}, 200, `{"jsonrpc":"2.0","id":7,` +
			`"result":{}} {}`, "unanswered"},
		"a request as 7": {http.Header{"Content-Type": {"application/json"}}, 200, `{"jsonrpc":"2.0","id":7,` +
			`"method":"a","result":{}}`, "unanswered"},
		"more than 16 MiB": {http.Header{"Content-Type": {"application/json"}}, 200, `{"jsonrpc":"2.0","id":7,` +
			`"result":{"content":[{"type":"text","text":"` + strings.Repeat("x", govern.MaxGoverned) + `"}]}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWatched(t, Options{}, editing())
			var accepted atomic.Value
			address := before(t, w, http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
				accepted.Store(r.Header.Get("Accept-Encoding"))
				for key, values := range tt.head {
					out.Header()[key] = values
				}
				out.WriteHeader(tt.code)
				_, _ = io.WriteString(out, tt.body)
			}))
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(roundOf("x", `{}`, "")))
			if err != nil {
				t.Fatal(err)
			}
			r.Header = http.Header{"Content-Type": {"application/json"}, "Accept-Encoding": {"gzip, br"}}
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if got, err := io.ReadAll(resp.Body); err != nil || string(got) != tt.body || resp.StatusCode != tt.code {
				t.Errorf("got %d, %.100q and %v, want it as it came", resp.StatusCode, got, err)
			}
			if accepted.Load() != "identity" {
				t.Errorf("the server was asked for %q", accepted.Load())
			}
			if s := w.ended("tools/call x"); has(s, keys.ErrorType) != tt.want {
				t.Errorf("got %q, want %q", has(s, keys.ErrorType), tt.want)
			}
		})
	}
}

// A client gives up the id that it knows; the server gets the id of the attempt that runs.
func TestGivenUpInALaterAttempt(t *testing.T) {
	w := newWatched(t, Options{}, again())
	told := make(chan string, 1)
	second := make(chan struct{})
	p := connectTo(t, w, func(in io.Reader, out io.WriteCloser) error {
		lines := bufio.NewScanner(in)
		for lines.Scan() {
			switch line := lines.Text(); {
			case strings.Contains(line, "notifications/cancelled") && strings.Contains(line, "toolscope-2-7"):
				told <- line
			case strings.Contains(line, "notifications/cancelled"):
			case strings.Contains(line, "toolscope-2-7"):
				close(second)
			default:
				fmt.Fprintln(out, `{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"m"}}`)
			}
		}
		return nil
	})
	if _, err := io.WriteString(p.to, roundOf("x", `{}`, "")+"\n"); err != nil {
		t.Fatal(err)
	}
	<-second
	if _, err := io.WriteString(p.to, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{`+
		`"requestId":7}}`+"\n"); err != nil {
		t.Fatal(err)
	}
	select {
	case line := <-told:
		if !strings.Contains(line, `"requestId":"toolscope-2-7"`) || !strings.Contains(line, "the client gave the call up") {
			t.Errorf("got %s", line)
		}
	case <-time.After(time.Until(deadline())):
		t.Error("the server got no message")
	}
	_ = p.to.Close()
	<-p.served
}

// again is a policy that makes each call twice.
func again() middleware.Policy {
	return middleware.At(middleware.StageRetry, func(next toolkit.Handler) toolkit.Handler {
		return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
			_, _ = next(ctx, call)
			return next(ctx, call)
		}
	})
}

// A second attempt is answered where the first one's stream has begun, in whatever form its server answers.
func TestAttemptsInAStream(t *testing.T) {
	w := newWatched(t, Options{}, again())
	var n atomic.Int32
	address := before(t, w, http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if n.Add(1) == 1 {
			out.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(
				out,
				": hi\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":1,\"message\":\"m\"}}\n\n",
			)
			return
		}
		out.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(
			out,
			"{\"jsonrpc\":\"2.0\",\"id\":\"toolscope-2-7\",\r\n\"result\":{\"content\":[],\"n\":%t}}",
			strings.Contains(string(body), "toolscope-2-7"),
		)
	}))
	if got := posted7(t, address); got != ": hi\n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,  "+
		"\"result\":{\"content\":[],\"n\":true}}\n\n" {
		t.Errorf("got %q", got)
	}
}

// Over pipes the panic of a policy is one call's end, and not all others'.
func TestPolicyThatPanicsOverPipes(t *testing.T) {
	w := newWatched(t, Options{}, middleware.At(middleware.StagePermit, func(next toolkit.Handler) toolkit.Handler {
		return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
			if call.Name == "act" {
				panic("a mistake")
			}
			return next(ctx, call)
		}
	}))
	s, _ := acting()
	p := connectPipes(t, w, s)
	if got := p.send(refusable + "\n"); !strings.Contains(got, `"id":1,"error":{"code":-32603,`) {
		t.Errorf("got %s", got)
	}
	if span := w.ended("tools/call act"); has(span, keys.ErrorType) != "panic" {
		t.Errorf("got %v", span.Attributes())
	}
	if got := p.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}` + "\n"); !strings.Contains(got, `"id":2`) {
		t.Errorf("got %s, want the server's answer", got)
	}
	_ = p.to.Close()
	<-p.served
}

// Calls over pipes are bounded by their bytes as well.
func TestBytesOfGovernedCalls(t *testing.T) {
	w := newWatched(t, Options{}, editing())
	ran := 0
	p := connectTo(t, w, func(in io.Reader, out io.WriteCloser) error {
		for lines := bufio.NewScanner(in); lines.Scan(); ran++ {
			fmt.Fprintln(out, `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`)
		}
		return nil
	})
	used := func(n int) {
		p.g.Mu.Lock()
		defer p.g.Mu.Unlock()
		p.g.Bytes += n
	}
	used(stdio.MaxCallBytes - len(refusable) + 1)
	if got := p.send(refusable + "\n"); !strings.Contains(got, "256 MiB") {
		t.Errorf("got %s", got)
	}
	used(-1)
	if got := p.send(refusable + "\n"); !strings.Contains(got, `"result"`) {
		t.Errorf("got %s", got)
	}
	if got := p.send(refusable + "\n"); !strings.Contains(got, `"result"`) {
		t.Errorf("got %s, want the bytes given back", got)
	}
	_ = p.to.Close()
	if <-p.served; ran != 2 {
		t.Errorf("got %d calls at the server, want 2", ran)
	}
}

// A call whose _meta takes no trace context goes on without it.
func TestInjectWhereNothingFits(t *testing.T) {
	w := newWatched(t, Options{InjectContext: true})
	got := make(chan string, 1)
	address := before(t, w, http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- string(body)
		out.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(out, `{"jsonrpc":"2.0","id":7,"result":{"content":[]}}`)
	}))
	for _, meta := range []string{`null`, `5`, `{}`} {
		body := strings.Replace(roundOf("x", `{}`, ""), `"name"`, `"_meta":`+meta+`,"name"`, 1)
		posted := sent(t, address, "", body)
		text := <-got
		if injected := strings.Contains(text, "traceparent"); !strings.Contains(posted, "result") || injected != (meta == `{}`) ||
			!injected && text != body {
			t.Errorf("%s: got %s at the server, and %s", meta, text, posted)
		}
	}
}
