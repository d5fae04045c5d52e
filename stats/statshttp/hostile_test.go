// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statshttp

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
)

// Every resource refuses what it does not understand with a problem that says so, and
// what it answers is harmless.
func TestEveryResourceRefusesBadInput(t *testing.T) {
	h := handlerOf(t, busyRecorder(t), Options{
		Metrics: func(*stats.Recorder) (http.Handler, error) { return http.NotFoundHandler(), nil }})
	mega := strings.Repeat("a", 1<<20)
	for path, res := range routes() {
		target := strings.TrimSuffix(path, "{$}")
		if before, after, named := strings.Cut(target, "{"); named {
			_, after, _ = strings.Cut(after, "}")
			hostile := before + url.PathEscape(hostileName+"-unknown") + after
			status := http.StatusNotFound
			if strings.Contains(before, "calls") || strings.Contains(before, "traces") {
				status = http.StatusBadRequest
			}
			asProblem(t, ask(h, hostile), status)
			asProblem(t, ask(h, before+strings.Repeat("%00", 1<<12)+after), http.StatusRequestURITooLong)
			target = before + "1" + after
		}
		t.Run(target, func(t *testing.T) {
			asProblem(t, ask(h, target+"?window="+mega), http.StatusRequestURITooLong)
			asProblem(t, ask(h, target+"?"+strings.Repeat("a=b&", 1<<18)), http.StatusRequestURITooLong)
			asProblem(t, ask(h, target+"?"+url.QueryEscape(hostileName)+"=1"), http.StatusBadRequest)
			asProblem(t, ask(h, target+"?%zz"), http.StatusBadRequest)
			for _, name := range res.parameters {
				asProblem(t, ask(h, target+"?"+name+"=1&"+name+"=1"), http.StatusBadRequest)
				asProblem(t, ask(h, target+"?"+name+"="+strings.Repeat("9", maxValue+1)), http.StatusBadRequest)
			}
			if slices.Contains(res.parameters, "window") {
				for _, window := range []string{"2m", "-5m", "5M", "0", "null", "5m;", hostileName} {
					p := asProblem(t, ask(h, target+"?window="+url.QueryEscape(window)), http.StatusBadRequest)
					if p.Parameter != "window" || !slices.Equal(p.Wanted, stats.WindowNames()) {
						t.Errorf("window=%q: got %+v, want the names listed", window, p)
					}
				}
				asProblem(t, ask(h, target+"?since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z"), http.StatusBadRequest)
			}
			post := ask(h, target, func(r *http.Request) { r.Method = http.MethodPost })
			asProblem(t, post, http.StatusMethodNotAllowed)
		})
	}
}

// What policies tell may be hostile as well.
func TestHostileFactsAreHarmless(t *testing.T) {
	r := newRecorder(t)
	record(r, call(&toolkit.Definition{Name: "t"}, time.Millisecond, told(hostileName, hostileName, "cache", "<script>\x1b\u202e")))
	h := handlerOf(t, r)
	harmless := func(target string, w *httptest.ResponseRecorder) string {
		body := w.Body.String()
		if w.Code != http.StatusOK || strings.ContainsAny(body, "\x1b\u202e") {
			t.Errorf("%s: got %d, and what a terminal or the order of writing would act on", target, w.Code)
		}
		return body
	}
	for _, target := range []string{"/api/v1/summary", "/api/v1/view?tool=t", "/api/v1/tools", "/api/v1/tools/t",
		"/api/v1/calls", "/api/v1/calls/1", "/api/v1/snapshot"} {
		w := ask(h, target)
		if body := harmless(target, w); !strings.Contains(body, `"cache"`) || !strings.Contains(body, `"<script>\u001b\u202e"`) {
			t.Errorf("%s: got %s, want the fact, with what a terminal would act on escaped", target, body)
		}
		// So that no browser takes it for a page.
		if x := w.Header(); x.Get("Content-Type") != "application/json" || x.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: got %v", target, x)
		}
	}
	for _, target := range []string{"/", "/?call=1", "/?policy=" + url.QueryEscape(hostileName+"="+hostileName)} {
		if page := harmless(target, ask(h, target)); strings.Contains(page, hostileName[:20]) || strings.Contains(page, "cache") {
			t.Errorf("%s: the page has data in it", target)
		}
	}
}
