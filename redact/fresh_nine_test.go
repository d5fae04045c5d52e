// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"strconv"
	"strings"
)

// The set "nine" is of an eighth author who has seen neither the rules nor the other sets. No rule
// follows it: only totals were looked at.
func init() {
	freshSets["nine"] = &reviewSet{dir: "testdata/fresh/nine/", labelled: 91, traffic: 92, alone: true,
		secretNames: map[string][]string{
			"pw": {
				"password", "password", "db password", "database password", "admin password", "root password",
				"user password", "login password", "smtp password", "mysql root password", "postgres password",
				"redis password", "keystore password", "ldap bind password", "initial password", "wifi password",
				"passphrase", "passwd"},
			"tok": {
				"api key", "access token", "client secret", "secret key", "auth token", "refresh token", "token",
				"github token", "openai api key", "stripe secret key", "jwt secret", "webhook secret",
				"session token",
				"bearer token", "private token", "aws secret access key", "signing key", "app secret"},
		},
		words: strings.Fields("tundra pebble cactus rocket panther thunder biscuit granite pelican voyager cypress" +
			" bonfire nimbus juniper badger summit"),
		users: strings.Fields("admin root deploy jsmith mkowalski svc-backup app ci-bot lena.weber rgarcia postgres" +
			" reporting tnguyen ops api_user webmaster"),
		password: (*review).password9, token: (*review).token9}
}

// password9 draws a password as people, password managers and services make them.
func (r *review) password9() string {
	const lower = "abcdefghijklmnopqrstuvwxyz"
	const digits = "0123456789"
	number := func(n ...int) int { return n[r.IntN(len(n))] }
	// directly in quotes, so that signs break nothing
	text := r.text.String()
	quoted := r.quoted() && (strings.HasSuffix(text, "\"") || strings.HasSuffix(text, "'"))
	signs := "-_.!"
	if quoted {
		signs = "!@#$%^*?+=-_.,:&"
	}
	sign := func() string { return r.randomText(1, signs) }
	word := func() string { return r.pick(r.words...) }
	year := func() string { return strconv.Itoa(1975 + r.IntN(51)) }
	sure := func(v string) string {
		if !strings.ContainsAny(v, digits+signs) {
			v += strconv.Itoa(r.IntN(10))
		}
		return v
	}
	switch r.IntN(24) {
	case 0, 1, 2: // Panther2021!
		return capital(word()) + year() + r.pick("", "!", sign())
	case 3, 4: // Biscuit!47
		return capital(word()) + sign() + r.randomText(2+r.IntN(3), digits)
	case 5: // badger123
		return word() + r.pick("123", "1234", "12345", "2024", "2025", "007", "99") + r.pick("", "!")
	case 6: // user and year
		u := strings.NewReplacer(".", "", "_", "", "-", "").Replace(r.pick(r.users...))
		return capital(u) + sign() + year() + r.pick("", "x", "!")
	case 7: // letters turned into digits
		v := strings.NewReplacer("a", "4", "e", "3", "i", "1", "o", "0").Replace(word())
		return capital(v) + sign() + r.randomText(3, digits)
	case 8: // known choices
		return r.pick("Welcome", "Summer", "Winter", "Passw0rd", "Qwerty", "Admin", "Letmein", "Start") + sign() +
			r.pick("12", "123", "1234", "2024", "2025") + r.pick("", "!")
	case 9: // a service's name with the environment
		return word() + r.pick("_", "-", ".") + r.pick("prod", "dev", "staging", "db", "test") + r.pick("_", "-") +
			r.randomText(3, digits)
	case 10, 11: // passphrase of a manager
		v := capital(word()) + "-" + capital(word()) + "-" + capital(word())
		return v + r.pick("", "-") + strconv.Itoa(r.IntN(90)+1)
	case 12: // passphrase in lower case
		return word() + "-" + word() + "-" + word() + "-" + word()
	case 13: // Apple keychain
		return r.randomText(6, lower) + "-" + r.randomText(5, lower) + strconv.Itoa(r.IntN(10)) + "-" +
			capital(r.randomText(6, lower))
	case 14, 15, 16: // manager, letters and digits
		return sure(r.randomText(number(12, 15, 16, 20, 24), letters62))
	case 17, 18, 19: // manager, with signs
		return sure(r.randomText(1, lower) + r.randomText(10+r.IntN(12), letters62+signs) + r.randomText(1,
			letters62) + strconv.Itoa(r.IntN(10)))
	case 20: // helm charts, operators
		return sure(r.randomText(number(10, 16, 32), letters62))
	case 21: // openssl rand -hex
		return r.hex(number(16, 24, 32)) + strconv.Itoa(r.IntN(10))
	case 22: // openssl rand -base64
		if quoted {
			return sure(r.randomText(22, letters62+"+/") + "==")
		}
		return sure(r.randomText(22, letters62+"-_") + "a")
	default: // temporary password of a service: Xk7-mPq2-Tz94
		return r.randomText(4, letters62) + "-" + r.randomText(4, letters62) + "-" + r.randomText(3, letters62) +
			strconv.Itoa(r.IntN(10))
	}
}

// token9 draws a token as services make them; where the text before it names
// a service whose form is fixed it keeps to that form.
func (r *review) token9() string {
	const low = "abcdefghijklmnopqrstuvwxyz0123456789"
	const url = letters62 + "-_"
	number := func(n ...int) int { return n[r.IntN(len(n))] }
	// directly in quotes, so that signs break nothing
	text := r.text.String()
	quoted := r.quoted() && (strings.HasSuffix(text, "\"") || strings.HasSuffix(text, "'"))
	before := text
	if len(before) > 48 {
		before = before[len(before)-48:]
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
	end := func(a ...string) bool {
		for _, s := range a {
			if strings.HasSuffix(before, s) {
				return true
			}
		}
		return false
	}
	uuid := func() string {
		return r.hex(8) + "-" + r.hex(4) + "-4" + r.hex(3) + "-" + r.randomText(1, "89ab") + r.hex(3) + "-" +
			r.hex(12)
	}
	jwt := func() string {
		return r.pick("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9", "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9") + ".eyJ" +
			r.randomText(number(61, 88, 120, 190), url) + "." + r.randomText(number(43, 43, 86), url)
	}
	switch {
	case has("aws_secret_access_key", "secretaccesskey", "secret access key"):
		if quoted {
			return r.randomText(40, letters62+"+/")
		}
		return r.randomText(40, letters62)
	case end("authorization: basic ", "\"auth\":\""):
		return r.randomText(number(23, 27, 31, 35), letters62) + "="
	case end("private-token: ", "oauth2:"):
		return "glpat-" + r.randomText(20, url)
	case end("x-vault-token: "):
		return "hvs." + r.randomText(number(24, 95), url)
	case has("_authtoken"):
		return "npm_" + r.randomText(36, letters62)
	case has("gh auth token"), has("oauth_token"):
		return "gho_" + r.randomText(36, letters62)
	case end("x-access-token:"):
		return "ghs_" + r.randomText(36, letters62)
	case has("ghcr.io", "\"authorization\": \"token "):
		return "ghp_" + r.randomText(36, letters62)
	case has("__token__"):
		return "pypi-AgEIcHlwaS5vcmc" + r.randomText(150, url)
	case has("openai"):
		return r.pick("sk-proj-"+r.randomText(74, url)+"T3BlbkFJ"+r.randomText(74, url), "sk-"+r.randomText(20,
			letters62)+"T3BlbkFJ"+r.randomText(20, letters62))
	case has("stripe"):
		return r.pick("sk_live_", "sk_test_") + r.randomText(number(24, 99), letters62)
	case has("print-access-token"):
		return "ya29.a0" + r.randomText(160, url)
	case has("initialadminpassword", "proceed to installation"):
		return r.hex(32)
	case has("kubeadm join"):
		return r.randomText(6, low) + "." + r.randomText(16, low)
	case has("swarm join"):
		return "SWMTKN-1-" + r.randomText(50, low) + "-" + r.randomText(25, low)
	case has("hooks.slack.com"):
		return r.randomText(24, letters62)
	case has("api.telegram.org"):
		return "AA" + r.randomText(33, url)
	case end("sig="):
		return r.randomText(43, letters62) + "%3D"
	case has("8888/lab?token="):
		return r.hex(48)
	case end("sessionid=", "phpsessid="):
		return r.randomText(number(26, 32), low)
	case end("jsessionid="):
		return strings.ToUpper(r.hex(32))
	case has("csrf", "authenticity_token"):
		return r.pick(r.randomText(64, letters62), r.randomText(86, url), r.randomText(40, letters62))
	case has("ocp-apim", "dd-api-key"):
		return r.hex(32)
	}
	if end("bearer ") || has("access_token", "accesstoken", "refresh_token") && r.IntN(2) == 0 {
		if r.IntN(3) > 0 {
			return jwt()
		}
	}
	switch r.IntN(16) {
	case 0, 1:
		return r.hex(32)
	case 2:
		return r.hex(40)
	case 3:
		return r.hex(64)
	case 4, 5:
		return r.randomText(number(20, 24, 32), letters62)
	case 6:
		return r.randomText(number(40, 48, 64), letters62)
	case 7, 8:
		return r.randomText(43, url)
	case 9:
		return uuid()
	case 10:
		return jwt()
	case 11:
		return r.randomText(number(24, 32), low)
	case 12: // prefixes of known services
		return r.pick(
			"ghp_"+r.randomText(36, letters62),
			"github_pat_11A"+r.randomText(19, letters62)+"_"+r.randomText(59, letters62),
			"glpat-"+r.randomText(20, url),
			"xoxb-"+r.randomText(12, "123456789")+"-"+r.randomText(13, "123456789")+"-"+r.randomText(24, letters62),
			"sk-ant-api03-"+r.randomText(93, url)+"AA",
			"hf_"+r.randomText(34, letters62),
			"SG."+r.randomText(22, url)+"."+r.randomText(43, url))
	case 13: // a prefix of a smaller service
		return r.pick(r.words...) + r.pick("_live_", "_test_", "_sk_", "_pat_", "_") + r.randomText(number(24, 32,
			40), letters62)
	case 14: // two parts
		return r.randomText(number(8, 12), low) + "." + r.randomText(number(24, 32), letters62)
	default:
		if quoted {
			return r.randomText(43, letters62+"+/") + "="
		}
		return r.randomText(number(22, 32, 44), letters62)
	}
}
