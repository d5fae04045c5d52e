// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statshttp

import (
	"net/http"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/stats/statshttp/internal/api"
	"github.com/toolscope/toolscope/toolkit"
)

func TestRegisteredToolsByCategoryOverHTTP(t *testing.T) {
	r := newRecorder(t)
	registry := new(toolkit.Registry)
	for _, d := range []toolkit.Definition{{Name: "read", Category: "files"}, {Name: "add", Category: "data"}, {Name: "plain"}} {
		if err := registry.Register(toolkit.ToolFunc(d, nil)); err != nil {
			t.Fatal(err)
		}
	}
	r.Register(registry)
	h := handlerOf(t, r)
	for query, want := range map[string]string{
		"": "plain add read, 0 more", "?category=files": "read, 0 more", "?limit=1": "plain, 2 more",
	} {
		list := decoded[api.RegisteredList](t, ask(h, "/api/v1/registered"+query))
		var names []string
		for _, tool := range list.Tools {
			names = append(names, tool.Tool)
		}
		if got := strings.Join(names, " ") + ", " + string(rune('0'+list.More)) + " more"; got != want ||
			strings.Join(list.Categories, " ") != "data files" {
			t.Errorf("%s: got %s and the categories %q, want %s", query, got, list.Categories, want)
		}
	}
	if p := asProblem(t, ask(h, "/api/v1/registered?category=none"), http.StatusBadRequest); p.Parameter != "category" ||
		strings.Join(p.Wanted, " ") != "data files" {
		t.Errorf("an unknown category: got %+v", p)
	}
}
