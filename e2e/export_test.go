// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/e2e/jaeger"
)

// exportedLog writes a call log of n calls, beginning so long ago, and returns its
// name.
func exportedLog(t *testing.T, n int, ago time.Duration) string {
	t.Helper()
	var b strings.Builder
	start := time.Now().UTC().Add(-ago).Truncate(time.Second)
	for i := range n {
		end := start.Add(time.Duration(i) * 20 * time.Millisecond).Format(time.RFC3339Nano)
		switch i % 10 {
		case 3:
			fmt.Fprintf(
				&b,
				`{"time":%q,"tool":"search","duration_us":900000,"session":"s-%d","error_type":"timeout",`+
					`"error":"no answer for key=%s"}`+"\n",
				end,
				i%4,
				"ghp_"+strings.Repeat("a1B2", 9),
			)
		case 7:
			fmt.Fprintf(
				&b,
				`{"time":%q,"tool":"search","outcome":"cache_hit","duration_us":4,"session":"s-%d","result":"old"}`+"\n",
				end,
				i%4,
			)
		default:
			fmt.Fprintf(
				&b,
				`{"time":%q,"tool":"read_file","duration_us":%d,"session":"s-%d","agent":"planner","turn":%d,`+
					`"id":"call-%d","arguments":{"path":"%d.txt"},"result":{"lines":["<b>&amp;",%d]}}`+"\n",
				end,
				500+i,
				i%4,
				i,
				i,
				i,
				i,
			)
		}
	}
	fmt.Fprintf(
		&b,
		`{"time":%q,"tool":"traced","duration_us":10,"trace_id":"abababababababab%016x","span_id":%q,"parent_span_id":%q}`+"\n",
		start.Format(time.RFC3339),
		int64(ago),
		strings.Repeat("0b", 8),
		strings.Repeat("ab", 8),
	)
	name := filepath.Join(t.TempDir(), "calls.jsonl")
	if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// export runs toolscope export.
func export(t *testing.T, binary string, args ...string) {
	t.Helper()
	if out, err := exec.Command(binary, append([]string{"export"}, args...)...).CombinedOutput(); err != nil {
		t.Fatalf("toolscope export %q: %v\n%s", args, err, out)
	}
}

// TestExportReachesJaeger exports a log twice over each protocol, to a Jaeger that keeps
// spans on disk, and finds each call once.
func TestExportReachesJaeger(t *testing.T) {
	server, err := jaeger.StartStored(t.Context(), jaegerBinary(t), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	binary := command(t)
	for _, c := range []struct {
		protocol, endpoint string
		ago                time.Duration
	}{{"grpc", server.OTLP, 10 * time.Minute}, {"http/protobuf", server.OTLPHTTP, 3 * time.Hour}} {
		t.Run(c.protocol, func(t *testing.T) {
			log := exportedLog(t, 600, c.ago)
			service := "export-" + strings.ReplaceAll(c.protocol, "/", "-")
			for range 2 {
				export(
					t,
					binary,
					"--to",
					"otlp",
					"--protocol",
					c.protocol,
					"--endpoint",
					c.endpoint,
					"--service",
					service,
					log,
				)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			traces, text, err := server.Spans(ctx, service, 601)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(text), "a1B2a1B2") {
				t.Error("a secret of the log is in Jaeger")
			}
			spans, all := make(map[string]*jaeger.Span), 0
			for i := range traces {
				for j := range traces[i].Spans {
					s := &traces[i].Spans[j]
					spans[s.TraceID+s.SpanID] = s
					all++
				}
			}
			if len(spans) != 601 || all != 601 {
				t.Fatalf("got %d spans, %d of them different, want 601 after two exports", all, len(spans))
			}
			failed, hits := 0, 0
			for _, s := range spans {
				if got, _ := s.Tag("gen_ai.operation.name"); got != "execute_tool" ||
					!strings.HasPrefix(s.OperationName, "execute_tool ") {
					t.Fatalf("got a span %+v", s)
				}
				kind, _ := s.Tag("error.type")
				bad, _ := s.Tag("error")
				said, _ := s.Tag("otel.status_description")
				if kind == "timeout" && bad == "true" && said == "no answer for key=[REDACTED:github-token]" {
					failed++
				}
				if outcome, _ := s.Tag("toolscope.outcome"); outcome == "cache_hit" {
					hits++
				}
			}
			if failed != 60 || hits != 60 {
				t.Errorf("got %d failed calls and %d hits, want 60 of each", failed, hits)
			}
			traced := spans[fmt.Sprintf("abababababababab%016x", int64(c.ago))+strings.Repeat("0b", 8)]
			if traced == nil || traced.Parent() != strings.Repeat("ab", 8) {
				t.Errorf("the ids of the log: got %+v", traced)
			}
		})
	}
}

// TestExportedPageInChromium looks at the page in a real browser, light and dark, from
// a server that forbids all that a policy can forbid but the page's own.
func TestExportedPageInChromium(t *testing.T) {
	chromium := program(t, "chromium", "chromium-browser", "google-chrome")
	file := filepath.Join(t.TempDir(), "report.html")
	export(t, command(t), "-o", file, exportedLog(t, 600, time.Hour))
	page := browse(t, chromium, "file://"+file) // as people open it
	if got := page.text(`document.querySelectorAll("svg, .chart canvas").length > 6 && document.querySelectorAll(".tools tbody ` +
		`tr").length + " " + document.querySelectorAll("details.call").length`); got != "3 50" {
		t.Errorf("got %q tools and calls", got)
	}
	ground := func(scheme string) string {
		page.call(
			"Emulation.setEmulatedMedia",
			map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}},
		)
		return page.text(`getComputedStyle(document.body).backgroundColor`)
	}
	if light, dark := ground("light"), ground("dark"); light == dark || light == "rgba(0, 0, 0, 0)" {
		t.Errorf(
			"got the ground %s in light and %s in dark, want two colours: is the style sheet in force?",
			light,
			dark,
		)
	}
	for _, size := range [][2]int{{1280, 1600}, {360, 800}} {
		page.call(
			"Emulation.setDeviceMetricsOverride",
			map[string]any{"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": false},
		)
		if got := page.text(`document.documentElement.scrollWidth <= innerWidth`); got != "true" {
			t.Errorf(
				"at %d pixels the page is wider than the window: %s",
				size[0],
				page.text(`document.documentElement.scrollWidth`),
			)
		}
	}
	if got := page.text(`[...document.querySelectorAll("svg")].every(s => s.querySelector("title"))`); got != "true" {
		t.Error("a plot has no name for those who do not see it")
	}
	page.press("Tab", 9)
	if got := page.text(`document.activeElement.className`); got != "skip" {
		t.Errorf("the first stop of the tabulator is %q, want the link that skips to the figures", got)
	}
	page.text(`document.querySelector("details.call summary").click(), ""`)
	if got := page.text(`document.querySelector("details.call").open && document.querySelector("details.call ` +
		`.inside").innerText`); !strings.Contains(
		got,
		"no answer for key=[REDACTED:github-token]",
	) {
		t.Errorf("the slowest call says %q", got)
	}
	shot(t, page, "export-page.png")

	// A server with the strictest policy there is: style sheet and script are not applied
	// then, but the tables can be read, and nothing is asked for.
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		w.Header().Set("Content-Security-Policy", "default-src 'none'")
		http.ServeFile(w, r, file)
	}))
	defer server.Close()
	strict := browse(t, chromium, server.URL)
	if got := strict.text(`document.querySelector("main pre").innerText.split("\n\n")[1].split("\n").length`); got != "5" {
		t.Errorf("under the strictest policy: got %s lines, want a heading, all tools together and 3 tools", got)
	}
	if asked > 2 { // the page, and the browser's own wish for an icon
		t.Errorf("got %d requests, want one for the page", asked)
	}
}

// shot keeps a picture of a page where TOOLSCOPE_SHOTS says.
func shot(t *testing.T, page *browser, name string) {
	t.Helper()
	dir := os.Getenv("TOOLSCOPE_SHOTS")
	if dir == "" {
		return
	}
	page.call("Emulation.clearDeviceMetricsOverride", map[string]any{})
	picture(t, page, name)
}

// picture keeps a picture of a page as it is.
func picture(t *testing.T, page *browser, name string) {
	t.Helper()
	var picture struct{ Data string }
	if err := json.Unmarshal(
		page.call("Page.captureScreenshot", map[string]any{"captureBeyondViewport": true}), &picture,
	); err != nil {
		t.Fatal(err)
	}
	text, err := base64.StdEncoding.DecodeString(picture.Data)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(os.Getenv("TOOLSCOPE_SHOTS"), name), text, 0o644); err != nil {
		t.Fatal(err)
	}
}
