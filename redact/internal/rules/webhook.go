// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
)

// hostEnd is where a URL without quotes ends.
func hostEnd(s string, q, limit int) int {
	for q < limit && !chars.IsSpace(s[q]) && s[q] != '"' && s[q] != '\'' {
		q++
	}
	return q
}

// webhooks are hosts and path beginnings after which the path is a secret.
var webhooks = []string{
	"hooks.slack.com/services/", "hooks.slack.com/workflows/", "hooks.slack.com/triggers/",
	"discord.com/api/webhooks/", "discordapp.com/api/webhooks/",
	".webhook.office.com/webhookb2/", "hooks.zapier.com/hooks/catch/", "chat.googleapis.com/v1/spaces/",
	"api.telegram.org/bot", "outlook.office.com/webhook/", "maker.ifttt.com/trigger/",
	"logs.datadoghq.com/v1/input/", ".tines.com/webhook/", "open.feishu.cn/open-apis/bot/v2/hook/",
	"open.larksuite.com/open-apis/bot/v2/hook/", "hc-ping.com/", "hooks.chime.aws/incomingwebhooks/",
}

// bareWebhooks are those that are recognized without a scheme as well, with a blank before each.
const bareWebhooks = " hooks.slack.com/ discord.com/api/webhooks/ hooks.zapier.com/ api.telegram.org/bot"

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
		if path := s[p+slash+len(w)-host : max(end, p+slash+len(w)-host)]; len(path) >= 8 && chars.HasDigit(path) {
			return start, end, "webhook-url"
		}
	}
	return 0, 0, ""
}
