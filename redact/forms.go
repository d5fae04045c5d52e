// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"strings"
	"sync"
)

// tokenDetectors are the table of tokens, and the forms that are no mere prefix.
var tokenDetectors = sync.OnceValue(func() (out []detector) {
	for i := range tokens {
		r := &tokens[i]
		kind := newKind(r.kind, groupToken, "an issuer's token, by its prefix "+r.prefix+"…", true)
		out = append(out, detector{kind: kind, anchors: []string{fold(r.prefix)}, match: r.match})
	}
	out = append(out,
		detector{kind: newKind("jwt", groupToken, "a JSON web token", true), anchors: []string{"eyj", "ey0"}, match: func(s string, at, _ int) (int, int, bool) {
			if at > 0 && isAlnum(s[at-1]) {
				return 0, 0, false
			}
			end := jwtEnd(s, at)
			return at, end, end > 0
		}},
		detector{kind: newKind("private-key", groupToken, "a private key in PEM form", true), anchors: []string{"-----begin"}, match: named(func(s string, at int) (int, int, string) { return pemAt(s, at) })},
		detector{kind: newKind("discord-token", groupToken, "a bot's token of three parts", true), anchors: []string{"mt", "mj", "mz", "nd", "nj", "nt", "nz", "od", "ot"}, match: named(discordFrom)},
		detector{kind: newKind("azure-secret", groupToken, "a client secret of Entra ID", true), anchors: []string{"q~"}, within: true, match: named(func(s string, at int) (int, int, string) { return azureAt(s, at+1) })},
		detector{kind: newKind("terraform-token", groupToken, "a Terraform Cloud token", true), anchors: []string{".atlasv1."}, within: true, match: named(func(s string, at int) (int, int, string) { return atlasAt(s, at, 0) })},
		detector{kind: newKind("connection-string", groupURL, "a connection string with its shared key", true), anchors: []string{"endpoint=sb://", "endpoint=https://"}, match: func(s string, at, end int) (int, int, bool) {
			for end < len(s) && !isSpace(s[end]) && s[end] != '"' && s[end] != '\'' {
				end++
			}
			return at, end, containsFold(s[at:end], "accesskey=")
		}},
		detector{kind: newKind("webhook-url", groupURL, "a webhook's address, which is its secret", true), anchors: []string{"://"}, match: named(func(s string, at int) (int, int, string) {
			return webhookAt(s, at+3, min(len(s), at+1024))
		})},
		detector{kind: newKind("webhook-url", groupURL, "a webhook's address, which is its secret", true), anchors: bareWebhooks, match: named(func(s string, at int) (int, int, string) {
			return webhookAt(s, at, min(len(s), at+1024))
		})},
		detector{kind: newKind("mailchimp-key", groupToken, "32 hexadecimal digits and a data centre", true), anchors: []string{"-us"}, within: true, match: named(mailchimpAt)},
		detector{kind: newKind("salesforce-token", groupToken, "an organisation's id, an exclamation mark and a session", true), anchors: []string{"!aq", "!ar"}, within: true, match: named(salesforceAt)},
	)
	return append(out, keyDetectors...)
})

// named makes a match of a function that looks at a place and names the kind.
func named(f func(s string, at int) (int, int, string)) func(s string, at, end int) (int, int, bool) {
	return func(s string, at, _ int) (int, int, bool) {
		a, b, kind := f(s, at)
		return a, b, kind != ""
	}
}

// discordFrom finds the token that begins at: the number at its head begins with one
// of nine pairs in base64.
func discordFrom(s string, at int) (int, int, string) {
	if at > 0 && isAlnum(s[at-1]) {
		return 0, 0, ""
	}
	dot := at
	for dot < len(s) && dot-at < 27 && s[dot] != '.' && chars[s[dot]]&chName != 0 {
		dot++
	}
	if dot-at < 24 || dot >= len(s) || s[dot] != '.' {
		return 0, 0, ""
	}
	return discordAt(s, dot, at)
}

// discordAt finds a Discord bot's token around its first dot: 24 to 26, 6, and 27 or
// more characters.
func discordAt(s string, i, last int) (start, end int, kind string) {
	if i < 24 || i+34 > len(s) || s[i+7] != '.' {
		return 0, 0, ""
	}
	start = i
	for start > last && i-start < 27 && chars[s[start-1]]&chURL != 0 {
		start--
	}
	if n := i - start; n < 24 || n > 26 || strings.IndexByte("MNO", s[start]) < 0 {
		return 0, 0, ""
	}
	end = i + 8
	for end < len(s) && (chars[s[end]]&chURL != 0 || s[end] == '!') {
		end++
	}
	if end-i-8 < 27 {
		return 0, 0, ""
	}
	return start, end, "discord-token"
}

// atlasAt finds a Terraform Cloud token around the dot before "atlasv1".
func atlasAt(s string, i, last int) (start, end int, kind string) {
	if !strings.HasPrefix(s[i:], ".atlasv1.") || i-last < 14 {
		return 0, 0, ""
	}
	for _, c := range []byte(s[i-14 : i]) {
		if chars[c]&chAlnum == 0 {
			return 0, 0, ""
		}
	}
	end = i + len(".atlasv1.")
	for end < len(s) && chars[s[end]]&(chURL|chBase64) != 0 {
		end++
	}
	return i - 14, end, "terraform-token"
}

// azureAt finds an Azure AD client secret around the tilde of its "Q~": three
// characters, a digit, Q~, and 31 to 34 more.
func azureAt(s string, i int) (start, end int, kind string) {
	if i < 5 || s[i-1] != 'Q' || !isDigit(s[i-2]) {
		return 0, 0, ""
	}
	end = i + 1
	for end < len(s) && (chars[s[end]]&chDotted != 0 || s[end] == '~') {
		end++
	}
	if n := end - i - 1; n < 31 || n > 34 {
		return 0, 0, ""
	}
	return i - 5, end, "azure-secret"
}

// telegram reports whether a bot's token goes on at i, after its number: a colon
// and 35 characters.
func telegram(s string, i int) bool {
	if i+36 > len(s) || s[i] != ':' || i+36 < len(s) && chars[s[i+36]]&chURL != 0 {
		return false
	}
	for _, c := range []byte(s[i+1 : i+36]) {
		if chars[c]&chURL == 0 {
			return false
		}
	}
	return true
}

// jwtEnd is the end of a JSON web token (RFC 7519) or encryption (RFC 7516) that
// begins at i: two to five parts in base64url, the first one a JSON object.
func jwtEnd(s string, i int) int {
	if !strings.HasPrefix(s[i:], "eyJ") && !strings.HasPrefix(s[i:], "ey0") {
		return 0
	}
	parts, p, partStart := 1, i, i
	for ; p < len(s); p++ {
		if chars[s[p]]&chURL != 0 || s[p] == '=' || s[p] == '\\' && p+1 < len(s) && s[p+1] == '.' {
			continue
		}
		if s[p] != '.' || parts == 5 {
			break
		}
		if p-partStart < 8 && parts == 1 {
			return 0
		}
		parts, partStart = parts+1, p+1
	}
	for p > i && s[p-1] == '.' {
		p, parts = p-1, parts-1
	}
	if parts < 2 || p-i < 36 {
		return 0
	}
	return p
}

// mailchimpAt finds a key around the dash at i: 32 hexadecimal digits, -us, and the number
// of a data centre.
func mailchimpAt(s string, i int) (start, end int, kind string) {
	start = i - 32
	if start < 0 || !isHex(s[start:i]) || start > 0 && isAlnum(s[start-1]) {
		return 0, 0, ""
	}
	end = i + len("-us")
	digits := end
	for end < len(s) && isDigit(s[end]) {
		end++
	}
	if end == digits || end-digits > 2 || end < len(s) && isAlnum(s[end]) {
		return 0, 0, ""
	}
	return start, end, "mailchimp-key"
}

// salesforceAt finds a session around the exclamation mark at i: 00D and 12 or 15 more
// characters before it, 60 or more behind it.
func salesforceAt(s string, i int) (start, end int, kind string) {
	start = i
	for start > 0 && i-start <= 18 && isAlnum(s[start-1]) {
		start--
	}
	if n := i - start; n != 15 && n != 18 || !strings.HasPrefix(s[start:], "00D") {
		return 0, 0, ""
	}
	for end = i + 1; end < len(s) && chars[s[end]]&chDotted != 0; end++ {
	}
	if end-i < 61 {
		return 0, 0, ""
	}
	return start, end, "salesforce-token"
}

// appTokenEnd is the end of a Facebook app's access token, whose number of 15 or 16
// digits ends at i: '|' and 27 characters.
func appTokenEnd(s string, i int) int {
	const n = 27
	if i+1+n > len(s) || s[i] != '|' || i+1+n < len(s) && chars[s[i+1+n]]&chURL != 0 {
		return 0
	}
	for _, c := range []byte(s[i+1 : i+1+n]) {
		if chars[c]&chURL == 0 {
			return 0
		}
	}
	return i + 1 + n
}
