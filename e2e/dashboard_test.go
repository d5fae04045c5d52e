// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/stats/statshttp"
	"github.com/toolscope/toolscope/toolkit"
)

// shows waits until the page's view is loaded and a condition holds.
func (b *browser) shows(condition string) {
	b.t.Helper()
	b.wait(`document.getElementById("main")?.dataset.loaded && (` + condition + `)`)
}

// noFaults checks that no script failed and that nothing was forbidden.
func (b *browser) noFaults() {
	b.t.Helper()
	if len(b.faults) > 0 {
		b.t.Errorf("the page reported %q", b.faults)
	}
}

// click follows the first link or presses the first button that a selector finds.
func (b *browser) click(selector string) {
	b.t.Helper()
	b.shows(fmt.Sprintf(`document.querySelector(%q) !== null`, selector))
	b.text(fmt.Sprintf(`document.querySelector(%q).click(), ""`, selector))
}

// recorded is a recorder whose clock a test sets ahead.
type recorded struct {
	*stats.Recorder
	ahead time.Duration
}

func newRecorded(t *testing.T) *recorded {
	t.Helper()
	r := new(recorded)
	var err error
	if r.Recorder, err = stats.New(stats.Options{Clock: func() time.Time { return time.Now().Add(r.ahead) }}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close(context.Background()) })
	return r
}

// call records a call that ends now; kind is its error.type.
func (r *recorded) call(tool *toolkit.Definition, run time.Duration, kind, text, session string) {
	end := time.Now().Add(r.ahead)
	e := &toolkit.Ended{
		Info:  toolkit.CallInfo{Tool: tool, Start: end.Add(-run), Session: &toolkit.Session{ID: session, Turn: 1}},
		Start: end.Add(-run), End: end, Disposition: toolkit.Disposition{Run: run}, ErrorType: kind,
	}
	if kind != "" {
		e.Err = errors.New(text)
	}
	r.End(r.Begin(context.Background(), e.Call, &e.Info), e)
}

// serve serves the recorder and opens its page, which then asks for nothing more for a minute.
func (r *recorded) serve(t *testing.T, query string) *browser {
	t.Helper()
	chromium := program(t, "chromium", "chromium-browser", "google-chrome")
	h, err := statshttp.NewHandler(r.Recorder, statshttp.Options{Refresh: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return browse(t, chromium, server.URL+"/"+query)
}

// TestDashboardPaths follows the links of the page over the demo's session: from the overview by a tool and its error to the
// example call, its trace and the tracing backend, and from a session to a call.
func TestDashboardPaths(t *testing.T) {
	chromium := program(t, "chromium", "chromium-browser", "google-chrome")
	page := browse(t, chromium, serveDemo(t, "--rate", "0", "--jaeger", "http://jaeger.example:9999/ui")+"?window=total")

	page.click(`.tools a[href*="tool=report_export"]`)
	page.shows(`document.getElementById("tool-h")?.textContent === "report_export"`)
	if got := page.text(`document.querySelectorAll(".tools").length + " " + document.querySelectorAll(".chart ` +
		`canvas").length`); got != "0 2" {
		t.Errorf("the tool's page has %q tables of tools and charts, want 0 and 2", got)
	}
	page.click(`#errors-card a[href*="group="]`)
	page.shows(`document.getElementById("arguments") !== null`)
	order := page.text(`[...document.querySelectorAll("#example > section > h3")].map(h => h.textContent).join()`)
	if order != "Arguments,Error,Trace,Details" && order != "Arguments,Error,Result of the failed call,Trace,Details" {
		t.Errorf("the example call shows %q, want arguments and error first, details last", order)
	}
	if got := page.text(`document.querySelector("#arguments .tree").textContent`); !strings.Contains(got, "topic: sales") {
		t.Errorf("got the arguments %q", got)
	}
	page.click(`#example .links a[href*="trace="]`)
	page.shows(`document.querySelectorAll("#trace .fall li").length > 5`)
	if got := page.text(`document.querySelector("#trace .away").href`); !strings.HasPrefix(got,
		"http://jaeger.example:9999/ui/trace/") {
		t.Errorf("got the link %q, want the configured address", got)
	}
	if got := page.text(`(names => names[0].getBoundingClientRect().left + 10 < names[1].getBoundingClientRect().left)` +
		`(document.querySelectorAll(".fall .what bdi"))`); got != "true" {
		t.Error("the waterfall does not indent what is below another span")
	}
	page.click(`.fall li:nth-child(2) summary`)
	page.shows(`document.querySelector(".fall li:nth-child(2) .inside .content h3").textContent === "Arguments"`)

	page.click(`#view-sessions`)
	page.click(`#sessions-card a[href*="session="]`)
	page.shows(`document.getElementById("session-h") !== null`)
	page.click(`#calls-card a[href*="call="]`)
	page.shows(`document.querySelector("#call .facts") !== null`)
	page.click(`#view-health`)
	page.shows(`document.getElementById("components")?.textContent.includes("statistics")`)
	page.noFaults()
}

// TestDashboardWithoutJavaScript: the page leads to tables in plain text.
func TestDashboardWithoutJavaScript(t *testing.T) {
	r := newRecorded(t)
	r.call(&toolkit.Definition{Name: "search"}, time.Millisecond, "", "", "s")
	page := r.serve(t, "")
	page.call("Emulation.setScriptExecutionDisabled", map[string]any{"value": true})
	page.open(page.text(`location.href`))
	href := page.text(`document.querySelector("noscript a").href`)
	page.open(href)
	if got := page.text(`document.body.innerText`); !strings.Contains(got, "MEDIAN") || !strings.Contains(got, "search") {
		t.Errorf("%s: got %q", href, got)
	}
}

// TestDashboardAfterSilence: ten minutes after the last call the page shows the last data and says so; before the first call
// it says that there is none; a change is shown only where there is something to compare with.
func TestDashboardAfterSilence(t *testing.T) {
	r := newRecorded(t)
	page := r.serve(t, "")
	page.shows(`document.getElementById("silence")?.textContent.includes("No calls yet")`)
	if got := page.text(`document.querySelector(".tiles").textContent`); strings.ContainsAny(got, "▲▼") ||
		strings.Contains(got, "NaN") {
		t.Errorf("without calls the figures are %q", got)
	}
	tool := &toolkit.Definition{Name: "search"}
	for range 156 {
		r.call(tool, 20*time.Millisecond, "", "", "s")
	}
	r.ahead = 10 * time.Minute
	page.open(page.text(`location.href`))
	page.shows(`document.getElementById("silence")?.textContent.includes("up to the latest call")`)
	if got := page.text(`document.querySelector(".tile .value").textContent + " " + ` +
		`document.querySelectorAll(".tools tbody tr").length`); got != "156 1" {
		t.Errorf("after ten minutes: got %q calls and tools", got)
	}
	if got := page.text(`document.querySelectorAll(".change").length`); got != "0" {
		t.Errorf("got %s changes, want none: nothing came before", got)
	}
	page.noFaults()
}

// manyCalls is a program with 100,000 calls of 200 tools: half of them real ones, with spans, the last 10,000 of which
// succeed, and half from the minutes after, without spans.
func manyCalls(t *testing.T) *toolscope.Scope {
	t.Helper()
	ring := exporters.NewRing(4096)
	var ahead time.Duration
	scope, err := toolscope.New(toolscope.Options{
		TracerProvider: sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(ring)),
		Stats:          stats.Options{Clock: func() time.Time { return time.Now().Add(ahead) }},
		HTTP: statshttp.Options{
			Traces: ring.Source(), TraceURL: "http://jaeger.example:9999/ui/trace/{trace_id}", Refresh: time.Minute,
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = scope.Shutdown(context.Background()) })
	full := errors.New("disk 7 is full")
	registry, tools := new(toolkit.Registry), make([]*toolkit.Definition, 200)
	for i := range tools {
		name := fmt.Sprintf("tool_%03d", i)
		if err := registry.Register(toolkit.ToolFunc(toolkit.Definition{Name: name},
			func(_ context.Context, c toolkit.Call) (toolkit.Result, error) {
				if strings.Contains(string(c.Arguments), "log") {
					return toolkit.Result{}, full
				}
				return toolkit.Result{}, nil
			})); err != nil {
			t.Fatal(err)
		}
		tools[i] = registry.Lookup(name)
	}
	handle := scope.WrapRegistry(registry)
	for i := range 50_000 {
		arguments := json.RawMessage(`{"path":"a"}`)
		if i < 40_000 && i%50 == 0 {
			arguments = json.RawMessage(`{"path":"/var/log/call","number":` + strconv.Itoa(i) + `}`)
		}
		call := toolkit.Call{Name: tools[i*7%200].Name, Arguments: arguments}
		if _, err := handle(t.Context(), call); err != nil && !errors.Is(err, full) {
			t.Fatal(err)
		}
	}
	r := &recorded{Recorder: scope.Stats()}
	for i := range 50_000 {
		if i%2000 == 0 {
			ahead += 10 * time.Second
			r.ahead = ahead
		}
		r.call(tools[i*7%200], time.Duration(1+i%977)*100*time.Microsecond, "", "", "s"+strconv.Itoa(i%40))
	}
	return scope
}

// TestDashboardOfManyCalls: at 100,000 calls of 200 tools the first view is four requests of at most 300 KB. From there a
// person follows a tool and its error to the example call, with arguments and error, its trace and the tracing backend,
// though 60,000 calls came after.
func TestDashboardOfManyCalls(t *testing.T) {
	chromium := program(t, "chromium", "chromium-browser", "google-chrome")
	server := httptest.NewServer(manyCalls(t).HTTPHandler())
	t.Cleanup(server.Close)
	page := browse(t, chromium, server.URL+"/?window=total")
	page.shows(`document.querySelectorAll(".tools tbody tr").length > 5`)
	got := page.text(`(all => all.length + " " + all.reduce((n, e) => n + e.transferSize, 0))(` +
		`[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource").filter(e => ` +
		`e.name.startsWith("http"))])`)
	var requests, bytes int
	if _, err := fmt.Sscan(got, &requests, &bytes); err != nil || requests > 4 || bytes > 300_000 || bytes < 10_000 {
		t.Errorf("the first view is %q requests and bytes, want at most 4 and 300000", got)
	}
	t.Logf("%d requests, %d bytes", requests, bytes)
	if got := page.text(`document.querySelector(".tile .value").textContent.replace(/\D/g, "")`); got != "100000" {
		t.Errorf("the overview counts %q calls, want 100000", got)
	}
	page.click(`#tools-more`)
	page.shows(`document.querySelectorAll(".tools tbody tr").length === 200`)
	page.click(`.tools a[href*="tool=tool_150"]`)
	page.shows(`document.getElementById("tool-h")?.textContent === "tool_150"`)
	page.click(`#errors-card a[href*="group="]`)
	page.shows(`document.querySelector("#arguments .tree") !== null`)
	got = page.text(`document.querySelector("#arguments .tree").textContent + " " + document.getElementById("example").textContent`)
	if !strings.Contains(got, "path: /var/log/call") || !strings.Contains(got, "disk 7 is full") {
		t.Errorf("got the example %q, want its arguments and error", got)
	}
	page.click(`#example .links a[href*="trace="]`)
	page.shows(`document.querySelector("#trace .fall li") !== null`)
	if got := page.text(`document.querySelector("#trace .away").href`); !strings.HasPrefix(got,
		"http://jaeger.example:9999/ui/trace/") {
		t.Errorf("got the link %q, want the configured address", got)
	}
	page.noFaults()
}

// TestDashboardOnAPhone: nothing is wider than 400 pixels, in light and dark, and texts stand out from their ground.
func TestDashboardOnAPhone(t *testing.T) {
	r := newRecorded(t)
	for i := range 60 {
		kind := ""
		if i%9 == 0 {
			kind = "timeout"
		}
		r.call(&toolkit.Definition{Name: "a_tool_with_a_rather_long_name_" + strconv.Itoa(i%5)},
			time.Duration(i+1)*time.Millisecond, kind,
			"no answer from https://example.org/a/long/path/that/goes/on/and/on within 30 s",
			"conversation-of-a-long-name-"+strconv.Itoa(i%3))
	}
	page := r.serve(t, "")
	page.call("Emulation.setDeviceMetricsOverride",
		map[string]any{"width": 400, "height": 800, "deviceScaleFactor": 1, "mobile": false})
	grounds := make(map[string]bool)
	for _, scheme := range []string{"light", "dark"} {
		page.call("Emulation.setEmulatedMedia",
			map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}})
		for _, view := range []string{"", "?view=errors", "?view=calls", "?view=sessions", "?view=health", "?call=1",
			"?tool=a_tool_with_a_rather_long_name_0"} {
			page.open(page.text(`location.origin`) + "/" + view)
			page.shows(`document.querySelector("#main > *") !== null`)
			if got := page.text(`document.documentElement.scrollWidth - document.documentElement.clientWidth`); got != "0" {
				t.Errorf("%s %q: the page is %s pixels wider than the window", scheme, view, got)
			}
			if got := page.text(faint); got != "" {
				t.Errorf("%s %q: too faint: %s", scheme, view, got)
			}
		}
		grounds[page.text(`getComputedStyle(document.body).backgroundColor`)] = true
	}
	if len(grounds) != 2 {
		t.Errorf("got the grounds %v, want one for light and one for dark", grounds)
	}
	page.noFaults()
}

// faint lists elements whose text has less than 4.5 times the luminance of its ground, or the other way round.
const faint = `(() => {
  const rgb = (c) => c.match(/[\d.]+/g).map(Number);
  const light = (c) => rgb(c).slice(0, 3).map((v) => v / 255).map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (e) => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if ((rgb(c)[3] ?? 1) > 0.9) return c; } return 'rgb(255,255,255)'; };
  const bad = [];
  for (const e of document.querySelectorAll('body *')) {
    if (![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()) || !e.getClientRects().length || e.closest('svg, .sr, .skip, noscript, script, style')) continue;
    const [a, b] = [light(getComputedStyle(e).color), light(ground(e))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) bad.push(e.localName + '.' + e.className + ' ' + e.textContent.slice(0, 20));
  }
  return bad.slice(0, 5).join('; ');
})()`

// listed are registered tools.
type listed []toolkit.Definition

func (l listed) Definitions() []toolkit.Definition { return l }

// TestDashboardWithHostileNames: names and texts of others stay texts in every view.
func TestDashboardWithHostileNames(t *testing.T) {
	const hostile = "<img src=x onerror=window.hacked=1>\x1b[31m\u202etxt\"'><script>window.hacked=1</script>"
	r := newRecorded(t)
	r.call(&toolkit.Definition{Name: hostile}, time.Millisecond, "tool_error", hostile, hostile)
	r.Register(listed{{Name: hostile, Category: hostile, Risk: toolkit.Risk(hostile)}})
	page := r.serve(t, "")
	for _, next := range []string{"#tools-table", `.tools a`, `#errors-card a[href*="group="]`,
		`#calls-card a[href*="call="]`, "#view-calls", "#view-sessions",
		`#sessions-card a[href*="session="]`, "#view-errors", "#view-tools", "#categories a:last-child", "#view-health"} {
		page.click(next)
		page.shows(`document.querySelector("#main > *") !== null`)
		if got := page.text(`window.hacked === undefined && document.querySelector("main img, main script, main ` +
			`iframe") === null && !/[\u001b\u202e]/.test(document.body.innerText + document.title)`); got != "true" {
			t.Errorf("after %s: a name is more than a text", next)
		}
	}
	page.open(page.text(`location.origin`))
	page.shows(`document.querySelector(".tools a") !== null`)
	if got := page.text(`document.querySelector(".tools a").textContent`); !strings.HasPrefix(got,
		`<img src=x onerror=window.hacked=1>\x1b[31m\u202etxt`) {
		t.Errorf("got the name %q", got)
	}
	page.noFaults()
}

// TestDashboardIsLive: the page follows a demo that goes on playing, pauses, and shows the approvals that wait.
func TestDashboardIsLive(t *testing.T) {
	chromium := program(t, "chromium", "chromium-browser", "google-chrome")
	page := browse(t, chromium, serveDemo(t, "--rate", "20"))
	const calls = `Number(document.querySelector(".tile .value").textContent.replace(/\D/g, ""))`
	page.shows(calls + ` > 0`)
	was := page.text(calls)
	page.shows(calls + ` > ` + was)
	page.click(`#pause`)
	page.shows(`document.getElementById("live").dataset.state === "paused"`)
	page.click(`#pause`)
	page.shows(`document.getElementById("live").dataset.state === "live"`)
	page.shows(`/Approvals[1-9]/.test(document.getElementById("view-approvals").textContent)`)
	page.click(`#view-approvals`)
	page.shows(`document.querySelector("#approvals-card .action")?.href.endsWith("/approvals")`)
	page.open(page.text(`location.origin`) + "/?view=calls") // its own resources do not say what the program has
	page.shows(`document.getElementById("view-approvals") !== null`)
	page.noFaults()
}
