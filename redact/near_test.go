// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestNear: on the line of a name, what can only be a secret is one. PW stands for a password that a user made up, TOK
// for what is drawn by chance, HEX for what may be an id.
func TestNear(t *testing.T) {
	m := maker{rand.New(rand.NewPCG(51, 23))}
	texts := func(list []string) (out []string) {
		for _, text := range list {
			out = append(out, strings.NewReplacer("PW", "Ember"+m.randomText(4, "23456789")+"!",
				"TOK", m.randomText(26, letters62)+m.randomText(2, "23456789"),
				"HEX", m.randomText(40, "0123456789abcdef")).Replace(text))
		}
		return out
	}
	removedFrom(t, texts([]string{
		"the api key that you asked for, as agreed with Jana: it stays valid until friday, TOK",
		`{"content":"the api key that you asked for stays valid until friday, TOK"}`,
		"cloudflared service install TOK # connector token", "Le jeton d'accès TOK expire demain.",
		"typed 'PW' into <input type=\"password\" name=\"pass\"> (index 7)",
		"[17]<input type=password name=password placeholder=Password value=PW />",
		"Use jana / PW as login and password for staging.", "Thought: the config lists password PW, I will try it.",
		"enter the BIOS password (PW) and press F10", `client.login("HEX"); // discord bot token`,
		`UserDefaults.standard.set("HEX", forKey: "accessToken")`,
		`{"Target":"css=input[name=\"db_password\"]","Command":"type","Value":"PW"}`,
		"+      - name: REDIS_PASSWORD\n+        value: PW", "HGETALL user:7\n1) \"name\"\n2) \"ann\"\n3) \"password\"\n4) \"PW\"",
		"localStorage.getItem('access_token')\n'TOK'",
		`[{"keyName":"key1","permissions":"FULL","value":"HEX"}]`, "password=compass.Meadow4.maple.harbor",
		"WARN Property 'service.password' is set to 'compass45beacon' in plain text", "Password provvisoria: PW",
		"Mark: what's the Ftp password again?\nAnn: PW", "Default login: admin / walnut28Walnut (password in seeds.ts)",
		"##[debug]Evaluating: env.SECRET_KEY\n##[debug]=> 'HEX'", "PGPASSWORD=walnut96.Marble psql -h db",
		"mysqldump --password=Marble.Sparrow9 db", "password: Tundra.Canyon2",
		"Password for the elastic user (reset with `bin/reset -u elastic`):\n  PW\n\nNext steps:",
	})...)
	kept(t, texts([]string{
		`{"msg":"token invalid","ids":["TOK"]}`, `{"msg":"password changed","request_id":"TOK","trace":"TOK"}`,
		"password reset requested for user u_83hd83hd82hdk3920dk3", "Reset token sent to user TOK",
		"secret rotated, version TOK", "INFO api key created id TOK for org",
		"the password of deployment web-7d9f8b6c5d-x2k4q was rotated",
		"password rotated in pod payments-api-6c9f77d4b8-zx7vq by vault-agent-7b6c5d4f3-abcde",
		"error: invalid password hash algorithm 'argon2id-v19-m65536'", "the token was issued at 1690466842.2161960.0",
		"fatal: could not read Password for commit HEX", "jsonwebtoken-9.0.2.tgz#HEX", "DeactivateKeySigningKey(*route53.Input2)",
		"Authentication failed, wrong password 3 times, locked until 20261231", "password = env:DB_PASSWORD",
		"password policy: min8chars", "Password strength: level3high", "ann@db.example.com: Permission denied (publickey,password).",
		"AssertionError: assert 'password' in {'user': 'ribbon', 'role': 'admin'}", "2-factor-auth / 2-step-verification password",
		"curl -u \"<username>:<password>\" https://db.example.com/api", "Serial Number: 04:e7:1c:9a:55:27",
		"# .pgpass: hostname:port:database:username:password", "password = Encoding.Utf8", "token = Config.Value12",
		"Password for the backup must be set in:\n  /etc/backup/password2", "password: sha256.Sum256",
		"var role = subscriptionResourceId('Microsoft.Authorization/roleDefinitions', '7f951dda-4ed3-4680-a7ca-43fe172d538d')",
	})...)
}

// TestIDInUserinfo: an id that is removed for its form leaves no piece of a mark in a URL.
func TestIDInUserinfo(t *testing.T) {
	const url = "cloudinary://331446426387956:5pbucEfGW-6eoBt0TWdRCWJwVrC@demo"
	if out, _ := Default().Text(url); out != "cloudinary://[REDACTED:url-userinfo]@demo" {
		t.Errorf("got %q", out)
	}
}
