// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import "strings"

// hostEnd is where a URL without quotes ends.
func hostEnd(s string, q, limit int) int {
	for q < limit && !isSpace(s[q]) && s[q] != '"' && s[q] != '\'' {
		q++
	}
	return q
}

// webhooks are hosts and path beginnings after which the path is a secret.
var webhooks = []string{
	"hooks.slack.com/services/", "hooks.slack.com/workflows/", "hooks.slack.com/triggers/", "discord.com/api/webhooks/", "discordapp.com/api/webhooks/",
	".webhook.office.com/webhookb2/", "hooks.zapier.com/hooks/catch/", "chat.googleapis.com/v1/spaces/", "api.telegram.org/bot", "outlook.office.com/webhook/", "maker.ifttt.com/trigger/",
	"logs.datadoghq.com/v1/input/",
}

func webhookAt(s string, p, limit int) (start, end int, kind string) {
	part := s[p:limit]
	slash := strings.IndexByte(part, '/')
	if slash <= 0 {
		return 0, 0, ""
	}
	for _, w := range webhooks {
		host := strings.IndexByte(w, '/')
		if !strings.HasSuffix(part[:slash], strings.TrimPrefix(w[:host], ".")) || !strings.HasPrefix(part[slash:], w[host:]) {
			continue
		}
		start = p
		end = hostEnd(s, p, limit)
		for end > start && strings.IndexByte(".,;)]}", s[end-1]) >= 0 {
			end--
		}
		if end-(p+slash+len(w)-host) >= 8 {
			return start, end, "webhook-url"
		}
	}
	return 0, 0, ""
}

// tokenDetectors are the table of tokens, and the forms that are no mere prefix.
var tokenDetectors = func() (out []detector) {
	for i := range tokenRules {
		r := &tokenRules[i]
		out = append(out, detector{kind: r.kind, group: groupToken, doc: "an issuer's token, by its prefix " + r.prefix + "…", anchors: []string{fold(r.prefix)}, match: r.match})
	}
	return append(out,
		detector{kind: "jwt", group: groupToken, doc: "a JSON web token", anchors: []string{"eyj", "ey0"}, match: func(s string, at, _ int) (int, int, bool) {
			if at > 0 && isAlnum(s[at-1]) {
				return 0, 0, false
			}
			end := jwtEnd(s, at)
			return at, end, end > 0
		}},
		detector{kind: "private-key", group: groupToken, doc: "a private key in PEM form", anchors: []string{"-----begin "}, match: named(func(s string, at int) (int, int, string) { return pemAt(s, at) })},
		detector{kind: "discord-token", group: groupToken, doc: "a bot's token of three parts", anchors: []string{"mt", "mj", "mz", "nd", "nj", "nt", "nz", "od", "ot"}, match: named(discordFrom)},
		detector{kind: "azure-secret", group: groupToken, doc: "a client secret of Entra ID", anchors: []string{"q~"}, within: true, match: named(func(s string, at int) (int, int, string) { return azureAt(s, at+1) })},
		detector{kind: "terraform-token", group: groupToken, doc: "a Terraform Cloud token", anchors: []string{".atlasv1."}, within: true, match: named(func(s string, at int) (int, int, string) { return atlasAt(s, at, 0) })},
		detector{kind: "connection-string", group: groupURL, doc: "a connection string with its shared key", anchors: []string{"endpoint=sb://", "endpoint=https://"}, match: func(s string, at, end int) (int, int, bool) {
			for end < len(s) && !isSpace(s[end]) && s[end] != '"' && s[end] != '\'' {
				end++
			}
			return at, end, containsFold(s[at:end], "accesskey=")
		}},
		detector{kind: "webhook-url", group: groupURL, doc: "a webhook's address, which is its secret", anchors: []string{"://"}, match: named(func(s string, at int) (int, int, string) {
			return webhookAt(s, at+3, min(len(s), at+1024))
		})},
	)
}()

// named makes a match of a function that looks at a place and names the kind.
func named(f func(s string, at int) (int, int, string)) func(s string, at, end int) (int, int, bool) {
	return func(s string, at, _ int) (int, int, bool) {
		a, b, kind := f(s, at)
		return a, b, kind != ""
	}
}

// match is the rule as a detector's match.
func (r *tokenRule) match(s string, at, p int) (int, int, bool) {
	if !strings.HasPrefix(s[at:], r.prefix) || at > 0 && isAlnum(s[at-1]) {
		return 0, 0, false
	}
	end := p
	for end < len(s) && alphabets[s[end]]&r.alphabet != 0 && (r.max == 0 || end-p <= r.max) {
		end++
	}
	for end > p && (s[end-1] == '.' || s[end-1] == '-') {
		end--
	}
	n := end - p
	if n < r.min || r.max > 0 && n > r.max || end < len(s) && alphabets[s[end]]&alnum != 0 || patterned(s[p:end]) || !r.fits(s[p:end]) {
		return 0, 0, false
	}
	return at, end, true
}

// personalDetectors find personal data by an anchor; what is made of digits comes
// through matchDigits and matchWord.
var personalDetectors = []detector{
	{kind: "email", group: groupPersonal, doc: "an e-mail address", anchors: []string{"@"}, match: named(func(s string, at int) (int, int, string) { return emailAt(s, at, 0) })},
	{kind: "crypto-address", group: groupPersonal, doc: "a crypto address", anchors: []string{"bc1", "0x"}, match: named(func(s string, at int) (int, int, string) {
		b, e := wordAround(s, at)
		if kind := wordKind(s, b, e); kind == "crypto-address" {
			return b, e, kind
		}
		return 0, 0, ""
	})},
}

// IP addresses are no default: [Strict] and [WithKinds] look for them once a detector
// does.
var (
	kindIPv4 = newKind("ipv4", groupPersonal, "an IPv4 address", false)
	kindIPv6 = newKind("ipv6", groupPersonal, "an IPv6 address", false)
)

// numberKinds are what numberAt and wordKind may find.
var numberKinds = map[string]kindID{
	"payment-card": newKind("payment-card", groupPersonal, "a payment card number with issuer and check digit", true), "telegram-token": newKind("telegram-token", groupToken, "a bot's token", true),
	"us-ssn": newKind("us-ssn", groupPersonal, "a US social security number", true), "phone-number": newKind("phone-number", groupPersonal, "a phone number", true),
	"mac-address": newKind("mac-address", groupPersonal, "a MAC address", true), "iban": newKind("iban", groupPersonal, "an international bank account number", true),
	"crypto-address": newKind("crypto-address", groupPersonal, "a crypto address", true),
}

// matchDigits finds cards, phone and social security numbers in a run (see [detector]).
func matchDigits(s string, start, end int, enabled *kindSet) (from, to int, kind kindID, ok bool) {
	for i := start; i < end; {
		if !isDigit(s[i]) && s[i] != '+' {
			i++
			continue
		}
		a, b, name := numberAt(s, i)
		if id := numberKinds[name]; name != "" && enabled.has(id) {
			return a, b, id, true
		}
		i = max(b, i+1)
	}
	return 0, 0, 0, false
}

// matchWord finds account numbers and addresses in a word (see [detector]).
func matchWord(s string, start, end int, enabled *kindSet) (from, to int, kind kindID, ok bool) {
	name := wordKind(s, start, end)
	if name == "" && macEnd(s, start) > 0 {
		name = "mac-address"
	}
	if id := numberKinds[name]; name != "" && enabled.has(id) {
		return start, wordEnd(s, start, end, name), id, true
	}
	return 0, 0, 0, false
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
