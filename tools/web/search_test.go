// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package web_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/web"
)

func search(t *testing.T, s web.Searcher, args object) toolkit.Result {
	t.Helper()
	return call(t.Context(), t, toolset(t, web.Options{Search: s}), "web_search", args)
}

func TestSearXNG(t *testing.T) {
	var asked string
	s := start(t, func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.String()
		fmt.Fprint(w, `{"results": [{"title": "A <b>pear</b> &amp; more", "url": "https://pears.example/", `+
			`"content": "All about\npears.", "publishedDate": "2026-03-01"},
			{"title": "script", "url": "javascript:alert(1)"}, {"title": "login", "url": "https://u:p@x.example/"}`)
		for i := range 30 {
			fmt.Fprintf(w, `,{"title":"more %d","url":"https://x.example/%d"}`, i, i)
		}
		fmt.Fprint(w, "]}")
	})
	b, err := web.NewSearXNG(s.URL + "/sub/")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.(interface{ CloseIdleConnections() }).CloseIdleConnections)
	res := search(t, b, object{"query": " pears & plums ", "language": "en"})
	const want = "1. A pear & more\n   https://pears.example/\n   2026-03-01\n   All about pears.\n2. more 0\n   " +
		"https://x.example/0\n3. more 1\n   https://x.example/1\n4. more 2\n   https://x.example/2\n5. more 3\n   " +
		"https://x.example/3"
	if res.Fault != nil || res.Output != want {
		t.Errorf("got\n%s\nwant\n%s", res.Output, want)
	}
	if asked != "/sub/search?format=json&language=en&q=pears+%26+plums" {
		t.Errorf("the server was asked for %s", asked)
	}
	if res := search(t, b, object{"query": "x", "count": 20}); strings.Count(res.Output, "http") != 20 {
		t.Errorf("got %s, want 20 results", res.Output)
	}
}

func TestBrave(t *testing.T) {
	key := "key" + strings.Repeat("5", 20)
	var got *http.Request
	answer := `{"web": {"results": [{"title": "Pear ` + key + `", "url": "https://x.example/?k=` + key +
		`", "description": "<strong>pears</strong>", "page_age": "2026-01-02"}]}}`
	status := http.StatusOK
	s := start(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		if status == http.StatusFound {
			w.Header().Set("Location", "/elsewhere?"+key)
		}
		w.WriteHeader(status)
		fmt.Fprint(w, answer)
	})
	b, err := web.NewBrave(s.URL, key)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.(interface{ CloseIdleConnections() }).CloseIdleConnections)
	res := search(t, b, object{"query": "pears", "count": 3})
	if res.Fault != nil || res.Output != "1. Pear [key]\n   https://x.example/?k=[key]\n   2026-01-02\n   pears" {
		t.Errorf("got %s", res.Output)
	}
	if got.Header.Get("X-Subscription-Token") != key || got.URL.String() != "/res/v1/web/search?count=3&q=pears" {
		t.Errorf("the server was asked for %s with %v", got.URL, got.Header)
	}
	for _, test := range []struct {
		status int
		answer string
		kind   toolkit.Kind
	}{
		{401, "bad key " + key, toolkit.ErrTool}, {429, key, toolkit.ErrRateLimited}, {500, key, toolkit.ErrTool},
		{302, "", toolkit.ErrTool},
		{200, "<html>" + key, toolkit.ErrTool}, {200, strings.Repeat(" ", 3<<20), toolkit.ErrTool},
		{200, `{"web": {"results": 5}}`, toolkit.ErrTool},
	} {
		status, answer = test.status, test.answer
		if res := search(t, b, object{"query": "x"}); !errors.Is(res.Fault, test.kind) || strings.Contains(res.Output, key) {
			t.Errorf("%d: got %s, want %s without the key", test.status, res.Output, test.kind)
		}
	}
	status, answer = 200, "{}"
	if res := search(t, b, object{"query": "x"}); res.Output != "no results" {
		t.Errorf("got %s", res.Output)
	}
	if text := fmt.Sprintf("%v %+v %#v", b, b, b); strings.Contains(text, key) {
		t.Errorf("printing the backend shows the key: %s", text)
	}
	s.Close()
	if res := search(t, b, object{"query": "x"}); !errors.Is(res.Fault, toolkit.ErrTool) ||
		strings.Contains(res.Output, "127.0.0.1") || strings.Contains(res.Output, key) {
		t.Errorf("gone: got %s", res.Output)
	}
}

type searchFunc func(context.Context, web.Query) ([]web.Hit, error)

func (f searchFunc) Search(ctx context.Context, q web.Query) ([]web.Hit, error) { return f(ctx, q) }

func TestSearchRefuses(t *testing.T) {
	s := searchFunc(func(_ context.Context, q web.Query) ([]web.Hit, error) {
		t.Errorf("asked for %+v", q)
		return nil, nil
	})
	for name, args := range map[string]object{
		"no query": {}, "blank query": {"query": "  "}, "long query": {"query": strings.Repeat("x", 401)},
		"no results": {"query": "x", "count": 0},
		"too many":   {"query": "x", "count": 21}, "language": {"query": "x", "language": "eng"},
		"capitals": {"query": "x", "language": "EN"},
	} {
		if res := search(t, s, args); !errors.Is(res.Fault, toolkit.ErrInvalidArguments) {
			t.Errorf("%s: got %s", name, res.Output)
		}
	}
}

func TestNewBackends(t *testing.T) {
	for _, base := range []string{"", "x", "ftp://x", "http://", "http://u:p@x", "http://x?q", "http://[", "/search"} {
		if _, err := web.NewSearXNG(base); err == nil || !strings.Contains(err.Error(), "baseURL: got ") ||
			strings.Contains(err.Error(), "u:p") {
			t.Errorf("%q: got %v", base, err)
		}
	}
	for _, key := range []string{"", "a b", "a\r\nX: y", "ü"} {
		if _, err := web.NewBrave("", key); err == nil || !strings.Contains(err.Error(), "key: got ") {
			t.Errorf("%q: got %v", key, err)
		}
	}
	if _, err := web.NewBrave("", "x"); err != nil {
		t.Error(err)
	}
}
