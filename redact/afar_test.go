// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"strings"
	"testing"

	"github.com/toolscope/toolscope/internal/canary"
	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/marks"
)

// TestNotationsOfSecrets: the ways in which files, programs and people put a secret
// beside, behind or far from its name, or without one.
func TestNotationsOfSecrets(t *testing.T) {
	m := newMaker(11)
	word, drawn := m.drawn(9), m.drawn(32)
	for _, text := range []string{
		// Source code.
		`const p = process.env.DB_PASSWORD || '` + word + `';`,
		`const p = env.SECRET_KEY ?? "` + word + `"`,
		`p = os.environ.get("DB_PASSWORD") or "` + word + `"`,
		"const apiKey =\n  \"" + drawn + `";`,
		`setopt(h, OPT_PASSWORD, "` + word + `");`,
		`headers.set(HttpHeaders.AUTHORIZATION, "` + drawn + `")`,
		`requests.get(u, auth=("ann", "` + word + `"))`,
		`HTTPBasicAuth('ann', '` + word + `')`,
		`req.SetBasicAuth("ann", "` + word + `")`,
		`url.UserPassword("ann", "` + word + `")`,
		"variable \"db_password\" {\n  description = \"of the database\"\n  default     = \"" + word + "\"\n}",

		`val password: String = "` + word + `"`,
		`def connect(passwd: str = "` + word + `"):`,
		`password: &quot;` + word + `&quot;`,
		`mail pass '` + drawn + `'`,
		"DB_PASWORD:=" + word,
		"https://a.tines.com/webhook/" + drawn + "/x",

		// SQL.
		"ALTER USER ann IDENTIFIED BY '" + word + "';",
		"CREATE USER ann IDENTIFIED WITH sha256 BY '" + word + "';",
		"jdbc:oracle:thin:ann/" + word + "@//db:1521/x",
		"sqlplus ann/" + word + "@db",

		// Commands.
		"echo '" + word + "' | sudo -S apt-get update",
		"echo -n " + word + " | docker login -u ann --password-stdin registry.example.com",
		`echo "ann:` + word + `" | chpasswd`,
		"printf '%s' " + word + " | passwd --stdin ann",
		"smbclient //h/s -U ann%" + word,
		"lftp -u ann," + word + " ftp.example.com",
		"psexec \\\\h -u ann -p " + word + " cmd",
		"plink -ssh ann@h -pw " + word + " ls",
		`ConvertTo-SecureString "` + word + `" -AsPlainText -Force`,
		"vault operator unseal " + drawn,
		"git clone https://" + drawn + ":x-oauth-basic@example.com/a/b.git",

		"tool --user ann --password " + word,
		"gpg --decrypt --passphrase " + word + " --output a.txt",
		"machine api.example.com login ann password " + word,
		"CREATE ROLE ann WITH LOGIN PASSWORD '" + word + "';",
		"orders_secret " + drawn,

		// Tables and sentences.
		"| API_KEY | " + drawn + " |",
		"api token |" + drawn + "\nnext",
		"Unseal Key 1: " + drawn,
		"the client secret " + drawn + " was used",
		`The password for the user "ann" is "` + word + `".`,
		"cloudflare token = '" + drawn[:14] + "'",
	} {
		for _, in := range []string{text, object("note", text), object("text", object("note", text))} {
			out, found := Default().Text(in)
			if canary.Find(unescapeAll(out), []canary.Secret{{Value: word}, {Value: drawn},
				{Value: drawn[:14]}}) != nil || found.Count() == 0 {
				t.Errorf("%q became %q", in, out)
			}
		}
	}
}

// TestNotationsThatOnlyLookLikeIt: the like without a secret in it.
func TestNotationsThatOnlyLookLikeIt(t *testing.T) {
	for _, text := range []string{
		`u := base + "&password=" + password + "&page=1"`,
		`fmt.Sprintf("token='%s'", token)`,
		`const p = process.env.DB_PASSWORD || 'none';`,
		`auth=("ann", "password")`,
		`BasicAuth("ann", os.Getenv("X"))`,
		"variable \"db_password\" {\n  type = string\n  default = null\n}",
		"| API_KEY | the key of the interface |",
		"| token | string | required |",
		"echo \"$PASSWORD\" | docker login -u ann --password-stdin",
		"echo done | tee log; sudo -S true",
		"cat secret.txt | sudo -S true",
		"users are identified by name, and identified by their number 1",
		"see identified as such",
		"is identified as `example.io/x` and identified by `id`",
		`should_strip_auth("https://example.com/a", "http://example.com/b")`,
		`git remote set-url origin https://${{secrets.BOT}}:x-oauth-basic@example/a/b`,
		"sqlplus /nolog",
		"vault login -method=oidc",
		"smbclient -L //h",
		"cache key " + strings.Repeat("0f", 20),
		"commit key 9fceb02d0ae598e95dc970b74767f19372d61af8",
		"the secret of good coffee is fresh water",
		"The password for the user is stored elsewhere.",
	} {
		if out, found := Default().Text(text); out != text {
			t.Errorf("%q became %q with %v", text, out, found.Kinds())
		}
	}
}

// TestWeakPasswords: a password that is no more than its name written another way is one.
func TestWeakPasswords(t *testing.T) {
	for text, want := range map[string]string{
		"MYSQL_PASSWORD=mysqlpassword":    "MYSQL_PASSWORD=" + marks.Text(kinds.PasswdName),
		"client_secret: top-secret-value": "client_secret: " + marks.Text("secret"),
		"clientSecret: my-client-secret":  "clientSecret: " + marks.Text("secret"),
		"--set auth.password=password":    "--set auth.password=" + marks.Text(kinds.PasswdName),
		`{"dbPassword":"db-password"}`:    `{"dbPassword":"` + marks.Text(kinds.PasswdName) + `"}`,
		"password := \"super-secret-pw\"": "password := \"" + marks.Text(kinds.PasswdName) + "\"",
	} {
		if out, _ := Default().Text(text); out != want {
			t.Errorf("%q became %q, want %q", text, out, want)
		}
	}
}
