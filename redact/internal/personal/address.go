// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package personal

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
)

// macEnd is the end of a MAC address (IEEE 802) that begins at i. Zero addresses and those of a group, whose first octet
// is odd, identify no device, and a serial number in this form is that of a certificate.
func macEnd(s string, i int) int {
	if i+17 > len(s) || i+17 < len(s) && (chars.Class[s[i+17]]&chars.Alnum != 0 || s[i+17] == ':' || s[i+17] == '-') {
		return 0
	}
	v := s[i : i+17]
	sep := v[2]
	if sep != ':' && sep != '-' {
		return 0
	}
	for k := range 17 {
		if k%3 == 2 {
			if v[k] != sep {
				return 0
			}
		} else if chars.Class[v[k]]&chars.Hex == 0 {
			return 0
		}
	}
	if strings.IndexByte("13579bdfBDF", v[1]) >= 0 || chars.EndsFold(s[:i], "serial number: ") || strings.Trim(v, "0:-") == "" {
		return 0
	}
	return i + 17
}

// bech32 is the alphabet of BIP 173.
const bech32 = "023456789acdefghjklmnpqrstuvwxyz"
