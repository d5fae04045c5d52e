// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
)

// TestASecretInAToolsNameIsNotExported registers tools whose names are tokens.
func TestASecretInAToolsNameIsNotExported(t *testing.T) {
	for form, token := range tokens {
		e := newExportedBy(t)
		tools, err := toolkit.NewTools(toolkit.Definition{Name: token, Description: "d"},
			toolkit.Definition{Name: "unused_" + token, Description: "d"})
		if err != nil {
			t.Fatal(err)
		}
		call := e.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{}, nil }, tools)
		if _, err := call(t.Context(), toolkit.Call{Name: token}); err != nil {
			t.Fatal(err)
		}
		for where, text := range e.texts(t, "q") {
			if i := strings.Index(text, token); i >= 0 {
				t.Errorf("%s in %s: …%s", form, where, text[max(0, i-60):min(len(text), i+len(token))])
			}
		}
		name := e.Stats().Summary(stats.Window{}).Tools[0].Tool
		server := httptest.NewServer(e.HTTPHandler())
		answer, err := http.Get(server.URL + "/api/v1/tools/" + url.PathEscape(name))
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Errorf("%s: the tool's page by its redacted name %q: got %v, %v", form, name, answer.Status, err)
		}
		answer.Body.Close()
		server.Close()
	}
}

// TestKeysOfTagsAreSafe adds tags with keys that are tokens and texts.
func TestKeysOfTagsAreSafe(t *testing.T) {
	e := newExportedBy(t)
	key := ""
	call := e.Wrap(func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
		call.Record.Tag(key, "v")
		return toolkit.Result{}, nil
	}, nil)
	for _, key = range []string{tokens["GitHub"], tokens["Slack"], "a text\n", strings.Repeat("k", 65), "my.note"} {
		_, _ = call(t.Context(), toolkit.Call{Name: "q"})
	}
	for where, text := range e.texts(t, "q") {
		for _, secret := range []string{tokens["GitHub"], tokens["Slack"], "a text\\n", "a text\n", strings.Repeat("k", 65)} {
			if strings.Contains(text, secret) {
				t.Errorf("%q in %s", secret, where)
			}
		}
	}
	if spans := e.texts(t, "q")["spans"]; !strings.Contains(spans, "toolscope.my.note v") ||
		strings.Count(spans, "toolscope._other v") != 4 {
		t.Errorf("want my.note once and _other 4 times in %s", spans)
	}
}
