// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// gate decides who is let in. There are three ways:
//
//   - with the bearer token, if there is one, from anywhere and under any name;
//   - without one over loopback, under a name of loopback or one configured;
//   - with HandlerOptions.Open from anywhere, under such a name or the address that the
//     request arrived on.
//
// A request without a local address in its context did not come through
// net/http's server, so nothing is known of where it arrived: it does not count as
// loopback. One with a forwarding header came through a proxy, which may have
// brought it from anywhere: neither does that.
type gate struct {
	token [sha256.Size]byte // of the token; compared in constant time
	asked bool              // whether there is a token
	open  bool
	hosts []string
}

func newGate(c *handlerConfig) *gate {
	return &gate{
		token: sha256.Sum256([]byte(c.BearerToken)), asked: c.BearerToken != "", open: c.Open, hosts: c.Hosts,
	}
}

const letIn = "give the handler a token (HandlerOptions.BearerToken), or open it to everyone (HandlerOptions.Open)"

// admit returns why a request is not let in; nil if it is.
func (g *gate) admit(w http.ResponseWriter, r *http.Request) *problem {
	if crossSite(r) {
		return &problem{Status: http.StatusForbidden, Detail: "the request was made by a page of another site"}
	}
	if g.asked {
		if g.hasToken(r) {
			return nil
		}
		w.Header().Add("WWW-Authenticate", `Bearer realm="toolscope"`)
		w.Header().Add("WWW-Authenticate", `Basic realm="toolscope: the token is the password"`)
		return &problem{Status: http.StatusUnauthorized, Detail: "got no bearer token or a wrong one, " +
			"want the one that the handler was given (HandlerOptions.BearerToken)"}
	}
	local := localAddr(r)
	if !g.open {
		if !local.IsLoopback() {
			return &problem{Status: http.StatusForbidden, Detail: "the request did not arrive on a loopback address; " + letIn}
		}
		if h := forwarded(r); h != "" {
			return &problem{Status: http.StatusForbidden, Detail: "the request came through a proxy " +
				"(it has the header " + h + "); " + letIn}
		}
	}
	if !g.knows(r.Host, local) {
		return &problem{Status: http.StatusMisdirectedRequest, Detail: fmt.Sprintf(
			"Host: got %.80q, want a loopback name or address, or one of HandlerOptions.Hosts", r.Host)}
	}
	return nil
}

func (g *gate) hasToken(r *http.Request) bool {
	given, ok := "", false
	if _, password, basic := r.BasicAuth(); basic {
		given, ok = password, true
	} else if scheme, rest, found := strings.Cut(r.Header.Get("Authorization"), " "); found && strings.EqualFold(scheme, "bearer") {
		given, ok = strings.TrimSpace(rest), true
	}
	sum := sha256.Sum256([]byte(given))
	return subtle.ConstantTimeCompare(sum[:], g.token[:]) == 1 && ok
}

// knows reports whether a Host header is one that we answer under.
func (g *gate) knows(hostport string, local netip.Addr) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") || slices.Contains(g.hosts, host) {
		return true
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	ip = ip.Unmap()
	return ip.IsLoopback() || g.open && ip.WithZone("") == local.WithZone("")
}

// localAddr is the address that the request arrived on; not valid, and so no
// loopback, if nobody knows. A Unix socket counts as loopback: who can open it is
// on this machine.
func localAddr(r *http.Request) netip.Addr {
	switch a := r.Context().Value(http.LocalAddrContextKey).(type) {
	case *net.TCPAddr:
		return a.AddrPort().Addr().Unmap()
	case *net.UnixAddr:
		return netip.IPv6Loopback()
	case net.Addr:
		if ap, err := netip.ParseAddrPort(a.String()); err == nil {
			return ap.Addr().Unmap()
		}
	}
	return netip.Addr{}
}

// forwarded is the header by which a proxy says that it brought the request; "" if there
// is none.
func forwarded(r *http.Request) string {
	for _, h := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Via"} {
		if r.Header.Get(h) != "" {
			return h
		}
	}
	return ""
}

// crossSite reports whether a browser says that a page of another site made the
// request, other than by a link that a person followed.
func crossSite(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return (site == "cross-site" || site == "same-site") && r.Header.Get("Sec-Fetch-Mode") != "navigate"
}

// harden sets the headers that every answer has. Nothing is said of CORS, so no
// other origin can read; scripts, styles and connections are of our own origin.
func harden(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
}
