// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package approve

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// How many wrong tokens an address may send in a minute, and for how many addresses that is counted; the others are
// counted together.
const (
	maxWrong     = 20
	maxAddresses = 1024
	wrongTime    = time.Minute
)

// A gate checks who asks.
type gate struct {
	people []principal
	hosts  []string

	mu    *sync.Mutex
	wrong map[string]wrongTokens // by address
}

// wrongTokens is how many an address sent since a time.
type wrongTokens struct {
	n     int
	since time.Time
}

func newGate(people []principal, hosts []string) gate {
	g := gate{people: people, mu: new(sync.Mutex), wrong: map[string]wrongTokens{}}
	for _, h := range hosts {
		g.hosts = append(g.hosts, strings.ToLower(h))
	}
	return g
}

// who is the person whose token a request has.
type who struct {
	name  string // next to the token; "" for a token that is shared
	claim string // the user name of basic authentication
}

// by is the name that an answer is recorded with; claim is what the request says itself. A token with a name decides.
func (w who) by(claim string) string { return cmp.Or(w.name, w.claim, claim, "http") }

func withWho(ctx context.Context, w who) context.Context { return context.WithValue(ctx, whoKey{}, w) }

func whoOf(r *http.Request) who { w, _ := r.Context().Value(whoKey{}).(who); return w }

// check returns who asks, or why the request is refused.
func (g *gate) check(w http.ResponseWriter, r *http.Request) (who, *problem) {
	if !g.knows(r.Host) {
		return who{}, &problem{Status: http.StatusMisdirectedRequest, Detail: fmt.Sprintf("Host: got %.80q, want a loopback "+
			"name, an IP address or a host that the handler was given (statshttp.Options.Hosts)", r.Host)}
	}
	if site := r.Header.Get("Sec-Fetch-Site"); (site == "cross-site" || site == "same-site") &&
		(r.Method != http.MethodGet || r.Header.Get("Sec-Fetch-Mode") != "navigate") {
		return who{}, &problem{Status: http.StatusForbidden, Detail: "the request was made by a page of another site"}
	}
	user, token, sent := credentialsOf(r)
	p, ok := find(g.people, token)
	if ok && user != "" && p.name != "" && user != p.name {
		ok = false // another person's name
	}
	// A right token passes however many wrong ones its address sends: else every program of the machine could lock
	// people out. To guess one within the limit is as good as impossible.
	from := g.address(r)
	if !(sent && ok) && g.tooMany(from) {
		w.Header().Set("Retry-After", fmt.Sprint(int(wrongTime/time.Second)))
		return who{}, &problem{Status: http.StatusTooManyRequests,
			Detail: "too many wrong tokens came from your address: wait a minute"}
	}
	if !sent || !ok {
		if sent {
			g.count(from)
		}
		w.Header().Add("WWW-Authenticate", `Bearer realm="toolscope approvals"`)
		// A browser asks its user for a password only where it shows a page, not for scripts such as the dashboard's.
		if mode := r.Header.Get("Sec-Fetch-Mode"); mode == "" || mode == "navigate" {
			w.Header().Add("WWW-Authenticate", `Basic realm="toolscope approvals: your name, and your token as the password"`)
		}
		return who{}, &problem{Status: http.StatusUnauthorized,
			Detail: "got no token or a wrong one, want the one that the handler was given"}
	}
	return who{p.name, user}, nil
}

// credentialsOf returns the token of a request, and the name next to it that basic authentication has.
func credentialsOf(r *http.Request) (user, token string, sent bool) {
	if user, token, ok := r.BasicAuth(); ok {
		return user, token, true
	}
	scheme, rest, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "bearer") {
		return "", "", false
	}
	return "", strings.TrimSpace(rest), true
}

// knows reports whether a Host header is one of those that are answered: a page whose name was pointed at this
// address has another one.
func (g *gate) knows(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	_, err := netip.ParseAddr(host)
	return err == nil || host == "localhost" || strings.HasSuffix(host, ".localhost") || slices.Contains(g.hosts, host)
}

func (g *gate) address(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, known := g.wrong[host]; !known && len(g.wrong) >= maxAddresses {
		for other, w := range g.wrong {
			if time.Since(w.since) > wrongTime {
				delete(g.wrong, other)
			}
		}
		if len(g.wrong) >= maxAddresses {
			return ""
		}
	}
	return host
}

func (g *gate) tooMany(from string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	w := g.wrong[from]
	return w.n >= maxWrong && time.Since(w.since) < wrongTime
}

func (g *gate) count(from string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	w := g.wrong[from]
	if time.Since(w.since) >= wrongTime {
		w = wrongTokens{since: time.Now()}
	}
	w.n++
	g.wrong[from] = w
}

// sameOrigin reports whether a browser says that the request came from this host's
// own page.
func sameOrigin(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" {
		return false
	}
	u, err := url.Parse(r.Header.Get("Origin"))
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host)
}

// problem is an error in the form of RFC 9457.
type problem struct {
	Title  string `json:"title"`  // text of the HTTP status
	Status int    `json:"status"` // HTTP status code
	Detail string `json:"detail"` // what was wrong with the request
}

// whoKey is the context key of the person whose token a request has.
type whoKey struct{}
