// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/stats/statshttp"
	"github.com/toolscope/toolscope/toolkit"
)

type namedHealth string

func (n namedHealth) Components() []stats.Component { return []stats.Component{{Name: string(n)}} }

// TestStatsOptionsKeepTheScopesOwn: options of statistics and of the handler leave the scope's redactor,
// health and links in place, and the scope does not write to the caller's slices.
func TestStatsOptionsKeepTheScopesOwn(t *testing.T) {
	redactor, err := redact.New(redact.Options{Known: []string{"PURPLE-ELEPHANT"}})
	if err != nil {
		t.Fatal(err)
	}
	policy, err := approve.New(approve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	health := append(make([]stats.HealthSource, 0, 4), namedHealth("mine"), nil)
	links := append(make([]statshttp.Link, 0, 4), statshttp.Link{Name: "my page", Href: "page"})
	scope, err := toolscope.New(toolscope.Options{
		NoTracing: true, NoMetrics: true, Redactor: redactor,
		Stats:    stats.Options{MaxRecent: 2},
		HTTP:     statshttp.Options{Health: health, Links: links},
		Policies: []middleware.Policy{policy}, ApprovalsToken: "0123456789abcdef",
	})
	if err != nil {
		t.Fatal(err)
	}
	defer scope.Shutdown(context.Background())

	handler := scope.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) {
		return toolkit.Result{}, errors.New("no PURPLE-ELEPHANT here")
	}, nil)
	for range 3 {
		_, _ = handler(t.Context(), toolkit.Call{Name: "search"})
	}
	summary := string(askScope(t, scope, "/api/v1/summary")) + string(askScope(t, scope, "/api/v1/errors"))
	for _, want := range []string{`"name":"mine"`, `"name":"redaction"`, "[REDACTED:known-value]"} {
		if !strings.Contains(strings.ReplaceAll(summary, `": `, `":`), want) {
			t.Errorf("the answers lack %s: %s", want, summary)
		}
	}
	if strings.Contains(summary, "PURPLE") {
		t.Errorf("got the secret: %s", summary)
	}
	if n := len(scope.Stats().Recent(stats.Filter{})); n != 2 {
		t.Errorf("got %d recent calls, want MaxRecent, 2", n)
	}
	view := strings.ReplaceAll(string(askScope(t, scope, "/api/v1/view")), `": `, `":`)
	for _, want := range []string{`"page"`, `"approvals"`} {
		if !strings.Contains(view, `"href":`+want) {
			t.Errorf("the page's data lack a link to %s", want)
		}
	}
	if health[:4][2] != nil || links[:4][1] != (statshttp.Link{}) {
		t.Error("the scope wrote to the caller's slices")
	}
}
