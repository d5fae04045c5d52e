// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import "strings"

// urlAt looks at "://": the password in a URL's userinfo (RFC 3986, 3.2.1), and the
// path of a webhook. Secrets in a query are found as assignments.
func urlAt(s string, i int) (start, end int, kind string) {
	if !strings.HasPrefix(s[i:], "://") || i == 0 || alphabets[s[i-1]]&alnum == 0 {
		return 0, 0, ""
	}
	p := i + 3
	limit := min(len(s), p+1024)
	at, colon := -1, -1
	q := p
	for ; q < limit; q++ {
		c := s[q]
		if isSpace(c) || c == '{' || c == '"' || c == '\'' || c == '<' || c == '>' || c == '`' {
			break
		}
		if c == '/' || c == '?' || c == '#' {
			if at < 0 && strings.IndexByte(s[q:hostEnd(s, q, limit)], '@') > 0 && colon >= 0 && passwordWithSlash(s, q, limit) {
				continue
			}
			break
		}
		if c == '@' {
			at = q
		}
		if c == ':' && colon < 0 {
			colon = q
		}
	}
	if at > 0 && colon > 0 && colon < at && at-colon > 1 {
		if v := s[colon+1 : at]; !isReference(v) {
			return colon + 1, at, "url-userinfo"
		}
	}
	if at > p && colon < 0 && random(s[p:at]) && at-p >= 16 { // a token as the user
		return p, at, "url-userinfo"
	}
	return webhookAt(s, p, limit)
}

// hostEnd is where a URL without quotes ends.
func hostEnd(s string, q, limit int) int {
	for q < limit && !isSpace(s[q]) && s[q] != '"' && s[q] != '\'' {
		q++
	}
	return q
}

// passwordWithSlash reports whether a slash after a colon belongs to a password: an
// @ follows before the next slash, and what stands before is no port.
func passwordWithSlash(s string, q, limit int) bool {
	if q > 0 && s[q-1] >= '0' && s[q-1] <= '9' {
		for b := q - 1; b > 0 && (s[b] >= '0' && s[b] <= '9' || s[b] == ':'); b-- {
			if s[b] == ':' {
				return false
			}
		}
	}
	rest := s[q+1 : hostEnd(s, q, limit)]
	at := strings.IndexByte(rest, '@')
	slash := strings.IndexByte(rest, '/')
	return at >= 0 && (slash < 0 || at < slash)
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
