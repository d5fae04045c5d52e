// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package operands

import (
	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/chance"
)

// Schemes are HTTP authentication schemes that stand before credentials without a
// header's name.
var Schemes = []string{"bearer ", "basic ", "digest ", "bearer:", "negotiate "}

// CredentialsEnd is the end of the token68 (RFC 9110, 11.2) at p.
func CredentialsEnd(s string, p int) int {
	q := p
	for q < len(s) && q-p < chance.MaxValue && (chars.Class[s[q]]&chars.B64 != 0 || s[q] == '.' || s[q] == '=' ||
		s[q] == '~' || s[q] == ':') {
		q++
	}
	q = chars.SkipBackAny(s, p, q, ".:")
	return q
}

// IsKnownScheme reports whether v is an HTTP authentication scheme.
func IsKnownScheme(v string) bool {
	if len(v) > len("aws4-hmac-sha256") {
		return false
	}
	for _, k := range [...]string{"bearer", "basic", "token", "apikey", "digest", "negotiate", "bot", "key", "hmac",
		"splunk", "genie-key", "aws4-hmac-sha256", "ntlm", "oauth", "api-key", "jwt"} {
		if len(v) == len(k) && chars.EqualFold(v, k) {
			return true
		}
	}
	return false
}

// CookieAttribute reports whether s begins with an attribute of a Set-Cookie header.
func CookieAttribute(s string) bool {
	for _, a := range [...]string{"path", "expires", "max-age", "domain", "httponly", "secure", "samesite"} {
		if chars.HasFold(s, 0, a) {
			return true
		}
	}
	return false
}
