// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"hash/crc32"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/redact/internal/rules"
)

// A tokenSource says where a prefix is published, and the date when it was found there; "" if that was not checked.
type tokenSource struct{ url, checked string }

// tokenSources are the sources that rows of the table name.
var tokenSources = map[string]tokenSource{
	"gitleaks":    {"https://github.com/gitleaks/gitleaks/blob/b58d3f10/config/gitleaks.toml", "2026-11-22"},
	"betterleaks": {"https://github.com/betterleaks/betterleaks/blob/6381fa4/config/betterleaks.toml", "2026-11-22"},
	"trufflehog":  {"https://github.com/trufflesecurity/trufflehog/tree/3ab759fef/pkg/detectors", "2026-11-22"},
	"kingfisher":  {"https://github.com/mongodb/kingfisher/tree/ee7c0db/data/rules", "2026-11-22"},
	"noseyparker": {"https://github.com/praetorian-inc/noseyparker/tree/2e6e7f36", "2026-11-22"},
}

// issuerSources are those of the rows that name their issuer, by the first prefix of the row.
var issuerSources = map[string]tokenSource{
	"whsec_":          {"https://docs.stripe.com/webhooks", ""},
	"fw_":             {"https://docs.fireworks.ai", ""},
	"crsr_":           {"https://docs.cursor.com", ""},
	"figo_":           {"https://developers.figma.com", ""},
	"PMAT-":           {"https://learning.postman.com", ""},
	"AKLT":            {"https://www.volcengine.com/docs", ""},
	"re_":             {"https://resend.com/docs", ""},
	"y0_":             {"https://yandex.com/dev/id/doc", ""},
	"lsk_live_":       {"https://docs.lob.com", ""},
	"ory_at_":         {"https://www.ory.sh/docs", ""},
	"ory_st_":         {"https://www.ory.sh/docs", ""},
	"LIVEKIT":         {"https://docs.livekit.io", ""},
	"esecret_":        {"https://docs.anyscale.com", ""},
	"fal_":            {"https://docs.fal.ai", ""},
	"ctx7sk-":         {"https://context7.com/docs", ""},
	"hcaptcha_":       {"https://docs.hcaptcha.com", ""},
	"exa_":            {"https://docs.exa.ai", ""},
	"e2b_":            {"https://e2b.dev/docs", ""},
	"dsk-":            {"https://docs.cloud.deepset.ai", ""},
	"AP":              {"https://jfrog.com/help", ""},
	"hops_":           {"https://docs.hop.io", ""},
	"co_":             {"https://docs.cohere.com", ""},
	"sec-c-":          {"https://www.pubnub.com/docs", ""},
	"llx-":            {"https://docs.cloud.llamaindex.ai", ""},
	"akab-":           {"https://techdocs.akamai.com", ""},
	"cosmo_":          {"https://cosmo-docs.wundergraph.com", ""},
	"IGQV":            {"https://developers.facebook.com/docs", ""},
	"sk-helicone-":    {"https://docs.helicone.ai", ""},
	"pa-":             {"https://docs.voyageai.com", ""},
	"ak-":             {"https://modal.com/docs", ""},
	"vercel_blob_rw_": {"https://vercel.com/docs/vercel-blob", ""},
	"lin_wh_":         {"https://linear.app/developers", ""},
	"npg_":            {"https://neon.com/docs", ""},
	"IQoJb3JpZ2lu":    {"https://docs.aws.amazon.com/IAM", ""},
	"signkey-prod-":   {"https://www.inngest.com/docs", ""},
	"tr_prod_":        {"https://trigger.dev/docs", ""},
	"RGAPI-":          {"https://developer.riotgames.com", ""},
	"v1.local.":       {"https://github.com/paseto-standard/paseto-spec", ""},
	"AVNS_":           {"https://aiven.io/docs", ""},
	"depot_org_":      {"https://depot.dev/docs", ""},
	"pylf_v1_":        {"https://logfire.pydantic.dev/docs", ""},
	"ak_":             {"https://docs.composio.dev", ""},
	"pts_":            {"https://pangea.cloud/docs", ""},
	"syt_":            {"https://element-hq.github.io/synapse", ""},
	"xprv":            {"https://github.com/bitcoin/bips", ""},
	"replit_":         {"https://docs.replit.com", ""},
	"st.":             {"https://infisical.com/docs", ""},
}

// maxUnchecked is how many rules name their issuer's documentation without a date. It may only fall.
const maxUnchecked = 47

func TestEveryTokenRuleHasASource(t *testing.T) {
	unchecked, named := 0, 0
	names := strings.Split(rules.Sources, " ")
	for i := range rules.TokenRules {
		r := &rules.TokenRules[i]
		source := tokenSources[names[r.Source]]
		if names[r.Source] == "issuer" {
			source = issuerSources[r.First()]
			named++
		}
		if !strings.HasPrefix(source.url, "https://") {
			t.Errorf("%s: got %v, want a source", r.Kind, source)
			continue
		}
		if source.checked == "" {
			unchecked++
		} else if _, err := time.Parse(time.DateOnly, source.checked); err != nil {
			t.Errorf("%s: %v", r.Kind, err)
		}
	}
	if unchecked > maxUnchecked {
		t.Errorf("got %d rules whose source has no date, want %d at most", unchecked, maxUnchecked)
	}
	if named != len(issuerSources) {
		t.Errorf("got %d rows that name their issuer, want the %d of the list", named, len(issuerSources))
	}
}

// withChecksum appends the checksum that GitHub and npm give a token's body.
func withChecksum(prefix, body string) string {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	var end [6]byte
	sum := crc32.ChecksumIEEE([]byte(body))
	for i := len(end) - 1; i >= 0; i-- {
		end[i], sum = digits[sum%62], sum/62
	}
	return prefix + body + string(end[:])
}

// TestChecksumProvesAToken puts tokens where their shape alone is not enough. The first one is of the public
// description of the format, long revoked.
func TestChecksumProvesAToken(t *testing.T) {
	if got, want := withChecksum("ghp_", "zQWBuTSOoRi4A9sp"+"HcVY5ncnsDkxkJ"), "0mLq17"; !strings.HasSuffix(got, want) {
		t.Fatalf("got a checksum of %s, want %s", got[len(got)-6:], want)
	}
	for _, token := range []string{withChecksum("ghp_", strings.Repeat("abcdeabcde", 3)),
		withChecksum("npm_", strings.Repeat("zebra2zebr", 3)), withChecksum("ghs_", strings.Repeat("0", 29)+"1")} {
		for _, around := range []string{"%", "x-%", "name.%", "x9Kq2LmZ0p%x8Kq", "v1.2-%-suffix"} {
			text := strings.ReplaceAll(around, "%", token)
			if out, _ := Default().Text(text); strings.Contains(out, token[4:20]) {
				t.Errorf("%.12s… in %q stays", token, around)
			}
		}
	}
	// A checksum that does not fit lets no token pass.
	token := withChecksum("ghp_", "x8Kq2LmZ0pVt9RwB7yNcA1sD4eFg5h")
	token = token[:len(token)-1] + map[bool]string{true: "B", false: "A"}[strings.HasSuffix(token, "A")]
	if out, _ := Default().Text("token is " + token + " here"); strings.Contains(out, token[4:]) {
		t.Error("a token whose checksum does not fit stays")
	}
}
