// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statshttp

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/stats"
)

// contextAt is the context of a request that arrived on an address; none is known
// for "".
func contextAt(r *http.Request, ip string) context.Context {
	switch ip {
	case "":
		return r.Context()
	case "unix":
		return context.WithValue(r.Context(), http.LocalAddrContextKey, &net.UnixAddr{Name: "/run/s", Net: "unix"})
	}
	return context.WithValue(r.Context(), http.LocalAddrContextKey, &net.TCPAddr{IP: net.ParseIP(ip), Port: 8080})
}

const testToken = "correct-horse-battery-staple"

func host(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }

func basic(user, password string) func(*http.Request) {
	return func(r *http.Request) { r.SetBasicAuth(user, password) }
}

func TestGate(t *testing.T) {
	r := newRecorder(t)
	bearer := header("Authorization", "Bearer "+testToken)
	for _, c := range []struct {
		name    string
		options Options
		at      string
		change  []func(*http.Request)
		want    int
	}{
		{"loopback", Options{}, "127.0.0.1", nil, 200},
		{"loopback, another of its addresses", Options{}, "127.8.9.10", nil, 200},
		{"loopback of IPv6", Options{}, "::1", []func(*http.Request){host("[::1]:8080")}, 200},
		{"loopback of IPv4 in IPv6", Options{}, "::ffff:127.0.0.1", nil, 200},
		{"Unix socket", Options{}, "unix", nil, 200},
		{"private network", Options{}, "192.168.1.5", nil, 403},
		{"public address", Options{}, "203.0.113.5", nil, 403},
		{"unspecified address", Options{}, "0.0.0.0", nil, 403},
		{"no address known", Options{}, "", nil, 403},
		{"through a proxy on this machine", Options{}, "127.0.0.1",
			[]func(*http.Request){header("X-Forwarded-For", "203.0.113.5")}, 403},
		{"through a proxy that says Forwarded", Options{}, "127.0.0.1",
			[]func(*http.Request){header("Forwarded", "for=203.0.113.5")}, 403},

		{"name rebound to loopback", Options{}, "127.0.0.1", []func(*http.Request){host("evil.example")}, 421},
		{"name rebound, with a port", Options{}, "127.0.0.1", []func(*http.Request){host("evil.example:8080")}, 421},
		{"name that begins like loopback", Options{}, "127.0.0.1", []func(*http.Request){host("localhost.evil.example")}, 421},
		{"name that looks like an address", Options{}, "127.0.0.1", []func(*http.Request){host("127.0.0.1.evil.example")}, 421},
		{"no host", Options{}, "127.0.0.1", []func(*http.Request){host("")}, 421},
		{"another address as host", Options{}, "127.0.0.1", []func(*http.Request){host("203.0.113.5")}, 421},
		{"below localhost", Options{}, "127.0.0.1", []func(*http.Request){host("app.localhost:8080")}, 200},
		{"host in capitals with a dot", Options{}, "127.0.0.1", []func(*http.Request){host("LOCALHOST.")}, 200},
		{"configured host", Options{Hosts: []string{"Tools.Example"}}, "127.0.0.1",
			[]func(*http.Request){host("tools.example:80")}, 200},

		{"page of another site", Options{}, "127.0.0.1",
			[]func(*http.Request){header("Sec-Fetch-Site", "cross-site"), header("Sec-Fetch-Mode", "no-cors")}, 403},
		{"page of another port", Options{}, "127.0.0.1",
			[]func(*http.Request){header("Sec-Fetch-Site", "same-site"), header("Sec-Fetch-Mode", "cors")}, 403},
		{"link on another site", Options{}, "127.0.0.1",
			[]func(*http.Request){header("Sec-Fetch-Site", "cross-site"), header("Sec-Fetch-Mode", "navigate")}, 200},
		{"own page", Options{}, "127.0.0.1", []func(*http.Request){header("Sec-Fetch-Site", "same-origin"),
			header("Sec-Fetch-Mode", "cors")}, 200},

		{"open", Options{Open: true}, "192.168.1.5", []func(*http.Request){host("192.168.1.5:8080")}, 200},
		{"open, without an address", Options{Open: true}, "", nil, 200},
		{"open, another address as host", Options{Open: true}, "192.168.1.5", []func(*http.Request){host("192.168.1.6")}, 421},
		{"open, name rebound", Options{Open: true}, "192.168.1.5", []func(*http.Request){host("evil.example")}, 421},
		{"open, configured host", Options{Open: true, Hosts: []string{"tools.example"}}, "192.168.1.5",
			[]func(*http.Request){host("tools.example")}, 200},

		{"token", Options{BearerToken: testToken}, "203.0.113.5", []func(*http.Request){bearer, host("anything.example")}, 200},
		{"token, without an address", Options{BearerToken: testToken}, "", []func(*http.Request){bearer}, 200},
		{"token in small letters", Options{BearerToken: testToken}, "203.0.113.5",
			[]func(*http.Request){header("Authorization", "bearer  "+testToken)}, 200},
		{"token as password", Options{BearerToken: testToken}, "203.0.113.5", []func(*http.Request){basic("anyone", testToken)}, 200},
		{"token missing on loopback", Options{BearerToken: testToken}, "127.0.0.1", nil, 401},
		{"token missing though open", Options{BearerToken: testToken, Open: true}, "192.168.1.5", nil, 401},
		{"token wrong", Options{BearerToken: testToken}, "127.0.0.1",
			[]func(*http.Request){header("Authorization", "Bearer "+testToken+"x")}, 401},
		{"token's beginning", Options{BearerToken: testToken}, "127.0.0.1",
			[]func(*http.Request){header("Authorization", "Bearer "+testToken[:16])}, 401},
		{"token empty", Options{BearerToken: testToken}, "127.0.0.1", []func(*http.Request){header("Authorization", "Bearer ")}, 401},
		{"token in another scheme", Options{BearerToken: testToken}, "127.0.0.1",
			[]func(*http.Request){header("Authorization", "Token "+testToken)}, 401},
		{"token as user", Options{BearerToken: testToken}, "127.0.0.1", []func(*http.Request){basic(testToken, "")}, 401},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := handlerOf(t, r, c.options)
			for _, target := range []string{"/", "/api/v1/summary", "/healthz", "/openapi.json", "/assets/page.js", "/api/v1/nothing"} {
				w := askAt(h, c.at, target, c.change...)
				want := c.want
				if want == 200 && strings.HasSuffix(target, "nothing") {
					want = 404
				}
				if w.Code != want {
					t.Errorf("%s: got %d %.200s, want %d", target, w.Code, w.Body, want)
				}
				if want >= 400 {
					asProblem(t, w, want)
				}
				if (w.Code == 401) != (len(w.Header().Values("WWW-Authenticate")) == 2) {
					t.Errorf("%s: got WWW-Authenticate %q", target, w.Header().Values("WWW-Authenticate"))
				}
			}
		})
	}
}

// Every answer, refusals included, carries what keeps a browser from harm.
func TestHardening(t *testing.T) {
	h := handlerOf(t, newRecorder(t))
	for _, w := range []*httptest.ResponseRecorder{
		ask(h, "/"), ask(h, "/api/v1/summary"), ask(h, "/nothing"), ask(h, "/", host("evil.example")),
		ask(h, "/", header("Origin", "https://evil.example")), ask(h, "/api/v1/summary?window=x"), askAt(h, "203.0.113.5", "/"),
	} {
		x := w.Header()
		csp := x.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'",
			"frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'", "require-trusted-types-for 'script'"} {
			if !strings.Contains(csp, part) {
				t.Errorf("got Content-Security-Policy %q, want %s in it", csp, part)
			}
		}
		if strings.Contains(csp, "unsafe") || x.Get("X-Content-Type-Options") != "nosniff" ||
			x.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("got headers %v", x)
		}
		for name := range x {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("got %s: another origin could read", name)
			}
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	r := newRecorder(t)
	for _, c := range []struct {
		name    string
		options Options
		want    string
	}{
		{"short token", Options{BearerToken: "short"}, "statshttp: Options.BearerToken: got"},
		{"token with blanks", Options{BearerToken: "long enough but with blanks"}, "statshttp: Options.BearerToken: got"},
		{"host with port", Options{Hosts: []string{"a:80"}}, "statshttp: Options.Hosts: got"},
		{"host with scheme", Options{Hosts: []string{"http://a"}}, "statshttp: Options.Hosts: got"},
		{"empty host", Options{Hosts: []string{""}}, "statshttp: Options.Hosts: got"},
		{"trace URL without mark", Options{TraceURL: "http://a/trace/"}, "{trace_id}"},
		{"trace URL with a script", Options{TraceURL: "javascript:alert('{trace_id}')"}, "http or https"},
		{"trace URL and none", Options{TraceURL: "http://a/{trace_id}", NoTraceLinks: true}, "NoTraceLinks"},
		{"long title", Options{Title: strings.Repeat("x", 81)}, "statshttp: Options.Title: got 81 bytes"},
		{"refresh too quick", Options{Refresh: 1}, "statshttp: Options.Refresh: got 1ns"},
		{"negative refresh", Options{Refresh: -1}, "statshttp: Options.Refresh: got -1ns"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, err := NewHandler(r, c.options)
			if err == nil || h != nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, %v, want an error with %s", h, err, c.want)
			}
		})
	}
	if _, err := NewHandler(nil, Options{}); err == nil {
		t.Error("a nil recorder: got no error")
	}
	if _, err := NewHandler(r, Options{Hosts: []string{"::1"}, Health: []stats.HealthSource{nil}}); err != nil {
		t.Errorf("options that are right: got %v", err)
	}
}
