// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package recognise

import (
	"net/netip"
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
)

// UUID reports whether v, as a whole, has the form of RFC 9562.
//
//go:noinline
func UUID(v string) bool {
	if len(v) != 36 {
		return false
	}
	for i := range 36 {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if v[i] != '-' {
				return false
			}
		} else if chars.Class[v[i]]&chars.Hex == 0 {
			return false
		}
	}
	return true
}

// Email finds the e-mail address (RFC 5322, 3.4.1, in its usual form) around the '@' at i. The end
// is 0 if there is none.
func Email(s string, i int) (start, end int) {
	start = i
	for start > 0 && i-start < 64 && isLocal(s[start-1]) {
		start--
	}
	for start < i && strings.IndexByte(".'=&*", s[start]) >= 0 {
		start++
	}
	end = i + 1
	for end < len(s) && end-i < 254 && isDomain(s[end]) {
		end++
	}
	for end > i && (s[end-1] == '.' || s[end-1] == '-') {
		end--
	}
	domain := s[min(i+1, end):end]
	dot := strings.LastIndexByte(domain, '.')
	if start == i || s[i-1] == '.' || dot <= 0 || !isTopLevel(domain[dot+1:]) {
		return 0, 0
	}
	return start, end
}

func isLocal(c byte) bool {
	return chars.Class[c]&chars.Dotted != 0 || strings.IndexByte("+%'!#&*=^~", c) >= 0 || c >= 0x80
}

func isDomain(c byte) bool { return chars.Class[c]&chars.Dotted != 0 && c != '_' || c >= 0x80 }

func isTopLevel(v string) bool {
	if len(v) < 2 {
		return false
	}
	for i := range len(v) {
		if !chars.IsLetter(v[i]) && v[i] < 0x80 {
			return strings.HasPrefix(v, "xn--")
		}
	}
	return true
}

// maxIP is longer than any address, in bytes.
const maxIP = 48

// IPv4 finds the address around i: four numbers up to 255. No word and no further number goes on
// before or behind it.
func IPv4(s string, i int) (a netip.Addr, from, to int, ok bool) {
	from, to = i, i
	for from > 0 && i-from < maxIP && isIPv4(s[from-1]) {
		from--
	}
	for to < len(s) && to-i < maxIP && isIPv4(s[to]) {
		to++
	}
	for to > from && s[to-1] == '.' {
		to--
	}
	if to-from < len("1.1.1.1") || to-from > len("255.255.255.255") || from > 0 && isWord(s[from-1]) || to < len(s) &&
		isWord(s[to]) {
		return a, 0, 0, false
	}
	a, err := netip.ParseAddr(s[from:to])
	return a, from, to, err == nil && a.Is4()
}

// IPv6 finds the address around i. A zone (fe80::1%eth0) belongs to it.
func IPv6(s string, i int) (a netip.Addr, from, to int, ok bool) {
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
	if to-from < 3 || strings.Count(s[from:to], ":") < 2 || from > 0 && chars.IsAlnum(s[from-1]) || to < len(s) &&
		chars.IsAlnum(s[to]) {
		return a, 0, 0, false
	}
	a, err := netip.ParseAddr(s[from:to])
	if err != nil || !a.Is6() {
		return a, 0, 0, false
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
	return a, from, to, true
}

func isIPv4(c byte) bool { return chars.IsDigit(c) || c == '.' }
func isIPv6(c byte) bool { return chars.Class[c]&chars.Hex != 0 || c == ':' || c == '.' }
func isWord(c byte) bool { return chars.IsAlnum(c) || c == '_' }
