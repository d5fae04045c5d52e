// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package personal

import (
	"net/netip"
	"strings"

	"github.com/toolscope/toolscope/redact/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/kinds"
)

// IP addresses are off by default: they name machines more often than people. The preset Strict
// and the option Kinds look for them.
var KindIPv4 = kinds.New("ipv4", kinds.GroupPersonal, "an IPv4 address", false)

// maxIP is longer than any address, in bytes.
const maxIP = 48

// IPv4At finds the address around i: four numbers up to 255. The unspecified address
// names nobody.
func IPv4At(s string, i int) (from, to int, ok bool) {
	from, to = i, i
	for from > 0 && i-from < maxIP && (chars.IsDigit(s[from-1]) || s[from-1] == '.') {
		from--
	}
	for to < len(s) && to-i < maxIP && (chars.IsDigit(s[to]) || s[to] == '.') {
		to++
	}
	for to > from && s[to-1] == '.' {
		to--
	}
	if to-from < len("1.1.1.1") || to-from > len("255.255.255.255") || from > 0 && (chars.IsAlnum(s[from-1]) || s[from-1] == '_') || to < len(s) && (chars.IsAlnum(s[to]) || s[to] == '_') {
		return 0, 0, false
	}
	a, err := netip.ParseAddr(s[from:to])
	return from, to, err == nil && a.Is4() && !a.IsUnspecified()
}

// ipv6At finds the address around i. A zone (fe80::1%eth0) belongs to it.
func ipv6At(s string, i int) (from, to int, ok bool) {
	from, to = i, i
	for from > 0 && i-from < maxIP && isIPv6(s[from-1]) {
		from--
	}
	for to < len(s) && to-i < maxIP && isIPv6(s[to]) {
		to++
	}
	for to > from && (s[to-1] == '.' || s[to-1] == ':' && (to-from < 2 || s[to-2] != ':')) {
		to--
	}
	if to-from < 3 || strings.Count(s[from:to], ":") < 2 || from > 0 && chars.IsAlnum(s[from-1]) || to < len(s) && chars.IsAlnum(s[to]) {
		return 0, 0, false
	}
	a, err := netip.ParseAddr(s[from:to])
	if err != nil || !a.Is6() || a.IsUnspecified() {
		return 0, 0, false
	}
	if to < len(s) && s[to] == '%' {
		end := to + 1
		for end < len(s) && end-to < 16 && chars.IsAlnum(s[end]) {
			end++
		}
		if end > to+1 {
			to = end
		}
	}
	return from, to, true
}

func isIPv6(c byte) bool { return chars.Class[c]&chars.Hex != 0 || c == ':' || c == '.' }
