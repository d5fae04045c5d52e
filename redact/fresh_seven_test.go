// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"strconv"
	"strings"
)

// The set "seven" is of a sixth author who has seen neither the rules nor the other sets, and who wrote forms in
// proportion to how often agents meet them. When rules had been made for half 1 of it, half 0 had these totals: labelled
// 98.3 %, tables 100 %, bare 100 %, personal data 95.8 %, harmless texts harmed 1.0 %. Rules have followed it since.
func init() {
	freshSets["seven"] = &reviewSet{dir: "testdata/fresh/seven/", labelled: 71, traffic: 72, alone: true,
		secretNames: map[string][]string{
			"pw": {"password", "db password", "user password", "admin password", "root password", "database password",
				"smtp password", "login password", "mysql password", "postgres password", "redis password",
				"passphrase",
				"service password", "default password", "master password", "proxy password", "ftp password",
				"keystore password"},
			"tok": {"api key", "api token", "access token", "secret key", "client secret", "auth token",
				"refresh token",
				"bearer token", "webhook secret", "api secret", "jwt secret", "session token", "private token",
				"deploy token", "signing key", "bot token", "personal access token", "app secret"},
		},
		words: strings.Fields("harbor lantern copper meadow pixel falcon orbit maple river tundra velvet walnut " +
			"compass glacier saffron beacon"),
		users: strings.Fields("jdoe admin deploy mkramer svc_backup anna appuser tlopez root priyan webmaster " +
			"jenkins kowalski readonly sarah reporting"),
		password: (*review).password7, token: (*review).token7}
}

// password7 draws a password as people, password managers and services make them.
func (r *review) password7() string {
	word := func() string { return r.pick(r.words...) }
	signs := "!-_*"
	if r.quoted() {
		signs = "!@#%^*-_=+?~"
	}
	sign := func() string { return r.randomText(1, signs) }
	leet := strings.NewReplacer("a", "4", "e", "3", "i", "1", "o", "0")
	switch r.IntN(16) {
	case 0, 1: // Falcon1987!
		return capital(word()) + strconv.Itoa(1960+r.IntN(66)) + r.pick("", "!", "!", "_")
	case 2: // word42word
		return word() + strconv.Itoa(10+r.IntN(90)) + r.pick(word(), capital(word()))
	case 3: // Harbor!23
		return capital(word()) + sign() + strconv.Itoa(100+r.IntN(900))
	case 4: // l4nt3rn_77
		return leet.Replace(word()) + r.pick("_", "-", "!") + strconv.Itoa(10+r.IntN(90))
	case 5: // season or company and year
		return r.pick("Summer", "Winter", "Spring", "Autumn", "Welcome", "Monday", "Berlin", "Liverpool", "Sommer",
			"Dragon") +
			strconv.Itoa(2018+r.IntN(9)) + r.pick("!", "!!", "_", "*")
	case 6: // what stands in test set-ups
		if r.quoted() {
			return r.pick("P@ssw0rd", "Passw0rd!", "Pa55w0rd#", "S3cr3t@", "Ch4ngeMe!", "Adm1n@") +
				strconv.Itoa(10+r.IntN(9990))
		}
		return r.pick("Passw0rd", "Pa55word", "S3cr3tPw", "Ch4ngeMe", "Adm1nPass", "letme1n_", "Qwertz", "qwerty_") +
			strconv.Itoa(10+r.IntN(9990)) + r.pick("", "!")
	case 7: // passphrase of a manager: copper-Orbit7-maple-river
		sep := r.pick("-", "-", "_", ".")
		return word() + sep + capital(word()) + strconv.Itoa(r.IntN(10)) + sep + word() + sep + word()
	case 8: // passphrase: Velvet-Walnut-Beacon-58
		sep := r.pick("-", "_", "-")
		return capital(word()) + sep + capital(word()) + sep + capital(word()) + sep + strconv.Itoa(1+r.IntN(99))
	case 9: // Apple: kuvsi3-Moxnyt-badwic
		const lower = "bcdfghjkmnpqrstvwxyzaeiou"
		return r.randomText(5, lower) + strconv.Itoa(r.IntN(10)) + "-" + r.randomText(1, "BCDFGHJKMNPQRSTVWXYZ") +
			r.randomText(5, lower) + "-" + r.randomText(6, lower)
	case 10: // manager, letters and digits
		return r.randomText(13+r.IntN(8), letters62) + strconv.Itoa(r.IntN(10)) + r.randomText(1, letters62)
	case 11, 12: // manager, with signs
		return r.randomText(3+r.IntN(4), letters62) + sign() + r.randomText(3+r.IntN(4), letters62) + sign() +
			strconv.Itoa(r.IntN(10)) + r.randomText(3+r.IntN(5), letters62)
	case 13: // a service's temporary password
		return r.randomText(4, "ABCDEFGHJKLMNPQRSTUVWXYZ") + r.randomText(4, "abcdefghjkmnpqrstuvwxyz") +
			strconv.Itoa(10+r.IntN(90)) + r.pick("", "!")
	case 14: // openssl rand -hex, chart's default
		if r.IntN(2) == 0 {
			return r.hex(14+2*r.IntN(6)) + strconv.Itoa(r.IntN(10)) + r.hex(1)
		}
		return r.randomText(9, letters62) + strconv.Itoa(r.IntN(10))
	}
	// a name with digits
	return r.pick("jonas", "Sophie", "marco", "Elena", "tobias", "Kasia", "lucas", "Maria", "stefan", "Chloe") +
		r.pick("", "_", "-") + r.pick(word(), "") + strconv.Itoa(1000+r.IntN(9000))
}

// token7 draws a token as services make them; where the text before names the
// issuer, in the issuer's form.
func (r *review) token7() string {
	const (
		lower36 = "abcdefghijklmnopqrstuvwxyz0123456789"
		url64   = letters62 + "-_"
	)
	b64 := func(n int) string { // base64 text of n letters
		if r.quoted() {
			return r.randomText(n/2, letters62) + r.pick("+", "/", r.randomText(1, letters62)) + r.randomText(n-n/2-1,
				letters62)
		}
		return r.randomText(n, letters62)
	}
	before := r.text.String()
	if len(before) > 90 {
		before = before[len(before)-90:]
	}
	before = strings.ToLower(before)
	has := func(a ...string) bool {
		for _, s := range a {
			if strings.Contains(before, s) {
				return true
			}
		}
		return false
	}
	switch {
	case strings.HasSuffix(before, "basic ") || strings.HasSuffix(before, "\"auth\":\""):
		return r.randomText(4*(6+r.IntN(5))-2, letters62) + r.pick("==", "Q=", "MQ", "IQ")
	case has("accountkey=", "azure.account.key"):
		return r.randomText(86, letters62) + "=="
	case has("secret_access_key", "secretaccesskey", "aws_secret", ", secret '"):
		return b64(40)
	case has("sessiontoken"):
		return "IQoJb3JpZ2luX2Vj" + r.randomText(200+r.IntN(80), letters62)
	case has("phpsessid"):
		return r.randomText(26, lower36)
	case has("jsessionid"):
		return strings.ToUpper(r.hex(32))
	case has("connect.sid"):
		return "s%3A" + r.randomText(32, letters62) + "." + r.randomText(43, letters62)
	case has("sig="):
		return r.randomText(43, letters62) + "%3D"
	case has("csrf", "authenticity_token", "{\"_token\":\""):
		return r.randomText([]int{32, 40, 64, 86}[r.IntN(4)], letters62)
	case has("_authtoken", "npmauthtoken", "npm publish", "node_auth_token"):
		return "npm_" + r.randomText(36, letters62)
	case has("gitlab", "private-token"):
		return "glpat-" + r.randomText(20, letters62)
	case has("github", "gh auth", "gh secret", "actions/checkout"):
		return r.pick("ghp_"+r.randomText(36, letters62), "github_pat_"+r.randomText(22,
			letters62)+"_"+r.randomText(59, letters62), "gho_"+r.randomText(36, letters62))
	case has("stripe_webhook_secret"):
		return "whsec_" + r.randomText(32, letters62)
	case has("stripe"):
		return r.pick("sk_live_", "sk_test_") + "51" + r.randomText(97, letters62)
	case has("openai"):
		return "sk-proj-" + r.randomText(74, letters62) + "T3BlbkFJ" + r.randomText(74, letters62)
	case has("hf_login"):
		return "hf_" + r.randomText(34, letters62)
	case has("vault"):
		return "hvs." + r.randomText(90, url64) + r.randomText(5, letters62)
	case has("pypi", "__token__"):
		return "pypi-AgEIcHlwaS5vcmc" + r.randomText(150, letters62)
	case has("gcloud"):
		return "ya29." + r.randomText(2, letters62) + "0A" + r.randomText(140, letters62)
	case has("az login", "appid"):
		return r.randomText(3, letters62) + "8Q~" + r.randomText(34, letters62)
	case has("sonar"):
		return r.pick("squ_", "sqp_") + r.hex(40)
	case has("routing_key"):
		return r.hex(32)
	}
	switch r.IntN(14) {
	case 0, 1:
		return r.hex(32)
	case 2:
		return r.hex(40)
	case 3:
		return r.hex(64)
	case 4: // a JSON web token
		return "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIx" + r.randomText(70+r.IntN(90), letters62) + "." +
			r.randomText(43, letters62)
	case 5: // a UUID as a key
		return r.hex(8) + "-" + r.hex(4) + "-4" + r.hex(3) + "-a" + r.hex(3) + "-" + r.hex(12)
	case 6: // a house prefix
		return r.pick("tk_", "key_", "api_", "pat_", "sk_", "app_", "tok_", "sec_") + r.randomText(24+r.IntN(20),
			letters62)
	case 7:
		return r.pick("sk_live_", "live_", "prod_", "test_") + r.hex(32)
	case 8: // base64 of 32 bytes
		return b64(42) + r.pick("8=", "k=", "Q=")
	case 9: // secrets.token_urlsafe(32)
		return r.randomText(20, letters62) + r.pick("-", "_") + r.randomText(22, letters62)
	case 10:
		return r.randomText(20+r.IntN(6), lower36) + strconv.Itoa(r.IntN(10))
	case 11: // in two parts
		return r.randomText(8+r.IntN(8), letters62) + "." + r.randomText(24+r.IntN(24), letters62)
	}
	return r.randomText(24+r.IntN(25), letters62) + strconv.Itoa(r.IntN(10))
}
