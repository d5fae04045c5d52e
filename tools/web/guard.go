// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package web

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"syscall"

	"github.com/toolscope/toolscope/toolkit"
)

// guard decides which addresses may be connected to.
type guard struct {
	allow []netip.Prefix
	// own lists the machine's own addresses.
	own func() ([]net.Addr, error)
}

// kind names a range of addresses that is no part of the public internet.
type kind struct {
	prefix netip.Prefix
	name   string
}

// special are the IPv4 ranges of IANA's registry of special-purpose addresses
// (RFC 6890), multicast, and one cloud's service address that looks public.
var special = []kind{
	{netip.MustParsePrefix("0.0.0.0/8"), "an unspecified address"},
	{netip.MustParsePrefix("10.0.0.0/8"), "a private address"},
	{netip.MustParsePrefix("100.64.0.0/10"), "an address shared by a carrier's customers"},
	{netip.MustParsePrefix("127.0.0.0/8"), "a loopback address"},
	{netip.MustParsePrefix("168.63.129.16/32"), "a cloud's metadata address"},
	{netip.MustParsePrefix("169.254.0.0/16"), "a link-local or metadata address"},
	{netip.MustParsePrefix("172.16.0.0/12"), "a private address"},
	{netip.MustParsePrefix("192.0.0.0/24"), "a reserved address"},
	{netip.MustParsePrefix("192.0.2.0/24"), "a documentation address"},
	{netip.MustParsePrefix("192.88.99.0/24"), "a reserved address"},
	{netip.MustParsePrefix("192.168.0.0/16"), "a private address"},
	{netip.MustParsePrefix("198.18.0.0/15"), "a benchmarking address"},
	{netip.MustParsePrefix("198.51.100.0/24"), "a documentation address"},
	{netip.MustParsePrefix("203.0.113.0/24"), "a documentation address"},
	{netip.MustParsePrefix("224.0.0.0/4"), "a multicast address"},
	{netip.MustParsePrefix("240.0.0.0/4"), "a reserved or broadcast address"},
}

// special6 are the IPv6 ranges inside of 2000::/3 that are not public; outside of it
// only NAT64 is. Teredo and 6to4 carry IPv4 addresses and are refused whole.
var special6 = []kind{
	{netip.MustParsePrefix("2001::/23"), "a reserved or tunnel address"},
	{netip.MustParsePrefix("2001:db8::/32"), "a documentation address"},
	{netip.MustParsePrefix("2002::/16"), "a 6to4 address"},
	{netip.MustParsePrefix("3fff::/20"), "a documentation address"},
}

var (
	publicIPv6 = netip.MustParsePrefix("2000::/3")
	nat64      = netip.MustParsePrefix("64:ff9b::/96") // RFC 6052: the last 4 bytes are an IPv4 address
)

// refused says what kind of address a is; "" if it may be connected to.
func (g *guard) refused(a netip.Addr) string {
	if g.allows(a) {
		return ""
	}
	a = a.Unmap()
	switch {
	case !a.IsValid():
		return "no address"
	case a.Zone() != "":
		return "an address of one network interface"
	case a.Is4():
		return within(special, a)
	case nat64.Contains(a):
		b := a.As16()
		return g.refused(netip.AddrFrom4([4]byte(b[12:])))
	case publicIPv6.Contains(a):
		return within(special6, a)
	case a.IsLoopback():
		return "a loopback address"
	case a.IsMulticast():
		return "a multicast address"
	case a.IsLinkLocalUnicast():
		return "a link-local address"
	case a.IsPrivate():
		return "a private address"
	}
	return "a reserved address"
}

func (g *guard) allows(a netip.Addr) bool {
	return slices.ContainsFunc(g.allow, func(p netip.Prefix) bool { return p.Contains(a.Unmap()) })
}

func within(kinds []kind, a netip.Addr) string {
	for _, k := range kinds {
		if k.prefix.Contains(a) {
			return k.name
		}
	}
	return ""
}

// control is [net.Dialer.Control]: it sees the address that is about to be
// connected to, whatever name it was resolved from and however often that changed.
func (g *guard) control(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return refusal("the host", "resolves to no address")
	}
	kind := g.refused(at.Addr())
	if kind == "" && !g.allows(at.Addr()) && g.isOwn(at.Addr()) {
		kind = "an address of this machine"
	}
	if kind != "" {
		return refusal("the host", "resolves to "+kind)
	}
	return nil
}

// isOwn reports whether a belongs to this machine, which may listen there for its
// neighbours only. It is asked anew each time, as addresses come and go.
func (g *guard) isOwn(a netip.Addr) bool {
	addresses, err := g.own()
	if err != nil {
		return false
	}
	return slices.ContainsFunc(addresses, func(n net.Addr) bool {
		p, err := netip.ParsePrefix(n.String())
		return err == nil && p.Addr().Unmap() == a.Unmap()
	})
}

// refusal is the answer to an address that may not be asked. It tells the kind of
// an address and not the address, which is not the model's to know.
func refusal(what, why string) error {
	return &toolkit.Error{Kind: toolkit.ErrPermissionDenied,
		Message: fmt.Sprintf("%s %s, which is refused; want a public address on the internet", what, why)}
}

// asRefusal finds the guard's error below those of net and net/http.
func asRefusal(err error) *toolkit.Error {
	var own *toolkit.Error
	if errors.As(err, &own) {
		return own
	}
	return nil
}
