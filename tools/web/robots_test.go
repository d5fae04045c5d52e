// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package web_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/web"
)

func TestRobotsRules(t *testing.T) {
	const grouped = "User-agent: other\nDisallow: /\n\nUser-Agent: Pears/1.0\nUser-agent: apples\nDisallow: " +
		"/private # all of it\nAllow: /private/open\nCrawl-delay: 3\n\nUser-agent: *\nDisallow: /*.pdf$\n"
	for _, test := range []struct {
		name, text, agent string
		allowed, refused  []string
	}{
		{"empty", "", "pears", []string{"/", "/x"}, nil},
		{"all", "user-agent: *\ndisallow: /", "pears", []string{"/robots.txt"}, []string{"/", "/x"}},
		{"own group only", grouped, "pears", []string{"/", "/x.pdf", "/private/open/x"},
			[]string{"/private", "/private/x", "/privateer"}},
		{"two names, one group", grouped, "apples", []string{"/"}, []string{"/private"}},
		{"others", grouped, "plums", []string{"/private", "/x.pdf?y"}, []string{"/x.pdf", "/a/b.pdf"}},
		{"groups of one name are one",
			"User-agent: a\nDisallow: /x\nUser-agent: b\nDisallow: /\nUser-agent: a\nDisallow: /y", "a",
			[]string{"/z"}, []string{"/x", "/y"}},
		{"empty disallow", "User-agent: *\nDisallow:", "a", []string{"/"}, nil},
		{"longest wins", "User-agent: *\nAllow: /page\nDisallow: /page.htm", "a", []string{"/page"},
			[]string{"/page.htm", "/page.html"}},
		{"allow wins a tie", "User-agent: *\nDisallow: /page\nAllow: /page", "a", []string{"/page"}, nil},
		{"stars", "User-agent: *\nDisallow: /a*/b*c$\nDisallow: *?print", "a", []string{"/a/b", "/ab/c", "/a/bcd"},
			[]string{"/a/bc", "/axx/b/b/cc", "/x?print=1"}},
		{"mark and returns", "\ufeffUser-agent: *\r\nDisallow: /x\r\n", "a", []string{"/y"}, []string{"/x"}},
		{"rules before a group", "Disallow: /\nUser-agent: *\nDisallow: /x", "a", []string{"/"}, []string{"/x"}},
		{"own group without rules", "User-agent: *\nDisallow: /\nUser-agent: a\nAllow:", "a", []string{"/"}, nil},
		{"a name is whole", "User-agent: pea\nDisallow: /", "pears", []string{"/"}, nil},
	} {
		for _, path := range test.allowed {
			if !web.RobotsAllow(test.text, test.agent, path) {
				t.Errorf("%s: %s: got refused", test.name, path)
			}
		}
		for _, path := range test.refused {
			if web.RobotsAllow(test.text, test.agent, path) {
				t.Errorf("%s: %s: got allowed", test.name, path)
			}
		}
	}
}

func FuzzRobots(f *testing.F) {
	f.Add("User-agent: *\nDisallow: /a*b$", "/axb")
	f.Add("user-agent: pears\nallow: *\ndisallow: /", "/")
	f.Add("User-agent: *\nDisallow: ****************a$", "/aaaaaaaaaaaaaaa")
	f.Fuzz(func(t *testing.T, text, path string) {
		if !web.RobotsAllow(text, "pears", "/robots.txt") {
			t.Error("robots.txt itself is refused")
		}
		if !web.RobotsAllow(text, "pears", path) &&
			web.RobotsAllow(text+"\nUser-agent: pears\nAllow: "+path+"\nUser-agent: x", "pears", path) &&
			!strings.Contains(strings.ToLower(text), "pears") && !strings.ContainsAny(text, "*") {
			t.Error("refused by no group")
		}
	})
}

func TestRobots(t *testing.T) {
	var asked atomic.Int32
	var status atomic.Int32
	status.Store(http.StatusOK)
	s := start(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			asked.Add(1)
			w.WriteHeader(int(status.Load()))
			fmt.Fprint(w, "User-agent: toolscope\nDisallow: /private\nDisallow: /*?secret")
			return
		}
		if r.URL.Path == "/leads" {
			http.Redirect(w, r, "/private/x", http.StatusFound)
			return
		}
		fmt.Fprint(w, "<p>read")
	})
	tools := toolset(t, web.Options{Robots: true})
	for path, ok := range map[string]bool{"": true, "/x": true, "/private/x": false, "/x?secret": false, "/leads": false} {
		res := fetch(t, tools, s.URL+path)
		if ok && res.Fault != nil || !ok && !errors.Is(res.Fault, toolkit.ErrPermissionDenied) {
			t.Errorf("%s: got %s, want allowed %v", path, res.Output, ok)
		}
	}
	if asked.Load() != 1 {
		t.Errorf("robots.txt was asked for %d times, want once", asked.Load())
	}
	for code, ok := range map[int]bool{404: true, 403: true, 500: false, 503: false, 204: false} {
		status.Store(int32(code))
		if res := fetch(t, toolset(t, web.Options{Robots: true}), s.URL+"/x"); (res.Fault == nil) != ok {
			t.Errorf("%d: got %s, want allowed %v", code, res.Output, ok)
		}
	}
	status.Store(200)
	if res := fetch(t, toolset(t, web.Options{Robots: true, UserAgent: "pears/1"}), s.URL+"/private"); res.Fault != nil {
		t.Errorf("another name: got %s", res.Output)
	}
	if res := fetch(t, toolset(t, web.Options{}), s.URL+"/private"); res.Fault != nil {
		t.Errorf("not asked to heed it: got %s", res.Output)
	}
}
