// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statshttp

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"unicode"
)

func TestBadParameters(t *testing.T) {
	h := handlerOf(t, busyRecorder(t))
	long := strings.Repeat("x", maxValue+1)
	for _, c := range []struct{ target, parameter string }{
		{"/api/v1/summary?window=2m", "window"},
		{"/api/v1/summary?window=5m&window=5m", "window"},
		{"/api/v1/summary?window=5m&since=2026-01-01T00:00:00Z", "window"},
		{"/api/v1/summary?since=yesterday", "since"},
		{"/api/v1/summary?since=-5", "since"},
		{"/api/v1/summary?since=NaN", "since"},
		{"/api/v1/summary?since=1e300", "since"},
		{"/api/v1/summary?since=0001-01-01T00:00:00Z", "since"},
		{"/api/v1/summary?since=9999-01-01T00:00:00Z", "since"},
		{"/api/v1/summary?since=2026-02-01T00:00:00Z&until=2026-01-01T00:00:00Z", "until"},
		{"/api/v1/summary?since=2026-02-01T00:00:00Z&until=2026-02-01T00:00:00Z", "until"},
		{"/api/v1/summary?limit=5", "limit"},
		{"/api/v1/summary?%1b%5b31m=1", ""},
		{"/api/v1/tools?sort=sideways", "sort"},
		{"/api/v1/tools?limit=0", "limit"},
		{"/api/v1/tools?limit=1001", "limit"},
		{"/api/v1/tools?limit=99999999999999999999999", "limit"},
		{"/api/v1/tools?limit=-1", "limit"},
		{"/api/v1/calls?outcome=maybe", "outcome"},
		{"/api/v1/calls?min_duration=5", "min_duration"},
		{"/api/v1/calls?min_duration=-5ms", "min_duration"},
		{"/api/v1/calls?group=xyz", "group"},
		{"/api/v1/calls?group=%2b00000000000001", "group"},
		{"/api/v1/calls?before=0", "before"},
		{"/api/v1/calls?tool=" + long, "tool"},
		{"/api/v1/errors?tool=" + long, "tool"},
		{"/api/v1/sessions?window=5m", "window"},
		{"/api/v1/stream?window=never", "window"},
		{"/healthz?x=1", "x"},
		{"/?window=never", "window"},
		{"/?call=x", "call"},
		{"/?sort=" + url.QueryEscape(hostileName), "sort"},
	} {
		t.Run(c.target[:min(len(c.target), 60)], func(t *testing.T) {
			p := asProblem(t, ask(h, c.target), http.StatusBadRequest)
			if c.parameter != "" && p.Parameter != c.parameter {
				t.Errorf("got parameter %q, want %q (%s)", p.Parameter, c.parameter, p.Detail)
			}
			if len(p.Detail) > 400 || strings.IndexFunc(p.Detail, func(r rune) bool { return !unicode.IsGraphic(r) }) >= 0 {
				t.Errorf("got detail %q, want it short and plain", p.Detail)
			}
		})
	}
	for _, target := range []string{"/api/v1/summary?window=%zz", "/api/v1/summary?a;b"} {
		asProblem(t, ask(h, target), http.StatusBadRequest)
	}
}

func TestLargeRequests(t *testing.T) {
	h := handlerOf(t, busyRecorder(t))
	mega := strings.Repeat("a", 1<<20)
	for _, target := range []string{"/?tool=" + mega, "/api/v1/calls?tool=" + mega,
		"/api/v1/calls?" + strings.Repeat("&", 1<<20), "/api/v1/tools/" + mega, "/" + mega} {
		asProblem(t, ask(h, target), http.StatusRequestURITooLong)
	}
}
