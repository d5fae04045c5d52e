// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"strings"
	"sync"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/kinds"
)

// Detectors are the table of tokens, and the forms that are no mere prefix.
var Detectors = sync.OnceValue(func() (out []kinds.Detector) {
	out = pairDetectors()[:1] // both parts before one of them
	for i := range Tokens {
		r := &Tokens[i]
		kind := kinds.New(r.Kind, kinds.GroupToken, "an issuer's token, by its prefix "+r.Prefix+"…", true)
		out = append(out, kinds.Detector{Kind: kind, Anchors: []string{chars.FoldString(r.Prefix)}, Match: r.match,
			Within: r.Glues()})
	}
	out = append(out,
		kinds.Detector{Kind: kinds.New("jwt", kinds.GroupToken, "a JSON web token", true),
			Anchors: []string{"eyj", "ey0"}, Match: func(s string, at, _ int) (int, int, bool) {
				if at > 0 && chars.IsAlnum(s[at-1]) {
					return 0, 0, false
				}
				end := jwtEnd(s, at)
				return at, end, end > 0
			}},
		kinds.Detector{Kind: kinds.New("private-key", kinds.GroupToken, "a private key in PEM form", true),
			Anchors: []string{"-----begin"}, Match: Named(func(s string, at int) (int, int,
				string) {
				return PemAt(s, at)
			})},
		kinds.Detector{Kind: kinds.New("discord-token", kinds.GroupToken, "a bot's token of three parts", true),
			Anchors: []string{"mt", "mj", "mz", "nd", "nj", "nt", "nz", "od", "ot"}, Match: Named(discordFrom)},
		kinds.Detector{Kind: kinds.New("azure-secret", kinds.GroupToken, "a client secret of Entra ID", true),
			Anchors: []string{"q~"}, Within: true,
			Match: Named(func(s string, at int) (int, int, string) { return azureAt(s, at+1) })},
		kinds.Detector{Kind: kinds.New("terraform-token", kinds.GroupToken, "a Terraform Cloud token", true),
			Anchors: []string{".atlasv1."}, Within: true,
			Match: Named(func(s string, at int) (int, int, string) { return atlasAt(s, at, 0) })},
		kinds.Detector{Kind: kinds.New("connection-string", kinds.GroupURL, "a connection string with its shared key",
			true), Anchors: []string{"endpoint=sb://", "endpoint=https://"}, Match: func(s string, at, end int) (int,
			int, bool) {
			for end < len(s) && !chars.IsSpace(s[end]) && s[end] != '"' && s[end] != '\'' {
				end++
			}
			return at, end, chars.ContainsFold(s[at:end], "accesskey=")
		}},
		kinds.Detector{Kind: kinds.New("webhook-url", kinds.GroupURL, "a webhook's address, which is its secret",
			true), Anchors: []string{"://"}, Match: Named(func(s string, at int) (int, int, string) {
			return webhookAt(s, at+3, min(len(s), at+1024))
		})},
		kinds.Detector{Kind: kinds.New("webhook-url", kinds.GroupURL, "a webhook's address, which is its secret",
			true), Anchors: bareWebhooks, Match: Named(func(s string, at int) (int, int, string) {
			return webhookAt(s, at, min(len(s), at+1024))
		})},
		kinds.Detector{Kind: kinds.New("mailchimp-key", kinds.GroupToken, "32 hexadecimal digits and a data centre",
			true), Anchors: []string{"-us"}, Within: true, Match: Named(mailchimpAt)},
		kinds.Detector{Kind: kinds.New("salesforce-token", kinds.GroupToken,
			"an organisation's id, an exclamation mark and a session", true), Anchors: []string{"!aq", "!ar"},
			Within: true, Match: Named(salesforceAt)},
		phraseDetector(),
	)
	return append(append(out, keyDetectors()...), pairDetectors()[1:]...)
})

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
func atlasAt(s string, i, last int) (start, end int, kind string) {
	if !strings.HasPrefix(s[i:], ".atlasv1.") || i-last < 14 {
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

// azureAt finds an Azure AD client secret around the tilde of its "Q~": three
// characters, a digit, Q~, and 31 to 34 more.
func azureAt(s string, i int) (start, end int, kind string) {
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
