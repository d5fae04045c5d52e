// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import "strings"

// The set "eight" is of a seventh author who has seen neither the rules nor the other sets. Rules were made for
// half 1 of it; of half 0 only totals were looked at.
func init() {
	freshSets["eight"] = &reviewSet{dir: "testdata/fresh/eight/", labelled: 81, traffic: 82, alone: true,
		secretNames: map[string][]string{
			"pw": {"password", "db password", "admin password", "smtp password", "root password", "user password",
				"redis password", "keystore password", "ssh passphrase", "passphrase", "vpn password",
				"ldap bind password",
				"ftp password", "mysql root password", "proxy password", "backup password", "postgres password"},
			"tok": {"api key", "access token", "client secret", "refresh token", "webhook secret", "auth token",
				"signing key", "bot token", "deploy token", "personal access token", "api token", "app secret",
				"service token", "session token", "encryption key", "private token", "jwt secret", "secret key"},
		},
		words: strings.Fields("sparrow velvet thunder quartz saffron glacier tundra pepper willow cobalt ember marble " +
			"juniper walnut canyon breeze"),
		users: strings.Fields("jkowalski mhansen tbauer lchen nokafor rsilva appuser reporting svcbackup cibot deployer " +
			"pmartin kyilmaz dbowner readonly hsorensen"),
		password: (*review).password8, token: (*review).token8}
}

// password8 draws a password: half as people make them, half from managers and services.
func (r *review) password8() string {
	const lower = "abcdefghijkmnopqrstuvwxyz"
	text := r.text.String()
	word := func() string { return r.words[r.IntN(len(r.words))] }
	digits := func(n int) string { return r.randomText(n, "0123456789") }
	year := func() string { return r.pick("1984", "1991", "1997", "2003", "2019", "2022", "2023", "2024", "2025") }
	// Signs: the harmless ones anywhere, the others only between quotes, and no & in markup.
	sign := func() string {
		if r.quoted() {
			return r.pick("!", "@", "#", "?", "*", "%", "+", "_", "!")
		}
		return r.pick("!", "_", "!")
	}
	signs := "-_.!"
	if r.quoted() {
		signs = "!@#%^*?-_=+.~"
		if !strings.Contains(text, "<") {
			signs += "&"
		}
		if strings.HasSuffix(text, "'") {
			signs += "$"
		}
	}
	// What a known program makes.
	tail := text
	if len(tail) > 160 {
		tail = tail[len(tail)-160:]
	}
	switch {
	case strings.Contains(tail, "Jenkins"):
		return r.hex(32)
	case strings.Contains(tail, "argocd"):
		return r.randomText(15, letters62) + digits(1)
	case strings.Contains(tail, "elastic user"):
		return r.randomText(9, letters62) + r.pick("*", "+", "-", "_", "=") + r.randomText(9, letters62) + digits(1)
	case strings.Contains(tail, "random_password"):
		return r.randomText(19, letters62) + digits(1)
	case strings.Contains(tail, "GENERATED ROOT PASSWORD"):
		return r.randomText(31, letters62) + digits(1)
	case strings.Contains(tail, "Passcode"):
		return digits(6) + r.pick("", "1") + r.randomText(3, letters62)
	}
	switch r.IntN(18) {
	// People.
	case 0:
		return capital(word()) + year() + sign()
	case 1:
		return capital(word()) + digits(4)
	case 2:
		return word() + digits(2) + r.pick("-", ".", "_", sign()) + capital(word())
	case 3:
		return capital(word()) + r.pick("-", ".", "_", sign()) + capital(word()) + digits(1)
	case 4: // letters replaced by digits
		s := strings.NewReplacer("a", "4", "e", "3", "i", "1", "o", "0").Replace(word())
		return capital(s) + sign() + digits(3)
	case 5: // keyboard rows
		return r.pick("qwertz", "Qwerty", "asdfgh", "Yxcvbn", "1q2w3e4r") + digits(3) + sign()
	case 6: // season or city and year
		return r.pick("Summer", "Winter", "Spring", "Herbst", "London", "Berlin", "Madrid", "Welcome") + sign() +
			year()
	case 7: // initials and a date
		return capital(r.randomText(3, lower)) + "-" + r.pick("0", "1", "2") + r.randomText(1, "123456789") + "." +
			r.pick("01", "03", "04", "06", "07", "09", "11", "12") + "." + year()
	case 8: // the first letters of a sentence
		return capital(r.randomText(4, lower)) + digits(1) + r.randomText(5, lower) + sign()
	// Managers.
	case 9:
		return r.randomText(7, letters62) + r.randomText(1, signs) + r.randomText(6, letters62+signs) + digits(1) +
			r.randomText(5, letters62)
	case 10: // iCloud keychain
		return r.randomText(6, lower) + "-" + r.randomText(3, lower) + digits(1) + r.randomText(2, lower) + "-" +
			capital(r.randomText(6, lower))
	case 11: // passphrases
		return capital(word()) + "-" + capital(word()) + digits(1) + "-" + capital(word())
	case 12:
		return word() + "." + word() + "." + word() + "." + word()
	case 13:
		return r.randomText(11, letters62+signs) + digits(1) + r.randomText(12, letters62)
	// Services and shell one-liners.
	case 14: // pwgen
		return r.randomText(6, letters62) + digits(1) + r.randomText([]int{3, 5, 9}[r.IntN(3)], letters62)
	case 15:
		return r.hex([]int{16, 24, 32}[r.IntN(3)])
	case 16: // openssl rand -base64, cut
		return r.randomText(20, letters62) + digits(1) + r.randomText(3, letters62)
	default: // first password of a host
		return capital(r.randomText(4, lower)) + digits(4) + sign()
	}
}

// token8 draws a token in the form of the issuer that the text before it names, else in a usual form.
func (r *review) token8() string {
	const (
		base64    = letters62 + "+/"
		base64url = letters62 + "-_"
		small     = "abcdefghijklmnopqrstuvwxyz0123456789"
	)
	text := r.text.String()
	ends := func(a ...string) bool {
		for _, s := range a {
			if strings.HasSuffix(text, s) || strings.HasSuffix(text, s+`"`) || strings.HasSuffix(text, s+`'`) {
				return true
			}
		}
		return false
	}
	tail := text
	if len(tail) > 120 {
		tail = tail[len(tail)-120:]
	}
	tail = strings.ToLower(tail)
	has := func(s string) bool { return strings.Contains(tail, s) }
	encoded := func(s string) string { // base64 of a short text
		const abc = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
		out := ""
		for i := 0; i < len(s); i += 3 {
			n, v := 0, 0
			for j := 0; j < 3; j++ {
				v <<= 8
				if i+j < len(s) {
					v |= int(s[i+j])
					n++
				}
			}
			for j := 0; j < 4; j++ {
				if j <= n {
					out += string(abc[v>>(18-6*j)&63])
				} else {
					out += "="
				}
			}
		}
		return out
	}
	uuid := func() string {
		return r.hex(8) + "-" + r.hex(4) + "-4" + r.hex(3) + "-" + r.pick("8", "9", "a", "b") + r.hex(3) + "-" +
			r.hex(12)
	}
	jwt := func() string {
		claims := `{"sub":"` + uuid() + `","iat":17` + r.randomText(8, "0123456789") + `,"exp":17` + r.randomText(8,
			"0123456789") +
			r.pick(`}`, `,"scope":"read"}`, `,"role":"admin"}`)
		claims = strings.NewReplacer("=", "", "+", "-", "/", "_").Replace(encoded(claims))
		if r.IntN(3) == 0 {
			return "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9." + claims + "." + r.randomText(342, base64url)
		}
		return "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9." + claims + "." + r.randomText(43, base64url)
	}
	switch {
	case ends("Basic ", `"auth": `):
		return encoded(r.users[r.IntN(len(r.users))] + ":" + capital(r.words[r.IntN(len(r.words))]) + r.hex(6))
	case ends("aws_secret_access_key ", "aws_secret_access_key=", "aws_secret_access_key = ",
		"AWS_SECRET_ACCESS_KEY=", "AWS Secret Access Key [None]: ",
		`"SecretAccessKey": `, "<SecretAccessKey>"), has("akia"):
		return r.randomText(12, letters62) + r.pick("/", "+", r.randomText(1, letters62)) + r.randomText(27,
			letters62)
	case ends("Unseal Key 1: "):
		return r.randomText(43, base64) + "="
	case ends("Initial Root Token: ", "x-vault-token' => "), has("token_accessor"), has("key                  value"):
		return "hvs." + r.randomText(24, letters62)
	case ends("AccountKey="):
		return r.randomText(86, base64) + "=="
	case ends("SharedAccessKey="):
		return r.randomText(43, base64) + "="
	case ends("sig="):
		return r.randomText(42, letters62) + r.pick("s", "8", "c") + "%3D"
	case ends("DD-API-KEY: ", "Ocp-Apim-Subscription-Key: ", "appid="):
		return r.hex(32)
	case ends("DD-APPLICATION-KEY: "):
		return r.hex(40)
	case ends("/lab?token=", "/tree?token="):
		return r.hex(48)
	case has("kubeadm join"):
		return r.randomText(6, small) + "." + r.randomText(16, small)
	case ends("PHPSESSID="):
		return r.randomText(26, small)
	case ends("JSESSIONID="):
		return strings.ToUpper(r.hex(32))
	case ends("connect.sid="):
		return "s%3A" + r.randomText(32, base64url) + "." + r.randomText(43, letters62)
	case ends("sessionid=", `"sessionid", "value": `):
		return r.randomText(32, small)
	case ends("laravel_session="):
		return "eyJpdiI6Ik" + r.randomText(120, letters62) + "In0%3D"
	case has("csrf"):
		return r.randomText(32, letters62)
	case has("anthropic"):
		return "sk-ant-api03-" + r.randomText(93, base64url) + "AA"
	case has("openai"), has("incorrect api key provided"):
		return "sk-proj-" + r.randomText(74, base64url) + "T3BlbkFJ" + r.randomText(74, base64url)
	case has("stripe"):
		return r.pick("sk_test_", "sk_live_", "rk_live_") + r.randomText(24, letters62)
	case has("private-token"), has("gitlab."):
		return "glpat-" + r.randomText(20, base64url)
	case has("_authtoken"):
		return "npm_" + r.randomText(36, letters62)
	case has("[pypi]"):
		return "pypi-AgEIcHlwaS5vcmc" + r.randomText(150, base64url)
	case has("github"), has("ghcr.io"), has("'token "):
		return r.pick("ghp_", "gho_") + r.randomText(36, letters62)
	case has("nuget"):
		return "oy2" + r.randomText(43, small)
	case has("firebase"):
		return "AIza" + r.randomText(35, base64url)
	case has("accounts.google.com"):
		return "GOCSPX-" + r.randomText(28, base64url)
	case has("secrettext"), has("create-for-rbac"):
		return r.randomText(3, letters62) + "8Q~" + r.randomText(34, base64url)
	case has("opsgenie"):
		return uuid()
	case has("api/prom/push"):
		return "glc_eyJvIjoi" + r.randomText(110, letters62)
	case has("cloudflare"):
		return r.randomText(40, base64url)
	case has("vercel"):
		return r.randomText(24, letters62)
	case ends("Bearer ", "access_token=", `"access_token":`, `"Bearer", `) && r.IntN(2) == 0:
		return jwt()
	}
	switch r.IntN(13) {
	case 0:
		return r.hex(32)
	case 1:
		return r.hex(40)
	case 2:
		return r.hex(64)
	case 3:
		return r.randomText(32, letters62)
	case 4:
		return r.randomText(40, letters62)
	case 5: // secrets.token_urlsafe(32)
		return r.randomText(1, letters62) + r.randomText(41, base64url) + r.randomText(1, letters62)
	case 6:
		return uuid()
	case 7: // a service's own prefix
		return r.pick("tk_", "key-", "pat_", "whsec_", "api_", "s-") + r.randomText(28, letters62)
	case 8:
		return r.words[r.IntN(len(r.words))] + r.pick("_live_", "_prod_", "_sk_") + r.randomText(24, letters62)
	case 9: // base64 of 32 bytes where it does no harm
		if r.quoted() {
			return r.randomText(43, base64) + "="
		}
		return r.randomText(43, letters62)
	case 10:
		return r.randomText(20, small)
	case 11:
		return strings.ToUpper(r.randomText(4, letters62) + "-" + r.randomText(4, letters62) + "-" + r.randomText(4,
			letters62) + "-" + r.hex(4) + "-" + r.hex(4))
	default:
		return r.randomText(8, letters62) + "." + r.randomText(32, base64url)
	}
}
