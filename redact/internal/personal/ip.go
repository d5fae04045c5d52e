// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package personal

import (
	"github.com/toolscope/toolscope/internal/recognise"
	"github.com/toolscope/toolscope/redact/internal/kinds"
)

// IP addresses are off by default: they name machines more often than people. The preset Strict
// and the option Kinds look for them.
var KindIPv4 = kinds.New("ipv4", kinds.GroupPersonal, "an IPv4 address", false)

// IPv4At finds the IPv4 address around i. The unspecified address names nothing.
func IPv4At(s string, i int) (from, to int, ok bool) {
	a, from, to, ok := recognise.IPv4(s, i)
	return from, to, ok && !a.IsUnspecified()
}

// ipv6At finds the IPv6 address around i, but for the unspecified one.
func ipv6At(s string, i int) (from, to int, ok bool) {
	a, from, to, ok := recognise.IPv6(s, i)
	return from, to, ok && !a.IsUnspecified()
}
