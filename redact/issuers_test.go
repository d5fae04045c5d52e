// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"math/rand/v2"
	"strings"
	"testing"
)

const (
	hexes   = "0123456789abcdef"
	letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	base58s = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
)

// TestIssuersForms draws secrets of issuers, each in its published form, and forms that carry one. In a form
// '%' stands for the secret.
func TestIssuersForms(t *testing.T) {
	random := rand.New(rand.NewPCG(25, 10))
	draw := func(alphabet string, n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = alphabet[random.IntN(len(alphabet))]
		}
		return string(b)
	}
	for _, c := range []struct {
		name, form, alphabet string
		n                    int
	}{
		{"Helicone", "sk-helicone-%", "abcdefghijklmnopqrstuvwxyz234567", 32},
		{"Voyage", "pa-%", letters, 43},
		{"Modal", "ak-%", letters, 22},
		{"Modal's secret", "as-%", letters, 22},
		{"Vercel Blob", "vercel_blob_rw_%", letters, 47},
		{"Linear's webhooks", "lin_wh_%", letters, 43},
		{"Neon", "npg_%", letters, 16},
		{"Bitwarden", "BWS_ACCESS_TOKEN=0.48c78342-1635-48a6-accd-afbe01336365.%:X8vbvA0bduihIDe/qrzIQQ==", letters, 30},
		{"PASETO", "v4.local.%", letters + "-_", 80},
		{"AWS session", "AWS_SESSION_TOKEN=%", letters + "+/", 200},
		{"Asana", "ASANA_ACCESS_TOKEN=1/1199999999999999:%", hexes, 32},
		{"Salesforce", "00D5e000000abcd!AQ%", letters + "._", 94},
		{"Convex", "prod:happy-animal-123|%", letters, 60},
		{"Statsig", "secret-%", letters, 43},
		{"Infisical", "st.5d3f9a2b8c7e4f1a6b0c9d8e.%", hexes, 64},
		{"Matrix", "syt_YWxpY2U_%_0aB1cD", letters, 20},
		{"Zoho", "1000.%.0123456789abcdef0123456789abcdef", hexes, 32},
		{"Inngest", "signkey-prod-%", hexes, 64},
		{"Trigger.dev", "tr_prod_%", letters, 24},
		{"Stytch", "secret-live-%=", letters, 36},
		{"Ably", "ABLY_API_KEY=xVLyHw.aB3dEf:%", letters, 43},
		{"Sanity", "SANITY_TOKEN=sk%", letters, 178},
		{"Riot", "RGAPI-12345678-90ab-cdef-1234-%", hexes, 12},
		{"Replit", "replit_%", letters, 40},
		{"xprv", "xprv%", base58s, 107},
		{"Wi-Fi", "WIFI:S:home;T:WPA;P:%;;", letters, 12},
		{"wpa_supplicant", "psk=\"%\"", letters, 14},
		{"Azure Functions", "https://f.azurewebsites.net/api/x?code=%==", letters, 54},
		{"ODBC", "Driver={SQL};Server=db;Uid=app;Pwd={%};", letters, 14},
		{"Digest", `Authorization: Digest username="a", response="%"`, hexes, 32},
		{"AWS's CSV", "Access key ID,Secret access key\n" + "AKIA" + "Q3EGRTYUI5ABC2DE,%", letters + "+/", 40},
		{"curl", "curl --user=ann:% https://example.com", letters, 14},
		{"German", "Passwort: %", letters, 12},
		{"Russian", "пароль: %", letters, 12},
		{"Japanese", "パスワード：%", letters, 12},
		{"full width", "password：%", letters, 12},
		{"glued to a word", "tokenghp_%", letters, 36},
	} {
		for range 5 {
			secret := draw(c.alphabet, c.n-2) + "7" + draw(c.alphabet, 1)
			text := strings.Replace(c.form, "%", secret, 1)
			for _, in := range []string{text, "see " + text + "\nand more\n"} {
				if out, _ := Default().Text(in); strings.Contains(out, secret) {
					t.Errorf("%s: %q became %q", c.name, in, out)
				}
			}
		}
	}
	phrase := "seed phrase: abandon ability able about above absent absorb abstract absurd abuse access accident"
	if out, _ := Default().Text(phrase); strings.Contains(out, "absorb") {
		t.Errorf("BIP39: got %q", out)
	}
	token := "ghp_" + draw(letters, 36)
	for name, in := range map[string]string{
		"zero-width": token[:12] + "\u200b" + token[12:], "soft hyphen": token[:12] + "\u00ad" + token[12:],
		"line break": token[:20] + "\\\n" + token[20:], "entity": strings.Replace(token, "_", "&#95;", 1),
	} {
		if out, _ := Default().Text("x " + in + " y"); strings.Contains(out, token[24:]) {
			t.Errorf("%s: %q became %q", name, in, out)
		}
	}
}

// TestShortAnchorsKeep has what short prefixes and weak forms must not take.
func TestShortAnchorsKeep(t *testing.T) {
	for _, text := range []string{
		"APPLICATION_NAME APIGATEWAY10 APARTMENT12", "CAISSE_CENTRALE_DE_REASSURANCE", "EAAM_EXPORT_TABLE",
		"BSAVERAGE_OF_ALL_FIELDS_HERE",
		"ciodatamanagementservicelayer2026", "ext_customer_account_number_id", "sdk-android-release-build-tools",
		`{"order_id":"4111111111111111"}`, "ean 4006381333931", "part 123-45-6789 of the list of parts",
		"ssh deploy@host.internal", "pk_live_" + "51HxYzAbCdEfGhIjKlMnOpQr", "INSERT INTO t VALUES (N'abc')",
	} {
		if out, found := Default().Text(text); len(found) > 0 {
			t.Errorf("%q became %q", text, out)
		}
	}
}
