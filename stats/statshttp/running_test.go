// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statshttp

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
)

func TestRunningOverHTTP(t *testing.T) {
	r := stats.NewRunning(nil)
	ask := func(o Options) (int, string) {
		t.Helper()
		h, err := NewHandler(newRecorder(t), o)
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(h)
		defer server.Close()
		answer, err := http.Get(server.URL + "/api/v1/running?limit=1")
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		var b strings.Builder
		_ = answer.Write(&b)
		return answer.StatusCode, b.String()
	}
	if code, body := ask(Options{}); code != http.StatusNotFound || !strings.Contains(body, "Options.Running") {
		t.Errorf("without the option: got %d %s", code, body)
	}
	for range 2 {
		_, running := toolkit.Begin(t.Context(), toolkit.Call{}, &toolkit.Definition{Name: "slow"}, r)
		defer running.End(toolkit.Result{}, nil)
	}
	if code, body := ask(Options{Running: r}); code != http.StatusOK || !strings.Contains(body, `"tool": "slow"`) ||
		!strings.Contains(body, `"more": 1`) {
		t.Errorf("got %d %s", code, body)
	}
}
