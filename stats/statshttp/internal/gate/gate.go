// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/toolscope/toolscope/stats/statshttp/internal/answer"
)

// A Gate decides which requests are answered. There are three ways in:
//
//   - with the bearer token, if there is one, from every address and under every host name;
//   - without a token over loopback, under a host name of loopback or a configured one;
//   - with Open from every address, under such a host name or the address that the request arrived on.
//
// A request without a local address in its context did not come through net/http's server. It is not known where it
// arrived, so it does not count as loopback. Neither does a request with a forwarding header: it came through a proxy,
// which may have forwarded it from anywhere.
type Gate struct {
	token    [sha256.Size]byte // of the token; compared in constant time
	hasToken bool
	open     bool
	hosts    []string
}

// New makes a gate. Without a token ("") and without open only loopback is answered. hosts are in lower case.
func New(token string, open bool, hosts []string) *Gate {
	return &Gate{token: sha256.Sum256([]byte(token)), hasToken: token != "", open: open, hosts: hosts}
}

const letIn = "give the handler a token (statshttp.Options.BearerToken), or open it to everyone (statshttp.Options.Open)"

func forbidden(detail string) *answer.Problem {
	return &answer.Problem{Status: http.StatusForbidden, Detail: detail}
}

// Admit returns why a request is refused; nil if it is answered.
func (g *Gate) Admit(w http.ResponseWriter, r *http.Request) *answer.Problem {
	if crossSite(r) {
		return forbidden("the request was made by a page of another site")
	}
	if g.hasToken {
		if g.checkToken(r) {
			return nil
		}
		w.Header().Add("WWW-Authenticate", `Bearer realm="toolscope"`)
		w.Header().Add("WWW-Authenticate", `Basic realm="toolscope: the token is the password"`)
		return &answer.Problem{Status: http.StatusUnauthorized, Detail: "got no bearer token or a wrong one, " +
			"want the one that the handler was given (statshttp.Options.BearerToken)"}
	}
	local := localAddr(r)
	if !g.open {
		if !local.IsLoopback() {
			return forbidden("the request did not arrive on a loopback address; " + letIn)
		}
		if h := forwarded(r); h != "" {
			return forbidden("the request came through a proxy (it has the header " + h + "); " + letIn)
		}
	}
	if !g.knows(r.Host, local) {
		return &answer.Problem{Status: http.StatusMisdirectedRequest, Detail: fmt.Sprintf(
			"Host: got %.80q, want a loopback name or address, or one of statshttp.Options.Hosts", r.Host)}
	}
	return nil
}

func (g *Gate) checkToken(r *http.Request) bool {
	given, ok := "", false
	if _, password, basic := r.BasicAuth(); basic {
		given, ok = password, true
	} else if scheme, rest, found := strings.Cut(r.Header.Get("Authorization"), " "); found && strings.EqualFold(scheme, "bearer") {
		given, ok = strings.TrimSpace(rest), true
	}
	sum := sha256.Sum256([]byte(given))
	return subtle.ConstantTimeCompare(sum[:], g.token[:]) == 1 && ok
}

// knows reports whether a Host header is one of the names that are answered.
func (g *Gate) knows(hostport string, local netip.Addr) bool {
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

// localAddr is the address that the request arrived on. It is invalid, and so not loopback, if it is not known. A Unix
// socket counts as loopback: a client that can open it runs on this machine.
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

// forwarded is the header that shows that a proxy forwarded the request; "" if there is none.
func forwarded(r *http.Request) string {
	for _, h := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Via"} {
		if r.Header.Get(h) != "" {
			return h
		}
	}
	return ""
}

// crossSite reports whether a page of another site made the request, according to the browser. Following a link does not
// count.
func crossSite(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return (site == "cross-site" || site == "same-site") && r.Header.Get("Sec-Fetch-Mode") != "navigate"
}

// Harden sets the security headers of every answer. There are no CORS headers, so other origins cannot read answers.
// Scripts, styles and connections are limited to the handler's own origin, and no script can make HTML of a text: the
// page's icon is the only image.
func Harden(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; "+
		"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "+
		"require-trusted-types-for 'script'; trusted-types 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
}
