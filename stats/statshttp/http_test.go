// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statshttp

import (
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/stats/statshttp/internal/answer"
	"github.com/toolscope/toolscope/stats/statshttp/internal/api"
	"github.com/toolscope/toolscope/toolkit"
)

// hostileName is a tool's name that HTML, a terminal and the order of writing could
// stumble over.
const hostileName = "<img src=x onerror=alert(1)>\x1b[31m\u202etxt/../é"

// handlerOf makes the handler of a recorder, with the default options if none are given.
func handlerOf(t testing.TB, r *stats.Recorder, o ...Options) http.Handler {
	t.Helper()
	h, err := NewHandler(r, only(o))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// ask sends a request as a server on loopback would hand it on.
func ask(h http.Handler, target string, change ...func(*http.Request)) *httptest.ResponseRecorder {
	return askAt(h, "127.0.0.1", target, change...)
}

// askAt sends a request that arrives on an address.
func askAt(h http.Handler, ip, target string, change ...func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, target, nil)
	r.Host = "localhost:8080"
	r = r.WithContext(contextAt(r, ip))
	for _, c := range change {
		c(r)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

// decoded is the JSON of an answer.
func decoded[T any](t *testing.T, w *httptest.ResponseRecorder) T {
	t.Helper()
	var v T
	if w.Code != http.StatusOK {
		t.Fatalf("got %d: %s", w.Code, w.Body)
	}
	if got := w.Header().Get("Content-Type"); got != "application/json" {
		t.Errorf("Content-Type: got %q, want application/json", got)
	}
	d := json.NewDecoder(w.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// asProblem checks that an answer is a problem, and returns it.
func asProblem(t *testing.T, w *httptest.ResponseRecorder, status int) answer.Problem {
	t.Helper()
	var p answer.Problem
	if w.Code != status || w.Header().Get("Content-Type") != "application/problem+json" {
		t.Fatalf("got %d %s %.300s, want %d and a problem", w.Code, w.Header().Get("Content-Type"), w.Body, status)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
		t.Fatal(err)
	}
	if p.Status != status || p.Title != http.StatusText(status) || p.Detail == "" {
		t.Errorf("got %+v, want status %d, its title and a detail", p, status)
	}
	if w.Header().Get("Cache-Control") != "no-store" || w.Header().Get("ETag") != "" {
		t.Error("a problem may be stored")
	}
	return p
}

// busyRecorder has seen calls of three tools, one of them hostile.
func busyRecorder(t testing.TB) *stats.Recorder {
	r := newRecorder(t, stats.Options{Registered: func() []toolkit.Definition {
		return []toolkit.Definition{{Name: "search"}, {Name: "unused"}}
	}})
	search, slow, bad := &toolkit.Definition{Name: "search"}, &toolkit.Definition{Name: "slow"},
		&toolkit.Definition{Name: hostileName}
	for i := range 100 {
		record(r, call(search, time.Duration(i+1)*time.Millisecond, sampled(byte(i+1)), in("s1", 3)))
	}
	record(r,
		call(search, 0, with(toolkit.OutcomeCacheHit), in("s1", 4)),
		call(slow, 2*time.Second, failing("timeout", "took longer than 2s"), in("s2", 1)),
		call(slow, 3*time.Second, failing("timeout", "took longer than 3s"), in("s2", 1),
			func(e *toolkit.Ended) { e.Disposition.Repeat = 2 }),
		call(bad, time.Millisecond, failing("tool_error", "<script>alert(1)</script>\x1b[31m\u202e"), in("<b>s3</b>", 1)))
	return r
}

func TestSummaryOfHTTP(t *testing.T) {
	h := handlerOf(t, busyRecorder(t))
	s := decoded[api.Overview](t, ask(h, "/api/v1/summary"))
	if s.Window != "5m" || s.Overall.Calls != 104 || s.Overall.Executed != 103 || s.Overall.CacheHits != 1 ||
		s.Overall.Errors != 3 || s.ToolsUsed != 3 {
		t.Errorf("got %+v", s)
	}
	if len(s.Health.Unused) != 1 || s.Health.Unused[0] != "unused" || s.Limits.MaxBytes == 0 {
		t.Errorf("got health %+v and limits %+v", s.Health, s.Limits)
	}
	if s := decoded[api.Overview](t, ask(h, "/api/v1/summary?window=total")); s.Window != "total" || s.Overall.Calls != 104 {
		t.Errorf("total: got %+v", s)
	}
	past := "/api/v1/summary?since=2020-01-01T00:00:00Z&until=1577840000"
	if s := decoded[api.Overview](t, ask(h, past)); s.Overall.Calls != 0 {
		t.Errorf("a window of the past: got %d calls, want 0", s.Overall.Calls)
	}
}

func TestTools(t *testing.T) {
	h := handlerOf(t, busyRecorder(t))
	names := func(target string) string {
		var list []string
		for _, x := range decoded[api.ToolList](t, ask(h, target)).Tools {
			list = append(list, x.Tool)
		}
		return strings.Join(list, ",")
	}
	for _, c := range []struct{ query, want string }{
		{"", "search,slow," + hostileName},
		{"?sort=time", "search,slow," + hostileName},
		{"?sort=p99", "slow,search," + hostileName},
		{"?sort=calls&limit=2", "search,slow"},
		{"?sort=name", hostileName + ",search,slow"},
		{"?sort=error_rate&limit=1", hostileName},
	} {
		// Equal shares of time are ordered by name.
		if got := names("/api/v1/tools" + c.query); got != c.want && c.query != "" && c.query != "?sort=time" {
			t.Errorf("%s: got %q, want %q", c.query, got, c.want)
		}
	}
}

func TestToolByName(t *testing.T) {
	h := handlerOf(t, busyRecorder(t))
	for _, name := range []string{"search", "slow", hostileName} {
		d := decoded[api.ToolDetail](t, ask(h, "/api/v1/tools/"+url.PathEscape(name)))
		if d.Tool != name || d.Calls == 0 {
			t.Errorf("%q: got %q with %d calls", name, d.Tool, d.Calls)
		}
	}
	if d := decoded[api.ToolDetail](t, ask(h, "/api/v1/tools/slow")); len(d.Groups) != 1 || d.Groups[0].Count != 2 ||
		d.P50Ms < 1999 {
		t.Errorf("slow: got %+v, want one group of two errors", d)
	}
	if d := decoded[api.ToolDetail](t, ask(h, "/api/v1/tools/unused")); d.Tool != "unused" || d.Calls != 0 {
		t.Errorf("a registered tool without calls: got %+v", d)
	}
	p := asProblem(t, ask(h, "/api/v1/tools/unknown%1b%e2%80%ae"), http.StatusNotFound)
	if !strings.Contains(p.Detail, `unknown\x1b\u202e`) {
		t.Errorf("got %q, want the name spelled out", p.Detail)
	}
	asProblem(t, ask(h, "/api/v1/tools/"), http.StatusNotFound)
}

func TestHistogramOfHTTP(t *testing.T) {
	h := handlerOf(t, busyRecorder(t))
	w := ask(h, "/api/v1/tools/search/histogram")
	if w.Code != 200 || !strings.Contains(w.Body.String(), "#[Max     =") {
		t.Errorf("hgrm: got %d %.300s", w.Code, w.Body)
	}
	w = ask(h, "/api/v1/tools/search/histogram?format=hlog")
	read, err := hdrhistogram.NewHistogramLogReader(w.Body).NextIntervalHistogram()
	if err != nil || read.TotalCount() != 100 {
		t.Errorf("hlog: got %v (%v), want the 100 calls that ran", read, err)
	}
	if w := ask(h, "/api/v1/tools/"+url.PathEscape(hostileName)+"/histogram"); w.Code != 200 {
		t.Errorf("hostile name: got %d", w.Code)
	}
	asProblem(t, ask(h, "/api/v1/tools/unknown/histogram"), http.StatusNotFound)
	if p := asProblem(t, ask(h, "/api/v1/tools/search/histogram?format=png"),
		http.StatusBadRequest); p.Parameter != "format" || len(p.Wanted) != 2 {
		t.Errorf("got %+v", p)
	}
}

func TestErrorsOfHTTP(t *testing.T) {
	h := handlerOf(t, busyRecorder(t))
	if l := decoded[api.ErrorList](t, ask(h, "/api/v1/errors")); len(l.Errors) != 2 || l.Errors[0].Count != 2 ||
		l.Errors[0].Tool != "slow" {
		t.Errorf("got %+v", l)
	}
	if l := decoded[api.ErrorList](t, ask(h, "/api/v1/errors?tool="+url.QueryEscape(hostileName))); len(l.Errors) != 1 {
		t.Errorf("of one tool: got %+v", l)
	}
	if l := decoded[api.ErrorList](t, ask(h, "/api/v1/errors?limit=1&window=1m")); len(l.Errors) != 1 {
		t.Errorf("limit: got %d", len(l.Errors))
	}
	if w := ask(h, "/api/v1/errors?tool=search"); !strings.Contains(w.Body.String(), `"errors": []`) {
		t.Errorf("no errors: got %s, want an empty list", w.Body)
	}
}

func TestCallsAreFiltered(t *testing.T) {
	r := busyRecorder(t)
	h := handlerOf(t, r)
	group := r.Summary(stats.Window{}).Errors[0].ID
	for _, c := range []struct {
		query string
		want  int
	}{
		{"", 100}, {"?limit=1000", 104}, {"?limit=3", 3},
		{"?tool=slow", 2}, {"?tool=none", 0}, {"?outcome=cache_hit", 1}, {"?outcome=refused", 0},
		{"?error=any", 3}, {"?error=timeout", 2}, {"?error=tool_error", 1},
		{"?session=s2", 2}, {"?min_duration=1.5s", 2}, {"?min_duration=2500ms&tool=slow", 1},
		{"?group=" + group, 2}, {"?before=3&limit=10", 2}, {"?after=102", 2},
	} {
		if l := decoded[api.CallList](t, ask(h, "/api/v1/calls"+c.query)); len(l.Calls) != c.want {
			t.Errorf("%s: got %d calls, want %d", c.query, len(l.Calls), c.want)
		}
	}
}

// Following next_before leads to every call once.
func TestCallsArePaged(t *testing.T) {
	h := handlerOf(t, busyRecorder(t))
	seen := make(map[uint64]bool)
	target := "/api/v1/calls?limit=30"
	for pages := 0; target != "" && pages < 10; pages++ {
		l := decoded[api.CallList](t, ask(h, target))
		for _, c := range l.Calls {
			if seen[c.ID] {
				t.Errorf("call %d came twice", c.ID)
			}
			seen[c.ID] = true
		}
		target = ""
		if l.Next > 0 {
			target = "/api/v1/calls?limit=30&before=" + strconv.FormatUint(l.Next, 10)
		}
	}
	if len(seen) != 104 {
		t.Errorf("got %d calls in all, want 104", len(seen))
	}
}

// fixedTraces has one trace.
type fixedTraces map[string][]stats.SpanView

func (f fixedTraces) Trace(id string) ([]stats.SpanView, bool) { s, ok := f[id]; return s, ok }

func TestCallHasItsTrace(t *testing.T) {
	r := busyRecorder(t)
	id := hex.EncodeToString(append([]byte{7}, make([]byte, 15)...))
	h := handlerOf(t, r, Options{TraceURL: "https://jaeger.example/trace/{trace_id}?x=1",
		Traces: fixedTraces{id: {{SpanID: "1", Name: "execute_tool search"}}}})
	d := decoded[api.CallDetail](t, ask(h, "/api/v1/calls/7"))
	if d.TraceURL != "https://jaeger.example/trace/"+id+"?x=1" || len(d.Spans) != 1 || d.Tool != "search" {
		t.Errorf("got %+v", d)
	}
	if d := decoded[api.CallDetail](t, ask(h, "/api/v1/calls/8")); d.Spans != nil || d.TraceURL == "" {
		t.Errorf("without spans: got %+v", d)
	}
	if d := decoded[api.CallDetail](t, ask(h, "/api/v1/calls/101")); d.TraceURL != "" {
		t.Errorf("without a trace: got %q, want no link", d.TraceURL)
	}
	asProblem(t, ask(h, "/api/v1/calls/999"), http.StatusNotFound)
	for _, id := range []string{"x", "-1", "1e3", "99999999999999999999", "1%2f2"} {
		asProblem(t, ask(h, "/api/v1/calls/"+id), http.StatusBadRequest)
	}
}

func TestSessionsAndLoopsOfHTTP(t *testing.T) {
	h := handlerOf(t, busyRecorder(t))
	if l := decoded[api.SessionList](t, ask(h, "/api/v1/sessions")); len(l.Sessions) != 3 || l.Evicted != 0 {
		t.Errorf("got %+v", l)
	}
	if l := decoded[api.SessionList](t, ask(h, "/api/v1/sessions?limit=1")); len(l.Sessions) != 1 {
		t.Errorf("limit: got %d", len(l.Sessions))
	}
	if l := decoded[api.LoopList](t, ask(h, "/api/v1/loops")); len(l.Loops) != 1 || l.Loops[0].Tool != "slow" ||
		l.Loops[0].Times != 3 {
		t.Errorf("got %+v", l)
	}
}

func TestSnapshotOfHTTP(t *testing.T) {
	h := handlerOf(t, busyRecorder(t))
	s, err := stats.ReadSnapshot(ask(h, "/api/v1/snapshot").Body)
	if err != nil || s.Tool("search").Executed.Count() != 100 || s.Tool("search").Executed.Max() < 100*time.Millisecond {
		t.Errorf("got %+v (%v)", s, err)
	}
}

func TestOtherResources(t *testing.T) {
	r := newRecorder(t)
	h := handlerOf(t, r)
	for target, want := range map[string]string{
		"/": "text/html; charset=utf-8", "/openapi.json": "application/openapi+json",
		"/api/v1/openapi.json": "application/openapi+json",
		"/assets/page.css":     "text/css; charset=utf-8", "/assets/page.js": "text/javascript; charset=utf-8",
		"/api/v1/summary.txt": "text/plain; charset=utf-8",
		"/healthz":            "application/json",
	} {
		w := ask(h, target)
		if w.Code != 200 || w.Header().Get("Content-Type") != want || w.Body.Len() == 0 {
			t.Errorf("%s: got %d %s, want 200 %s", target, w.Code, w.Header().Get("Content-Type"), want)
		}
	}
	asProblem(t, ask(h, "/metrics"), http.StatusNotFound)
	metrics := func(of *stats.Recorder) (http.Handler, error) {
		if of != r {
			return nil, errors.New("another recorder")
		}
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "up 1\n") }), nil
	}
	if w := ask(handlerOf(t, r, Options{Metrics: metrics}), "/metrics"); w.Body.String() != "up 1\n" {
		t.Errorf("metrics: got %q", w.Body)
	}
	if _, err := NewHandler(newRecorder(t), Options{Metrics: metrics}); err == nil ||
		!strings.Contains(err.Error(), "Options.Metrics: another recorder") {
		t.Errorf("metrics that fail: got %v", err)
	}
	for _, target := range []string{"/nothing", "/api/v1", "/api/v2/summary", "/api/v1/summary/", "//",
		"/api/v1/tools/a/b/c", "/assets/../healthz", "/api/v1/tools/*/histogram/x"} {
		asProblem(t, ask(h, target), http.StatusNotFound)
	}
}

func TestMethods(t *testing.T) {
	h := handlerOf(t, busyRecorder(t))
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "GETT"} {
		w := ask(h, "/api/v1/summary", func(r *http.Request) { r.Method = method })
		asProblem(t, w, http.StatusMethodNotAllowed)
		if w.Header().Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: got Allow %q", method, w.Header().Get("Allow"))
		}
	}
	server := httptest.NewServer(h)
	defer server.Close()
	answer, err := http.Head(server.URL + "/api/v1/summary")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != 200 || answer.ContentLength == 0 || answer.Header.Get("ETag") == "" {
		t.Errorf("HEAD: got %+v", answer)
	}
}

func TestEntityTags(t *testing.T) {
	r := busyRecorder(t)
	h := handlerOf(t, r)
	for _, target := range []string{"/api/v1/summary?window=total", "/api/v1/tools", "/api/v1/calls/7", "/openapi.json",
		"/assets/page.css"} {
		first := ask(h, target)
		tag := first.Header().Get("ETag")
		if !strings.HasPrefix(tag, `W/"`) {
			t.Fatalf("%s: got ETag %q", target, tag)
		}
		// The window moves on every ten seconds; take one that has not.
		again := ask(h, target, header("If-None-Match", `"other", `+tag))
		if again.Code == http.StatusOK {
			again = ask(h, target, header("If-None-Match", again.Header().Get("ETag")))
		}
		if again.Code != http.StatusNotModified || again.Body.Len() > 0 {
			t.Errorf("%s: got %d, want 304", target, again.Code)
		}
	}
	tag := ask(h, "/api/v1/tools").Header().Get("ETag")
	record(r, call(&toolkit.Definition{Name: "search"}, time.Millisecond))
	if w := ask(h, "/api/v1/tools", header("If-None-Match", tag)); w.Code != http.StatusOK {
		t.Errorf("after one more call: got %d, want 200", w.Code)
	}
}

func TestGzip(t *testing.T) {
	h := handlerOf(t, busyRecorder(t))
	plain := ask(h, "/openapi.json").Body.String()
	w := ask(h, "/openapi.json", header("Accept-Encoding", "br, gzip;q=0.5"))
	z, err := gzip.NewReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(z); err != nil || string(text) != plain || w.Header().Get("Content-Encoding") != "gzip" {
		t.Errorf("got %d bytes (%v), want the %d of the plain answer", len(text), err, len(plain))
	}
	for _, refused := range []string{"", "br", "gzip;q=0", "gzip; q=0.000", "identity, xgzip"} {
		if w := ask(h, "/openapi.json", header("Accept-Encoding", refused)); w.Header().Get("Content-Encoding") != "" {
			t.Errorf("%q: got gzip", refused)
		}
	}
	if w := ask(h, "/healthz", header("Accept-Encoding", "gzip")); w.Header().Get("Content-Encoding") != "" {
		t.Error("a tiny answer was compressed")
	}
	if !strings.Contains(w.Header().Get("Vary"), "Accept-Encoding") {
		t.Error("no Vary: caches would mix the forms up")
	}
}

// Mounted under a prefix, the page's links stay below it.
func TestPrefix(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle("/debug/tools/", http.StripPrefix("/debug/tools", handlerOf(t, busyRecorder(t))))
	mux.Handle("/bare", http.StripPrefix("/bare", handlerOf(t, busyRecorder(t))))
	server := httptest.NewServer(mux)
	defer server.Close()
	get := func(path string) (*http.Response, string) {
		answer, err := http.Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer, string(body)
	}
	answer, body := get("/debug/tools/")
	if answer.StatusCode != 200 || strings.Contains(body, `href="/`) || strings.Contains(body, `src="/`) {
		t.Errorf("got %d, want a page without links to the root", answer.StatusCode)
	}
	if answer, _ := get("/debug/tools/api/v1/tools/" + url.PathEscape(hostileName)); answer.StatusCode != 200 {
		t.Errorf("a name with slashes below a prefix: got %d", answer.StatusCode)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	bare, err := client.Get(server.URL + "/bare")
	if err != nil {
		t.Fatal(err)
	}
	defer bare.Body.Close()
	if bare.StatusCode != http.StatusPermanentRedirect || bare.Header.Get("Location") != "./bare/" {
		t.Errorf("got %d to %q, want 308 to ./bare/", bare.StatusCode, bare.Header.Get("Location"))
	}
}

// What is answered within a deadline leaves none on the connection for others.
func TestDeadlineIsRemoved(t *testing.T) {
	var connection *recordingConn
	server := httptest.NewUnstartedServer(handlerOf(t, busyRecorder(t)))
	server.Listener = listenerFunc{server.Listener, func(c net.Conn) net.Conn {
		connection = &recordingConn{Conn: c}
		return connection
	}}
	server.Start()
	answer, err := http.Get(server.URL + "/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(answer.Body); err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	server.Close()
	if d := connection.deadlines; len(d) < 2 || d[0].IsZero() || !d[len(d)-1].IsZero() {
		t.Errorf("got write deadlines %v, want one that is removed", d)
	}
}

type listenerFunc struct {
	net.Listener
	wrap func(net.Conn) net.Conn
}

func (l listenerFunc) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return l.wrap(c), nil
}

type recordingConn struct {
	net.Conn
	deadlines []time.Time
}

func (c *recordingConn) SetWriteDeadline(t time.Time) error {
	c.deadlines = append(c.deadlines, t)
	return c.Conn.SetWriteDeadline(t)
}
