// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package signin

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
)

// A reach says how far inside of private networks an address is. What a server's metadata names may be as far
// inside as the server itself, and no farther: a server on the internet must not have this machine send requests
// to its neighbours.
type reach uint8

const (
	public  reach = iota
	private       // of a company's or a home's network
	here          // this machine
	never         // link-local addresses, which have the metadata of clouds, and those that no server has
)

// reserved are ranges of addresses that are not public although [netip.Addr.IsPrivate] does not have them. IPv6
// addresses of tunnels carry IPv4 addresses.
var reserved = []netip.Prefix{
	netip.MustParsePrefix(
		"0.0.0.0/8",
	), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("168.63.129.16/32"),
	netip.MustParsePrefix("192.0.0.0/24"), netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("2001::/23"), netip.MustParsePrefix("2002::/16"), netip.MustParsePrefix("fec0::/10"),
}

func reachOf(a netip.Addr) reach {
	a = a.Unmap()
	switch {
	case !a.IsValid() || a.IsUnspecified() || a.IsMulticast() || a.IsLinkLocalUnicast():
		return never
	case a.IsLoopback():
		return here
	case a.IsPrivate():
		return private
	}
	for _, p := range reserved {
		if p.Contains(a) {
			return private
		}
	}
	return public
}

// reachOfHost is the reach of a host that a proxy connects to: of an address, or of a name without looking it up.
func reachOfHost(host string) reach {
	if host = strings.ToLower(strings.TrimSuffix(host, ".")); host == "localhost" ||
		strings.HasSuffix(host, ".localhost") {
		return here
	}
	if a, err := netip.ParseAddr(host); err == nil {
		return reachOf(a)
	}
	return public
}

// An errReach says that an address is too far inside.
type errReach struct{ host string }

func (e errReach) Error() string {
	return fmt.Sprintf(
		"the sign-in leads to %.100q, an address of a private network: want a public one, as the MCP server's is",
		e.host,
	)
}

// dialer connects to addresses up to a reach, whatever name they were resolved from.
func dialer(most reach) *net.Dialer {
	return &net.Dialer{Timeout: dialTime, Control: func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil || reachOf(at.Addr()) > most {
			return errReach{address}
		}
		return nil
	}}
}

// checkPage returns an error for a page that a person must not be sent to.
func checkPage(ctx context.Context, page *url.URL, most reach) error {
	if page.Host == "" || page.User != nil || page.Scheme != "https" && (page.Scheme != "http" || most == public) {
		return fmt.Errorf("the authorization server's page is at %.20s://%.100s, want https", page.Scheme, page.Host)
	}
	if reachOfHost(page.Hostname()) > most {
		return errReach{page.Host}
	}
	if proxy, err := http.ProxyFromEnvironment(&http.Request{URL: page}); err != nil || proxy != nil {
		return err // the names are the proxy's to resolve
	}
	addresses, err := net.DefaultResolver.LookupNetIP(ctx, "ip", page.Hostname())
	if err != nil {
		return fmt.Errorf("the authorization server's page: %w", err)
	}
	for _, a := range addresses {
		if reachOf(a) > most {
			return errReach{page.Host}
		}
	}
	return nil
}
