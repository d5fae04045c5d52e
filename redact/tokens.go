// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import "strings"

// tokenRule knows an issuer's tokens by their prefix and by what follows it.
type tokenRule struct {
	prefix   string
	kind     string
	alphabet alphabet
	min, max int // bytes after the prefix
}

type alphabet uint8

const (
	alnum    alphabet = 1 << iota // A-Z a-z 0-9
	lowHex                        // 0-9 a-f
	upper                         // A-Z 0-9
	url                           // alnum _ -
	dots                          // url and .
	base64                        // alnum + / =
	lowAlnum                      // a-z 0-9
	percent                       // % and \
)

var alphabets = func() (t [256]alphabet) {
	for c := range 256 {
		b := byte(c)
		digit, low, up := b >= '0' && b <= '9', b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z'
		if digit || low || up {
			t[c] |= alnum | url | dots | base64
		}
		if digit || b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F' {
			t[c] |= lowHex
		}
		if digit || up {
			t[c] |= upper
		}
		if digit || low {
			t[c] |= lowAlnum
		}
		if b == '%' || b == '\\' {
			t[c] |= percent
		}
		if b == '_' || b == '-' {
			t[c] |= url | dots
		}
		if b == '.' {
			t[c] |= dots
		}
		if b == '+' || b == '/' || b == '=' {
			t[c] |= base64
		}
	}
	return t
}()

// tokenRules is a table of issuers' published formats. max 0 is no limit.
var tokenRules = []tokenRule{
	{"ghp_", "github-token", alnum, 36, 36}, {"gho_", "github-token", alnum, 36, 36}, {"ghu_", "github-token", alnum, 36, 36},
	{"ghs_", "github-token", alnum, 36, 36}, {"ghr_", "github-token", alnum, 36, 76}, {"github_pat_", "github-token", url, 22, 90},
	{"glpat-", "gitlab-token", dots, 20, 0}, {"gldt-", "gitlab-token", url, 20, 0}, {"glft-", "gitlab-token", url, 20, 0}, {"glrt-", "gitlab-token", dots, 20, 0},
	{"glrtr-", "gitlab-token", url, 20, 0}, {"glcbt-", "gitlab-token", url, 20, 0}, {"glimt-", "gitlab-token", url, 20, 0}, {"glagent-", "gitlab-token", url, 40, 0},
	{"gloas-", "gitlab-token", url, 64, 0}, {"glsoat-", "gitlab-token", url, 20, 0}, {"glptt-", "gitlab-token", url, 40, 0}, {"glffct-", "gitlab-token", url, 20, 0},
	{"GR1348941", "gitlab-token", url, 20, 0},
	{"xoxb-", "slack-token", url, 18, 0}, {"xoxp-", "slack-token", url, 18, 0}, {"xoxa-", "slack-token", url, 10, 0}, {"xoxo-", "slack-token", url, 8, 0},
	{"xoxe-", "slack-token", url, 18, 0}, {"xoxe.", "slack-token", dots, 18, 0}, {"xoxr-", "slack-token", url, 10, 0}, {"xoxs-", "slack-token", url, 10, 0}, {"xapp-", "slack-token", url, 8, 0},
	{"sk-ant-", "anthropic-key", url, 32, 0}, {"sk-proj-", "openai-key", url, 20, 0}, {"sk-svcacct-", "openai-key", url, 20, 0}, {"sk-admin-", "openai-key", url, 20, 0},
	{"sk-or-", "openrouter-key", url, 32, 0}, {"sk-lf-", "langfuse-key", url, 32, 0}, {"sk-", "openai-key", alnum, 32, 64},
	{"sk_live_", "stripe-key", base64, 10, 0}, {"sk_test_", "stripe-key", alnum, 10, 99}, {"sk_prod_", "stripe-key", alnum, 10, 99},
	{"rk_live_", "stripe-key", alnum, 10, 99}, {"rk_test_", "stripe-key", alnum, 10, 99}, {"rk_prod_", "stripe-key", alnum, 10, 99}, {"whsec_", "stripe-key", base64, 24, 0},
	{"AKIA", "aws-key-id", upper, 16, 16}, {"ASIA", "aws-key-id", upper, 16, 16}, {"ABIA", "aws-key-id", upper, 16, 16}, {"ACCA", "aws-key-id", upper, 16, 16}, {"A3T", "aws-key-id", upper, 17, 17}, {"AC", "twilio-key", lowAlnum, 32, 32},
	{"ABSK", "aws-bedrock-key", base64, 100, 0}, {"bedrock-api-key-", "aws-bedrock-key", base64, 20, 0}, {"amzn.mws.", "aws-mws-key", url, 36, 0},
	{"AIza", "google-key", url, 35, 35}, {"ya29.", "google-token", dots, 20, 0}, {"GOCSPX-", "google-secret", url, 7, 0}, {"1//0", "google-refresh-token", url, 30, 0},
	{"npm_", "npm-token", alnum, 36, 36}, {"pypi-AgE", "pypi-token", url, 50, 0}, {"rubygems_", "rubygems-key", lowHex, 48, 48}, {"oy2", "nuget-key", alnum, 43, 43}, {"dckr_pat_", "docker-token", url, 20, 0}, {"dckr_oat_", "docker-token", url, 20, 0},
	{"dop_v1_", "digitalocean-token", lowHex, 64, 64}, {"doo_v1_", "digitalocean-token", lowHex, 64, 64}, {"dor_v1_", "digitalocean-token", lowHex, 64, 64},
	{"dp.pt.", "doppler-token", alnum, 40, 0}, {"dp.st.", "doppler-token", dots, 36, 0}, {"dp.ct.", "doppler-token", alnum, 36, 0}, {"dp.sa.", "doppler-token", alnum, 36, 0}, {"dp.scim.", "doppler-token", alnum, 36, 0}, {"dp.audit.", "doppler-token", alnum, 36, 0},
	{"dapi", "databricks-token", lowHex, 32, 0}, {"ddp_", "datadog-key", alnum, 30, 0},
	{"shpat_", "shopify-token", lowHex, 32, 32}, {"shpca_", "shopify-token", lowHex, 32, 32}, {"shppa_", "shopify-token", lowHex, 32, 32}, {"shpss_", "shopify-token", lowHex, 32, 32},
	{"SG.", "sendgrid-key", dots | base64, 50, 0}, {"xkeysib-", "brevo-key", url, 60, 0}, {"xsmtpsib-", "brevo-key", url, 60, 0}, {"key-", "mailgun-key", lowHex, 32, 32}, {"pubkey-", "mailgun-key", lowHex, 32, 32},
	{"SK", "twilio-key", lowAlnum, 32, 32}, {"sq0atp-", "square-token", url, 22, 0}, {"sq0csp-", "square-token", url, 40, 0}, {"EAAA", "square-token", url | base64, 20, 0}, {"EAA", "facebook-token", alnum, 80, 0},
	{"hf_", "huggingface-token", alnum, 30, 0}, {"api_org_", "huggingface-token", alnum, 30, 0}, {"r8_", "replicate-token", alnum, 36, 0}, {"nvapi-", "nvidia-key", url, 50, 0}, {"gsk_", "groq-key", alnum, 40, 0},
	{"xai-", "xai-key", url, 60, 0}, {"pplx-", "perplexity-key", alnum, 40, 0}, {"tgp_v1_", "together-key", url, 30, 0}, {"wandb_v1_", "wandb-key", url, 40, 0}, {"fw_", "fireworks-key", alnum, 20, 0},
	{"lsv2_pt_", "langsmith-key", url, 32, 0}, {"lsv2_sk_", "langsmith-key", url, 32, 0}, {"pcsk_", "pinecone-key", url, 40, 0}, {"fc-", "firecrawl-key", lowHex, 32, 32}, {"key_", "cursor-key", lowHex, 64, 64}, {"crsr_", "cursor-key", lowHex, 40, 0},
	{"lin_api_", "linear-key", alnum, 32, 0}, {"lin_oauth_", "linear-key", alnum, 32, 0}, {"ntn_", "notion-token", alnum, 40, 0}, {"secret_", "notion-token", alnum, 43, 43}, {"figd_", "figma-token", url, 38, 0}, {"figo_", "figma-token", url, 20, 0},
	{"rdme_", "readme-key", alnum, 60, 0}, {"sntrys_", "sentry-token", base64 | url, 60, 0}, {"sntryu_", "sentry-token", lowHex, 60, 0}, {"phc_", "posthog-key", url, 40, 0}, {"phx_", "posthog-key", url, 40, 0},
	{"tskey-", "tailscale-key", url, 20, 0}, {"hvs.", "vault-token", url, 24, 0}, {"hvb.", "vault-token", url, 80, 0}, {"hvr.", "vault-token", url, 24, 0},
	{"pul-", "pulumi-token", lowHex, 40, 40}, {"PMAK-", "postman-key", url, 50, 0}, {"PMAT-", "postman-key", url, 20, 0}, {"dt0c01.", "dynatrace-token", dots, 60, 0}, {"dt0s01.", "dynatrace-token", dots, 60, 0}, {"dt0s16.", "dynatrace-token", dots, 60, 0},
	{"glsa_", "grafana-token", url, 32, 0}, {"glc_", "grafana-token", base64, 32, 0}, {"eyJrIjoi", "grafana-token", base64, 40, 0},
	{"NRAK-", "newrelic-key", alnum, 27, 0}, {"NRJS-", "newrelic-key", lowHex, 19, 0}, {"NRII-", "newrelic-key", url, 32, 0}, {"NRRA-", "newrelic-key", lowHex, 42, 0},
	{"ATATT3", "atlassian-token", dots | base64, 60, 0}, {"ATCTT3", "atlassian-token", dots | base64, 60, 0}, {"ATBB", "bitbucket-token", alnum, 32, 0}, {"ATSTT3", "atlassian-token", dots | base64, 60, 0},
	{"sbp_", "supabase-key", url, 40, 0}, {"sb_secret_", "supabase-key", url, 20, 0}, {"vcp_", "vercel-token", url, 24, 0}, {"vck_", "vercel-token", url, 24, 0}, {"vci_", "vercel-token", url, 24, 0}, {"vca_", "vercel-token", url, 24, 0}, {"vcr_", "vercel-token", url, 24, 0},
	{"nfp_", "netlify-token", alnum, 36, 0}, {"CFPAT-", "contentful-token", url, 40, 0}, {"cfut_", "cloudflare-token", alnum, 40, 0}, {"cfat_", "cloudflare-token", alnum, 40, 0}, {"cfk_", "cloudflare-token", alnum, 40, 0},
	{"duffel_live_", "duffel-token", url | base64, 40, 0}, {"duffel_test_", "duffel-token", url | base64, 40, 0}, {"dnkey-", "defined-key", url, 40, 0}, {"EZAK", "easypost-key", alnum, 54, 54}, {"EZTK", "easypost-key", alnum, 54, 54},
	{"FLWSECK_TEST-", "flutterwave-key", alnum, 12, 0}, {"FLWSECK-", "flutterwave-key", url, 12, 0}, {"FLWPUBK_TEST-", "flutterwave-key", url, 12, 0}, {"FLWPUBK-", "flutterwave-key", url, 12, 0},
	{"fm1_", "fly-token", base64, 100, 0}, {"fm2_", "fly-token", base64, 100, 0}, {"fm1r_", "fly-token", base64, 100, 0}, {"fm1a_", "fly-token", base64, 100, 0}, {"fo1_", "fly-token", url, 43, 0}, {"fio-u-", "frameio-token", url | base64, 60, 0},
	{"p8e-", "prefect-key", alnum, 32, 32}, {"pnu_", "prefect-key", alnum, 36, 0}, {"pnb_", "prefect-key", alnum, 36, 0}, {"pscale_tkn_", "planetscale-token", dots | base64, 32, 0}, {"pscale_pw_", "planetscale-token", dots | base64, 32, 0}, {"pscale_oauth_", "planetscale-token", dots | base64, 32, 0},
	{"shippo_live_", "shippo-token", lowHex, 40, 40}, {"shippo_test_", "shippo-token", lowHex, 40, 40}, {"sgp_", "sourcegraph-token", lowHex, 40, 40}, {"sgp_", "sourcegraph-token", url, 57, 57}, {"sgp_local_", "sourcegraph-token", lowHex, 40, 40}, {"slk_", "sourcegraph-token", lowHex, 64, 64}, {"sl.", "dropbox-token", url, 100, 0},
	{"AGE-SECRET-KEY-1", "age-key", upper, 58, 58}, {"LTAI", "alibaba-key-id", alnum, 16, 24}, {"AKC", "artifactory-token", alnum, 10, 0}, {"cmVmd", "artifactory-token", alnum, 59, 0}, {"AKID", "tencent-key-id", alnum, 32, 40}, {"AKLT", "volcengine-key-id", alnum, 40, 0},
	{"ops_eyJ", "onepassword-token", base64, 200, 0}, {"A3-", "onepassword-key", upper | url, 30, 0}, {"CCIPAT_", "circleci-token", url, 40, 0}, {"CCIPRJ_", "circleci-token", url, 40, 0}, {"apify_api_", "apify-token", alnum, 30, 0}, {"pat-na1-", "hubspot-token", url, 30, 0}, {"pat-eu1-", "hubspot-token", url, 30, 0},
	{"bkua_", "buildkite-token", alnum, 40, 0}, {"HRKU-", "heroku-key", url, 36, 0}, {"s-s4t2ud-", "intra42-secret", lowHex, 60, 0}, {"s-s4t2af-", "intra42-secret", lowHex, 60, 0}, {"napi_", "neon-key", alnum, 40, 0}, {"nyk_", "nylas-key", url, 32, 0},
	{"API-", "octopus-key", upper, 26, 26}, {"sha256~", "openshift-token", url, 43, 43}, {"access-sandbox-", "plaid-token", url, 36, 36}, {"access-production-", "plaid-token", url, 36, 36}, {"access-development-", "plaid-token", url, 36, 36},
	{"rzp_live_", "razorpay-key", alnum, 14, 0}, {"rzp_test_", "razorpay-key", alnum, 14, 0}, {"re_", "resend-key", url, 30, 0}, {"rootly_", "rootly-key", lowHex, 60, 0}, {"tk-us-", "scalingo-token", url, 48, 0},
	{"sm_pat_", "settlemint-token", alnum, 16, 0}, {"sm_aat_", "settlemint-token", alnum, 16, 0}, {"sm_sat_", "settlemint-token", alnum, 16, 0}, {"squ_", "sonar-token", lowHex, 40, 40}, {"sqp_", "sonar-token", lowHex, 40, 40}, {"sqa_", "sonar-token", lowHex, 40, 40},
	{"tfp_", "typeform-token", dots, 50, 0}, {"BBFF-", "ubidots-token", alnum, 20, 0}, {"waka_", "wakatime-key", url, 36, 0}, {"AQVN", "yandex-key", url, 35, 0}, {"t1.", "yandex-token", dots | base64, 80, 0}, {"y0_", "yandex-token", url, 50, 0}, {"zpka_", "zuplo-key", url, 30, 0},
	{"$aact_", "asaas-key", url, 20, 0}, {"AIK_CI_", "aikido-key", alnum, 20, 0}, {"AIK_CLIENT_", "aikido-key", alnum, 24, 0}, {"AIK_SECRET_", "aikido-key", alnum, 60, 0}, {"AQ.Ab8", "google-key", url, 40, 0},
	{"gcntfy-", "notify-key", url, 70, 0}, {"AstraCS:", "astra-token", alnum, 18, 0}, {"CCDB1_", "cockroach-key", url, 60, 0}, {"CLOJARS_", "clojars-token", alnum, 58, 0}, {"STS.", "alibaba-key-id", alnum, 16, 0},
	{"SWMKEY-1-", "docker-token", base64, 40, 0}, {"SWMTKN-1-", "docker-token", url, 60, 0}, {"_gitlab_session=", "gitlab-token", alnum, 20, 0}, {"api_live.", "onfido-token", dots, 18, 0}, {"api_live_ca.", "onfido-token", dots, 18, 0}, {"api_live_us.", "onfido-token", dots, 18, 0},
	{"api_sandbox.", "onfido-token", dots, 18, 0}, {"api_sandbox_ca.", "onfido-token", dots, 18, 0}, {"api_sandbox_us.", "onfido-token", dots, 18, 0}, {"apikey_", "rainforest-key", lowHex, 60, 0}, {"apk_user_", "devin-key", base64, 80, 0}, {"apk_", "devin-key", base64, 60, 0}, {"cog_", "devin-key", alnum, 48, 0},
	{"authress_", "authress-key", dots | base64, 50, 0}, {"ext_", "authress-key", dots | base64, 50, 0}, {"sc_", "authress-key", dots | base64, 50, 0}, {"scauth_", "authress-key", dots | base64, 50, 0}, {"bkct_", "buildkite-token", url, 40, 0}, {"bkps_", "buildkite-token", url, 40, 0}, {"bkaj_", "buildkite-token", url, 40, 0},
	{"cli_", "lark-key", alnum, 16, 16}, {"cnvca", "canva-secret", url, 48, 0}, {"configcat-sdk-1/", "configcat-key", url | base64, 40, 0}, {"csa_", "cloudsmith-key", alnum, 36, 0}, {"csk-", "cerebras-key", alnum, 44, 0}, {"db-", "databento-key", alnum, 29, 29}, {"dvc_client_", "devcycle-key", url, 8, 0}, {"dvc_mobile_", "devcycle-key", url, 8, 0}, {"dvc_server_", "devcycle-key", url, 8, 0},
	{"endr+", "endor-key", url, 16, 0}, {"essu_", "elastic-key", url | base64, 40, 0}, {"ico-", "infracost-key", alnum, 32, 32}, {"ion_", "ionic-token", alnum, 40, 0}, {"lip_", "lichess-token", url, 16, 0}, {"mdb_sa_id_", "mongodb-key", alnum, 24, 24}, {"mercury_production_", "mercury-token", url, 40, 0}, {"mergify_application_key_", "mergify-key", url, 40, 0}, {"mlsn.", "mailersend-token", alnum, 30, 0},
	{"os_v2_", "onesignal-key", url, 90, 0}, {"pat.", "harness-key", dots, 60, 0}, {"sat.", "harness-key", dots, 60, 0}, {"pat", "airtable-token", dots, 79, 79}, {"pdl_live_apikey_", "paddle-key", url, 40, 0}, {"pdl_sdbx_apikey_", "paddle-key", url, 40, 0}, {"persona_production_", "persona-key", url, 18, 0}, {"persona_sandbox_", "persona-key", url, 18, 0}, {"pina_", "pinterest-token", url, 20, 0},
	{"pk.eyJ", "mapbox-token", dots, 60, 0}, {"sk.eyJ", "mapbox-token", dots, 60, 0}, {"pk_", "klaviyo-key", alnum, 34, 34}, {"polar_at_", "polar-token", url, 18, 0}, {"polar_oat_", "polar-token", url, 18, 0}, {"polar_pat_", "polar-token", url, 18, 0}, {"prf_cli_", "proof-key", url, 16, 0}, {"prf_", "proof-key", url, 20, 0},
	{"ramp_id_", "ramp-key", alnum, 36, 0}, {"ramp_sec_", "ramp-key", alnum, 40, 0}, {"rnd_", "render-key", alnum, 26, 0}, {"rpa_", "runpod-key", alnum, 28, 0}, {"samsara_api_", "samsara-token", alnum, 24, 0}, {"shippo_", "shippo-token", url, 40, 0}, {"tss_", "thunderstore-token", url, 20, 0}, {"ucat_", "upcloud-token", alnum, 20, 0}, {"unkey_", "unkey-key", alnum, 16, 0}, {"vtwn_", "valtown-token", url, 18, 0},
	{"wrka", "workato-token", dots, 80, 0}, {"xoxc-", "slack-token", url, 40, 0}, {"EXO", "exoscale-key", alnum, 24, 24}, {"BSA", "brave-key", url, 24, 28}, {"s.", "vault-token", alnum, 24, 24}, {"sk-api-", "minimax-key", url, 60, 0}, {"eu1.", "fullstory-key", alnum, 20, 0}, {"na1.", "fullstory-key", alnum, 20, 0},
	{"lsk_live_", "lob-key", lowHex, 30, 0}, {"live_", "lob-key", lowHex, 35, 35}, {"test_", "lob-key", lowHex, 35, 35}, {"Mid-server-", "midtrans-key", url, 16, 0}, {"SB-Mid-server-", "midtrans-key", url, 16, 0}, {"ory_at_", "ory-token", url, 30, 0}, {"ory_rt_", "ory-token", url, 30, 0}, {"ory_st_", "ory-token", url, 20, 0},
	{"LIVEKIT", "livekit-key", alnum, 20, 0}, {"esecret_", "anyscale-key", alnum, 20, 0}, {"fal_", "fal-key", url, 30, 0}, {"ctx7sk-", "context7-key", url, 30, 0}, {"sdk-", "launchdarkly-key", url, 36, 36}, {"api-", "launchdarkly-key", url, 36, 36}, {"mob-", "launchdarkly-key", url, 36, 36},
	{"VF.DM.", "voiceflow-key", dots, 40, 0}, {"hcaptcha_", "hcaptcha-key", alnum, 30, 0}, {"0x4AAAA", "turnstile-key", url, 25, 0}, {"pk_live_", "clerk-key", base64, 40, 0}, {"tvly-", "tavily-key", url, 30, 0}, {"exa_", "exa-key", url, 30, 0}, {"jina_", "jina-key", url, 50, 0}, {"e2b_", "e2b-key", lowHex, 40, 0},
	{"dsk-", "deepset-key", url, 40, 0}, {"AP", "artifactory-token", alnum, 9, 0}, {"hops_", "hop-token", alnum, 30, 0}, {"ptr_", "portainer-token", base64, 40, 0}, {"co_", "cohere-key", alnum, 38, 42}, {"ZXlK", "jwt", base64, 80, 0}, {"mdb_sa_sk_", "mongodb-key", url, 40, 0}, {"xoxd-", "slack-token", base64 | url | percent, 40, 0}, {"v1.0-", "cloudflare-key", url, 146, 0},
}

// fits reports whether what follows the prefix can be a token: with a short prefix
// it has to look drawn by chance, a long one or a fixed length says enough.
func (r *tokenRule) fits(v string) bool {
	switch {
	case strings.HasSuffix(v, "EXAMPLE") || strings.Contains(v, "EXAMPLEEXAMPLE") || strings.HasPrefix(v, "xxxxxxxx") && len(r.prefix) > 3:
		return false
	case r.prefix == "s.": // also what comes after a variable of that name
		return hasDigit(v) && random(v) && !pronounceable(v)
	case len(r.prefix) > 3 && strings.Trim(v, "xX") == "":
		return false
	case r.kind == "artifactory-token":
		return r.prefix != "AP" || alphabets[v[0]]&lowHex != 0 && !(v[0] >= 'a' && v[0] <= 'f')
	case r.min == r.max || len(r.prefix) >= 7:
		return true
	}
	return drawn(v)
}

// discordAt finds a Discord bot's token around its first dot: 24 to 26, 6, and 27 or
// more characters.
func discordAt(s string, i, last int) (start, end int, kind string) {
	if i < 24 || i+34 > len(s) || s[i+7] != '.' {
		return 0, 0, ""
	}
	start = i
	for start > last && i-start < 27 && alphabets[s[start-1]]&url != 0 {
		start--
	}
	if n := i - start; n < 24 || n > 26 || strings.IndexByte("MNO", s[start]) < 0 {
		return 0, 0, ""
	}
	end = i + 8
	for end < len(s) && (alphabets[s[end]]&url != 0 || s[end] == '!') {
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
		if alphabets[c]&alnum == 0 {
			return 0, 0, ""
		}
	}
	end = i + len(".atlasv1.")
	for end < len(s) && alphabets[s[end]]&(url|base64) != 0 {
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
	for end < len(s) && (alphabets[s[end]]&dots != 0 || s[end] == '~') {
		end++
	}
	if n := end - i - 1; n < 31 || n > 34 {
		return 0, 0, ""
	}
	return i - 5, end, "azure-secret"
}

// drawn reports whether what follows a prefix looks drawn by chance: words with
// separators do not.
func drawn(v string) bool {
	var seen [256]bool
	different := 0
	for i := range len(v) {
		if !seen[v[i]] {
			seen[v[i]] = true
			different++
		}
	}
	if different < 5 {
		return false
	}
	return hasDigit(v) || !pronounceable(v) || len(v) >= 20 && strings.IndexByte(v, '-') < 0 && strings.IndexByte(v, '_') < 0
}

// jwtEnd is the end of a JSON web token (RFC 7519) or encryption (RFC 7516) that
// begins at i: two to five parts in base64url, the first one a JSON object.
func jwtEnd(s string, i int) int {
	if !strings.HasPrefix(s[i:], "eyJ") && !strings.HasPrefix(s[i:], "ey0") {
		return 0
	}
	parts, p, partStart := 1, i, i
	for ; p < len(s); p++ {
		if alphabets[s[p]]&url != 0 || s[p] == '=' || s[p] == '\\' && p+1 < len(s) && s[p+1] == '.' {
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
