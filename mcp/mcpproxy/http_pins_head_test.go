// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/watch"
	"github.com/toolscope/toolscope/middleware"
)

// A server cannot have a client read a list that no one has read: in another character set, in a second
// coding, or from another address.
func TestPinnedAnswersInDisguise(t *testing.T) {
	dir := pinnedDir(t)
	utf7 := strings.ReplaceAll(listOf(poisoned), "tools", "+AHQAbwBvAGwAcw-")
	var wide []byte
	for _, c := range utf16.Encode([]rune(strings.ReplaceAll(listOf(poisoned), "tools", `\u0074ools`))) {
		wide = append(wide, byte(c), byte(c>>8))
	}
	for _, tt := range []struct {
		name   string
		status int
		header http.Header
		sent   string
		want   int
	}{
		{"UTF-7 in JSON", 200, http.Header{"Content-Type": {"application/json; charset=utf-7"}}, utf7, 502},
		{"UTF-7 in events", 200, http.Header{"Content-Type": {"text/event-stream; charset=utf-7"}}, "data: " + utf7 + "\n\n", 502},
		{"a second type", 200, http.Header{"Content-Type": {"application/json", "application/json; charset=utf-7"}}, utf7, 502},
		{"two character sets", 200, http.Header{"Content-Type": {"application/json; charset=utf-8; charset=utf-7"}}, utf7, 502},
		{"UTF-16 with escapes", 200, http.Header{"Content-Type": {"application/json"}}, string(wide), 502},
		{"a second coding", 200, http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"identity", "gzip"}}, "?", 502},
		{"UTF-8", 200, http.Header{
			"Content-Type": {"application/json; Charset=\"UTF-8\""}, "Content-Encoding": {"identity"},
		}, listOf(harmless), 200},
		{"an image", 200, http.Header{"Content-Type": {"image/png"}}, "\x89PNG\x00\x01", 200},
		{"a page", 200, http.Header{"Content-Type": {"text/html; charset=iso-8859-1"}}, "hello", 200},
		{"a redirect", 307, http.Header{"Location": {"http://elsewhere.example/mcp"}}, "", 502},
		{"a redirect without a scheme", 307, http.Header{"Location": {"//elsewhere.example/mcp"}}, "", 502},
		{"a redirect with three slashes", 307, http.Header{"Location": {"///elsewhere.example/mcp"}}, "", 502},
		{"a redirect of no known form", 302, http.Header{"Location": {"http://[/mcp"}}, "", 502},
		{"a redirect within the server", 307, http.Header{"Location": {"mcp/?a=b"}}, "", 307},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWatched(t, Options{Baseline: baselineIn(t, dir), PinTools: true})
			address := before(t, w, http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) {
				for name, values := range tt.header {
					out.Header()[name] = values
				}
				out.WriteHeader(tt.status)
				_, _ = io.WriteString(out, tt.sent)
			}))
			for _, body := range []string{`{"jsonrpc":"2.0","id":7,"method":"tools/list"}`, roundOf("read", `{}`, "")} {
				r, err := http.NewRequest(http.MethodPost, address, strings.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Content-Type", "application/json")
				resp, err := http.DefaultTransport.RoundTrip(r)
				if err != nil {
					t.Fatal(err)
				}
				text, err := io.ReadAll(resp.Body)
				resp.Body.Close()
				if err != nil || resp.StatusCode != tt.want || tt.want == 200 && string(text) != tt.sent {
					t.Errorf("%.60s: got %d, %.100q and %v, want %d", body, resp.StatusCode, text, err, tt.want)
				}
			}
			if n := w.report().Counts[string(watch.NoteRefusedOutput)]; tt.want == 502 && n == 0 {
				t.Error("got nothing told")
			}
		})
	}
}

// A redirect to the server itself leads to the proxy, which a client that followed it would leave. One of
// another address to where people log in passes.
func TestRedirectsStayAtTheProxy(t *testing.T) {
	for name, w := range map[string]*watched{
		"pinned":   newWatched(t, Options{Baseline: baselineIn(t, pinnedDir(t)), PinTools: true}),
		"policies": newWatched(t, Options{}, middleware.At(middleware.StagePermit, refuseBad)),
	} {
		t.Run(name, func(t *testing.T) { redirectsStay(t, w) })
	}
}

func redirectsStay(t *testing.T, w *watched) {
	address := before(t, w, http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		out.Header().Set("Location", strings.ReplaceAll(r.URL.Query().Get("to"), "HOST", r.Host))
		out.WriteHeader(http.StatusFound)
	}))
	for to, want := range map[string]string{
		"http://HOST/mcp/?a=b": "/mcp/?a=b", "http://user@HOST": "/", "//HOST/%2f/": "/%2f/", "mcp/": "/mcp/",
		`/\elsewhere.example`: "/%5Celsewhere.example", "https://elsewhere.example/login": "https://elsewhere.example/login",
	} {
		path := "/authorize?to=" + url.QueryEscape(to)
		r, err := http.NewRequest(http.MethodGet, address+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got := resp.Header.Get("Location"); resp.StatusCode != http.StatusFound || got != want {
			t.Errorf("%s: got %d and %q, want %q", path, resp.StatusCode, got, want)
		}
	}
	call := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{}}}`)
	resp, err := http.Post(address+"/?to=http%3A%2F%2Felsewhere.example%2F", "application/json", call)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode == http.StatusFound || resp.Header.Get("Location") != "" {
		t.Errorf(
			"a call that is sent to another origin: got %d and %q, want a refusal",
			resp.StatusCode,
			resp.Header.Get("Location"),
		)
	}
}

// A file that says that tools were accepted, and has none, is not what a user accepted: a list would be
// taken on trust.
func TestPinsWantAnAcceptedListThatIsThere(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{`{"accepted":true}`, `{"accepted":true,"tools":null}`} {
		if err := os.WriteFile(baselineIn(t, dir).tools.Path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		w, err := New(newWatched(t, Options{}).Scope, Options{Baseline: baselineIn(t, dir), PinTools: true})
		if err == nil {
			w.Close()
			t.Errorf("%s: got no error", text)
		}
	}
}
