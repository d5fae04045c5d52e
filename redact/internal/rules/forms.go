// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"strings"
	"sync"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/kinds"
)

// A form is one of tokens that has no mere prefix, with the anchors that it is looked for at, divided by blanks.
type form struct {
	name, about, anchors string
	url, within          bool // credentials in a URL; an anchor may stand within a word
	find                 func(s string, at int) (start, end int, kind string)
}

var forms = [...]form{
	{"jwt", "a JSON web token",
		"eyj ey0", false, false, jwtAt},
	{"private-key", "a private key in PEM form",
		"-----begin", false, false, PemAt},
	{"discord-token", "a bot's token of three parts",
		"mt mj mz nd nj nt nz od ot", false, false, discordFrom},
	{"azure-secret", "a client secret of Entra ID",
		"q~", false, true, azureAt},
	{"terraform-token", "a Terraform Cloud token",
		".atlasv1.", false, true, atlasAt},
	{"connection-string", "a connection string with its shared key",
		"endpoint=sb:// endpoint=https://", true, false, connectionAt},
	{"webhook-url", "a webhook's address, which is its secret",
		"://" + bareWebhooks, true, false, webhookFrom},
	{"mailchimp-key", "32 hexadecimal digits and a data centre",
		"-us", false, true, mailchimpAt},
	{"salesforce-token", "an organisation's id, an exclamation mark and a session",
		"!aq !ar", false, true, salesforceAt},
}

// Detectors are the table of tokens, and the forms that are no mere prefix.
var Detectors = sync.OnceValue(func() (out []kinds.Detector) {
	pairs := detectorsOf(pairForms[:])
	out = append(out, pairs[0]) // both parts before one of them
	for i := range Tokens {
		r := &Tokens[i]
		kind := kinds.New(r.Kind, kinds.GroupToken, "an issuer's token, by its prefix "+r.Prefix+"…", true)
		out = append(out, kinds.Detector{Kind: kind, Anchors: []string{chars.FoldString(r.Prefix)}, Match: r.match,
			Within: r.Glues()})
	}
	out = append(append(out, detectorsOf(forms[:])...), phraseDetector())
	return append(append(out, detectorsOf(keyForms[:])...), pairs[1:]...)
})

// detectorsOf makes detectors of forms.
func detectorsOf(list []form) []kinds.Detector {
	out := make([]kinds.Detector, len(list))
	for i := range list {
		f, group := &list[i], kinds.GroupToken
		if f.url {
			group = kinds.GroupURL
		}
		out[i] = kinds.Detector{Kind: kinds.New(f.name, group, f.about, true), Anchors: strings.Fields(f.anchors),
			Match: Named(f.find), Within: f.within}
	}
	return out
}

func jwtAt(s string, at int) (start, end int, kind string) {
	if at > 0 && chars.IsAlnum(s[at-1]) {
		return 0, 0, ""
	}
	if end = jwtEnd(s, at); end == 0 {
		return 0, 0, ""
	}
	return at, end, "jwt"
}

func connectionAt(s string, at int) (start, end int, kind string) {
	end = at
	for end < len(s) && !chars.IsSpace(s[end]) && s[end] != '"' && s[end] != '\'' {
		end++
	}
	if !chars.ContainsFold(s[at:end], "accesskey=") {
		return at, end, ""
	}
	return at, end, "connection-string"
}

func webhookFrom(s string, at int) (start, end int, kind string) {
	limit := min(len(s), at+1024)
	if s[at] == ':' {
		at += len("://")
	}
	return webhookAt(s, at, limit)
}

// discordFrom finds the token that begins at: the number at its head begins with one
// of nine pairs in base64.
func discordFrom(s string, at int) (int, int, string) {
	if at > 0 && chars.IsAlnum(s[at-1]) {
		return 0, 0, ""
	}
	dot := at
	for dot < len(s) && dot-at < 27 && s[dot] != '.' && chars.Class[s[dot]]&chars.Name != 0 {
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
	start = chars.SkipBack(s, max(last, i-27), start, chars.URL)
	if n := i - start; n < 24 || n > 26 || strings.IndexByte("MNO", s[start]) < 0 {
		return 0, 0, ""
	}
	end = i + 8
	for end < len(s) && (chars.Class[s[end]]&chars.URL != 0 || s[end] == '!') {
		end++
	}
	if end-i-8 < 27 {
		return 0, 0, ""
	}
	return start, end, "discord-token"
}

// atlasAt finds a Terraform Cloud token around the dot before "atlasv1".
func atlasAt(s string, i int) (start, end int, kind string) {
	if !strings.HasPrefix(s[i:], ".atlasv1.") || i < 14 {
		return 0, 0, ""
	}
	for _, c := range []byte(s[i-14 : i]) {
		if chars.Class[c]&chars.Alnum == 0 {
			return 0, 0, ""
		}
	}
	end = i + len(".atlasv1.")
	end = chars.Skip(s, end, chars.URL|chars.Base64)
	return i - 14, end, "terraform-token"
}

// azureAt finds an Azure AD client secret around its "Q~" at q: three characters, a digit, Q~, and 31 to 34 more.
func azureAt(s string, q int) (start, end int, kind string) {
	i := q + 1
	if i < 5 || s[i-1] != 'Q' || !chars.IsDigit(s[i-2]) {
		return 0, 0, ""
	}
	end = i + 1
	for end < len(s) && (chars.Class[s[end]]&chars.Dotted != 0 || s[end] == '~') {
		end++
	}
	if n := end - i - 1; n < 31 || n > 34 {
		return 0, 0, ""
	}
	return i - 5, end, "azure-secret"
}

// Telegram reports whether a bot's token goes on at i, after its number: a colon
// and 35 characters.
func Telegram(s string, i int) bool {
	if i+36 > len(s) || s[i] != ':' || i+36 < len(s) && chars.Class[s[i+36]]&chars.URL != 0 {
		return false
	}
	for _, c := range []byte(s[i+1 : i+36]) {
		if chars.Class[c]&chars.URL == 0 {
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
		if chars.Class[s[p]]&chars.URL != 0 || s[p] == '=' || s[p] == '\\' && p+1 < len(s) && s[p+1] == '.' {
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
	if start < 0 || !chars.IsHex(s[start:i]) || start > 0 && chars.IsAlnum(s[start-1]) {
		return 0, 0, ""
	}
	end = i + len("-us")
	digits := end
	end = chars.Skip(s, end, chars.Digit)
	if end == digits || end-digits > 2 || end < len(s) && chars.IsAlnum(s[end]) {
		return 0, 0, ""
	}
	return start, end, "mailchimp-key"
}

// salesforceAt finds a session around the exclamation mark at i: 00D and 12 or 15 more
// characters before it, 60 or more behind it.
func salesforceAt(s string, i int) (start, end int, kind string) {
	start = i
	for start > 0 && i-start <= 18 && chars.IsAlnum(s[start-1]) {
		start--
	}
	if n := i - start; n != 15 && n != 18 || !strings.HasPrefix(s[start:], "00D") {
		return 0, 0, ""
	}
	for end = i + 1; end < len(s) && chars.Class[s[end]]&chars.Dotted != 0; end++ {
	}
	if end-i < 61 {
		return 0, 0, ""
	}
	return start, end, "salesforce-token"
}

// AppTokenEnd is the end of a Facebook app's access token, whose number of 15 or 16
// digits ends at i: '|' and 27 characters.
func AppTokenEnd(s string, i int) int {
	const n = 27
	if i+1+n > len(s) || s[i] != '|' || i+1+n < len(s) && chars.Class[s[i+1+n]]&chars.URL != 0 {
		return 0
	}
	for _, c := range []byte(s[i+1 : i+1+n]) {
		if chars.Class[c]&chars.URL == 0 {
			return 0
		}
	}
	return i + 1 + n
}
