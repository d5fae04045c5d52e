// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package overhttp

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Guard forwards requests from this machine only.
func Guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !fromLoopback(r):
			http.Error(w, "the request did not arrive on a loopback address", http.StatusForbidden)
		case !loopbackName(r.Host):
			http.Error(w, "Host: want a loopback name or address", http.StatusMisdirectedRequest)
		case !localOrigin(r.Header["Origin"], r.Header.Get("Sec-Fetch-Site")):
			http.Error(w, "Origin: want a page of this machine", http.StatusForbidden)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func fromLoopback(r *http.Request) bool {
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return ok && isLoopback(addr)
}

// isLoopback reports whether an address is of this machine only.
func isLoopback(addr net.Addr) bool {
	at, err := netip.ParseAddrPort(addr.String())
	return err == nil && at.Addr().Unmap().IsLoopback()
}

// loopbackName reports whether a host, with or without a port, is this machine.
func loopbackName(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// localOrigin reports whether no page made a request of these Origins and Sec-Fetch-Site, or one of
// this machine's. A client that sends several may be read differently: each has to be.
func localOrigin(origins []string, site string) bool {
	named := slices.DeleteFunc(slices.Clone(origins), func(origin string) bool { return origin == "" })
	if len(named) == 0 {
		return site != "cross-site"
	}
	return !slices.ContainsFunc(named, func(origin string) bool {
		u, err := url.Parse(origin)
		return err != nil || !loopbackName(u.Host)
	})
}
