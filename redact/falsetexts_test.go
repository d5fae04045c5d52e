// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import "testing"

// TestKeepTranslations: texts of a program below names that tell what is done with a password or token are no
// secrets.
func TestKeepTranslations(t *testing.T) {
	kept(t,
		"'password_confirm' => 'Potvrdi lozinku',", "'reset_password' => 'Palauta salasana',",
		"'api_token_update' => 'ha actualitzat el testimoni API',", "'api_token_create' => 'skapade API-token',",
		"'api_token_create' => 'создан API токен',", "'api_token_create' => 'izveidoja API žetonu',",
		"'api_token_create_notification' => 'API token successfully created',",
		`'users_password' => 'Mot de passe de l\'utilisateur',`,
		`'user_api_token_delete_warning' => 'Dette vil helt slette API-token\'en med navnet \':tokenName\' her.',`,
		"'email_reset_subject' => 'Atur ulang kata sandi :appName anda',", `"secret": "Salainen tunniste"`,
		`"reset_webhook_secret": "Restablecer secreto del webhook",`, "'password' => 'Geslo',",
		"'password' => 'パスワードは6文字以上である必要があります。',",
		"'reset_pw_warning' => '**PLEASE** verify that the link goes to the server you expect it to go!',",
	)
	removedFrom(t,
		`'password_confirm' => 'correct horse battery staple'`, `"reset_password": "Purple!7elephants"`,
		`"password": "correct horse battery staple"`, `"api_token_update": "x7Qm2Zr9Lw4Kt8Vb"`,
		"数据库密码是 Timber.Pepper.94x,请尽快修改。", "'password' => '密码2024。'",
	)
}

// TestKeepFieldRules: the rules of a form's field, and names of secrets in a list, are no secrets.
func TestKeepFieldRules(t *testing.T) {
	kept(t,
		"'password' => 'required|string|min:16|secure_password|confirmed',",
		"'ntfy_pass' => ['required_with:ntfy_user,ntfy_auth', 'nullable', 'string', 'min:1'],",
		"'password-confirm' => ['same:password', 'required_with:password'],",
		"session()->forget(['temp-mfa-secret', 'two-factor-secret', 'two-factor-codes']);",
		`["prod/db/password", "prod/api/token"]`, "$ list\n[\"prod/db/password\", \"prod/api/token\"]",
		`in "kadmin/dbutil", "kadmin/passwd", "kadmin/server"`,
		`[\"iam:ListAccessKeys\",\"iam:ListAccountAliases\",\"iam:ListRoles\"]`,
		`b.HasIndex("AccessToken", "DateLastActivity");`, `in ["code id_token", "code id_token token"]:`,
		"- secretKey: password\n    remoteRef:\n      key: prod/db\n      property: password",
	)
	removedFrom(t, `{"passwords": ["Qw7xZk2m", "Lp9vRt4s"]}`, `'passwords' => ['Qw7xZk2m', 'Lp9vRt4s']`,
		`Map.of("user", "ann", "dbPassword", "quiet-river-stone")`, "- secretKey: hu3nter2Zq\n  region: eu",
		`["prod/db/password", "hu3nter2Zq"]`)
}

// TestKeepDefinitions: a base class, a type of Pascal, a member, and what a program fills in, are no secrets.
func TestKeepDefinitions(t *testing.T) {
	kept(t,
		"public class ApiKeyController : BaseController\n{", "function TUrl.GetPassword: UnicodeString;\nbegin",
		"$secret = $secretPreference->data ?? '';", `rep += f"\tpassword {attrs[2]}\n"`,
		`f"api_key: {runtime.context['api_key']}, x"`, `os.environ[var] = getpass.getpass(f"{var}: ")`,
		"user_pass = '%s:%s' % (unquote(user),", `raise TypeError("pwd: expected bytes, got %s" % type(pwd))`,
		"const string PRIVATE_KEY = 'oauth_private_key';", `minipass "^5.0.0 || ^6.0.2 || ^7.0.0"`,
		"fail=$s.failCount pass=$s.passCount", `"Bearer ${{ env.HOOK_TOKEN }}-suffix",`,
		"Only add an id token on auth/token step if asked.", "using private key from #key_file and then",
		"via the --username and --password options\n instead", "pass a *keyfunc* that extracts the first element",
		"Authorization: Token &lt;token_id&gt;:&lt;token_secret&gt;",
		":param owner_secret: Resource owner secret (x).",
		"--storepass:env <variable>  --keypass:file <file>", "mysql://user:password@localhost:3306/db is the form.",
		"their own password <https://docs.aws.amazon.com/IAM/latest/UserGuide/id_credentials_passwords_user-own.html>`__",
	)
	removedFrom(t, "password: BaseX7controller!", "pw -> hu3nter2Zq", "--keypass:hu3nter2Zq",
		"mysql://user:x7Qm2@localhost/",
		"mysql://ann:password@localhost/", "password: {hu3nter2", "password=$ummer.2019")
}

// TestKeepObjectNames: ids that begin with what they are called, digests, dates as numbers and validities are
// no secrets.
func TestKeepObjectNames(t *testing.T) {
	const digest = "e7976a0faa841843f71ee39550208dae3aa9470e1d8b0dadb5410e3f362a6335"
	kept(t,
		`"ClientToken": "so0eNA2uSHUNlHI0S2cJ305GuIX1CezaRdGtexample",`,
		"--copy-product-token copyproduct-znn5tf5abcd3w",
		"--lifecycle-action-token bcd2f1b8-9a78-44d3-8a7a-4dd07d7cf635",
		`"ExportToken": "export-token-ep5cwyzune7oya53",`,
		`"CustomerMasterKeySpec": "SYMMETRIC_DEFAULT",`, `"EncryptionKeyCheckValue": "7CC9E2",`,
		"--refresh-token-validity 10 \\\n  --access-token-validity 60 \\", `"lastModifiedSecret": 1556311319.069,`,
		"--layer-digest sha256:"+digest, "sha256 of passport-jwt-4.0.1.tgz: "+digest,
		"public key token=b77a5c561934e089",
		`{"PasswordReusePrevention":24}`,
	)
	removedFrom(t, `"client_token": "so0eNA2uSHUNlHI0S2cJ305GuIX1CezaRd"`,
		`"ExportToken": "ep5cwyzune7oya53x7Qm2Zr9"`,
		"key token=x7Qm2Zr9Lw4Kt8Vb", `Authorization: Digest response="`+digest+`"`)
}

// TestKeepNumbersAndClasses: documentation of a function, names of classes, decimals, forms of numbers and
// times are no
// personal data.
func TestKeepNumbersAndClasses(t *testing.T) {
	kept(t,
		"def load_module(self, fullname):\n    \"\"\"Load a namespace module.",
		"given name.\n\n    :Raises `Error`: if",
		`<test-suite name="Integration" fullname="Integration" runstate="Runnable">`,
		`<test-case name="TestAll" fullname="NS.APP.Wombat.TestIntegration">`, `fullname="MP.Tests"`,
		"licence|AU|driver licence number|99999999", "quantize(Decimal('+35236450.6'), Decimal('1e-2'))",
		"Node card is not functional\n- 1133913870 2005.12.06 R01-M0",
	)
	removedFrom(t, `fullname="Ann Leemann"`, "Full name: Ann", "full name: J.Smith",
		"driver licence number: 99912345",
		"+352.36450612", "card 4111 1111 1111 1111", "card 378282 246310 005")
}

// TestKeepManuals: options, durations, fingerprints of keys, places in files and zeros are no secrets.
func TestKeepManuals(t *testing.T) {
	kept(t,
		"'password' => '--password='.$c['password'],", "'password' => ['-P', $c['password']],",
		"$this->passwordTimeout = $passwordTimeout ?: 10800;", "userdata.password = password_ptr\n",
		"gpg --keyserver hkps://keys.openpgp.org --recv-keys 108F52B48DB57BB0CC439B2997B01419BD92F80A",
		"without prior written authorization from the XFree86\nProject.", `Authorization: OAuth realm="Example",`,
		`"VolumeInput$ClientToken": "<p>An identifier that you use to retry a <code>request</code>.</p>"`,
		"X_PWF_CHANGE  = 16   // pwd.h:134:1:\n", "// +0.9*hours = +3240000000000 pushes the sum",
		"<fullname>Amazon Kinesis Data Streams Service</fullname>",
		"main [session 56035785906040] [client 194.126.1.2]",
		"# <type> <options>  <dump> <pass>\nproc  defaults     0    0\nsysfs defaults     0    0\n",
		`<code>url.password</code></a></li>\n<li><a href="#urlpathname"><code>url.pathname</code></a></li>`,
		"    Message-Id: <mail.1ab23c45.5de6.7f890g123hj45678@storage.wm.example.com>",
	)
	removedFrom(t, "'password' => '--hu3nter2Zq'", "--auth-key hu3nter2Zq9w4Kt8Vb", `{"password": "4 821 777"}`,
		"<li>Password</li><li>hu3nter2Zq</li>", "From: <ann.lee@example.org>", "+324 471 12 34 56")
}

// TestKeepLabels: what a form calls a name, templates of addresses, and names of keys and modes stay.
func TestKeepLabels(t *testing.T) {
	kept(t,
		"'last_name' => 'Achternaam',", "'first_name' => 'Prenume',", `"first_name": "이름"`,
		"'full_name' => 'Leders fulle navn',",
		"'pwd_secure_complexity_symbols' => 'Krev minst ett symbol',", "'pwd_secure_complexity' => 'array',",
		`"password" => "รหัสผ่านต้องมีอย่างน้อย 6 ตัวอักษร",`, `'APP_KEY="'.$key.'"',`,
		"# Pre-pass: detect collisions",
		`_INTEGRATION_KEY = "x-amazon-apigateway-integration"`, `"authorizationToken": "incoming-client-token",`,
		`getattr(sys, "_MEIPASS", "unknown")`, "ansible_password=!vault |\n\n", "update_password: always",
		"https://hooks.slack.com/services/XXXXXXXXXXXXXXXXXXXXX",
		"https://chat.googleapis.com/v1/spaces/xxxxxxxx/messages?key=xxxxxx",
		"http/server.my.domain.com@MY.DOMAIN.COM", "krbtgt/REALM.COM@REALM.COM",
		"follow @ann@mastodon.social",
	)
	removedFrom(t, "'last_name' => 'Leemann',", `"full_name": "Ann Leemann"`, `"first_name": "민준"`,
		"password=!hu3nter2Zq",
		"https://hooks.slack.com/services/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",
		"mail ann.lee@example.org: x",
		`"api_key": "x7Qm2Zr9-Lw4Kt8Vb"`, `ApiKey: "sk-proddfsefac"`, "ANN@EXAMPLE.ORG")
}

// TestKeepPrograms: code points, dumps, elements of HTML, other names and types of programs are no secrets.
func TestKeepPrograms(t *testing.T) {
	kept(t,
		"# <c>\n0063 0063 0053 ; [.1FD7.0020]", "4FC3 5074 5247 5373\n606F 6349 675F 6E2C",
		"otp\n<p>This is a one-time password",
		"passwd:         compat\ngroup:          compat", "GIT_ASKPASS: 'echo',", "[`${key}:_password`]: password,",
		"} else if(obj1AtKey !== obj2AtKey) {", "func newPrivateKey(*PrivateKey) (*ecdsa.Key, error)",
		"UpdateApiKey(*apigateway.UpdateApiKeyInput) (*apigateway.ApiKey, error)",
		"'reset_password' => 'Ail-osod Cyfrinair',",
	)
	removedFrom(t, "tel 0800 0123 4567", "call me at 0049 170 123456", "card 5074 5247 5373", "passwd: hu3nter2Zq",
		"func newPrivateKey(\"x7Qm2Zr9Lw4Kt8Vb\")", "apiKey: x7Qm2Zr9Lw4Kt8Vb")
}

// TestKeepTexts: texts of YAML without quotes, masked values, tables of SQL and names of sessions are no secrets.
func TestKeepTexts(t *testing.T) {
	kept(t,
		"  password_too_short: Ihr Passwort muss mindestens 8 Zeichen lang sein.\n",
		"  field_secret: Tajný kód klienta\n",
		"  password_must_match: Polja lozinki moraju se poklapati.\n",
		"  api_secret_text: Polja lozinki moraju se poklapati.\n",
		"$parameters['password'] = '**masked**';", "'session_key' => 'public_registration',",
		`("authorization", "[secure]")`,
		"INSERT INTO c (id, uris, secret, types) SELECT id, uris, types, name FROM temp_x9_oauth2_clients;",
	)
	removedFrom(t, "db_password: purple horse battery staple\n", "admin_password: Purple!7 elephants\n",
		"https://ann%40example.org:a%20secret@müller.example:1234/x", "'session_key' => 'x7Qm2Zr9Lw4Kt8Vb'")
}

// TestKeepNamesInLists: other variables in a list, omissions, titles of a form, and classes are no secrets.
func TestKeepNamesInLists(t *testing.T) {
	kept(t,
		"- `MYSQL_PASSWORD`\n- `PMA_USER`\n- `PMA_PASSWORD`\n- `PMA_HOSTS`\n- `PMA_HOST`\n",
		"-e DB_PASSWORD=... -d image",
		"--env AUTH_KEY=... \\\n --env X=... \\\n", "- `-e ADMIN_PASSWORD=...` (password of the administrator)\n",
		`"form.integration.espial_api_key": "Kunci API Espial",`, `"form.fever_password": "Fever-salasana",`,
		`"form.webhook_secret": "Segredo dos Webhooks",`,
		`{"a": 1, "form.espial_api_key": "Kunci API Espial", "form.webhook_secret": "Segredo dos Webhooks"}`,
		`{"ClientToken": "so0eNA2uSHUNlHI0S2cJ305GuIX1CezaRdGtexample"}`,
		"pre_shared_key: {header: 'Pre-shared Key'},", "xsrf_cookie_kwargs=dict(httponly=True, secure=True)",
		"--api_key and --api_secret must be set", ".. _@pytest.hookimpl(tryfirst=True): https://docs",
	)
	removedFrom(t, "- `MYSQL_PASSWORD`: `hu3nter2Zq`\n", "-e DB_PASSWORD=hu3nter2Zq -d image",
		"DB_PASSWORD=..hu3nter2Zq",
		`"form.password": "hu3nter-2Zq"`, `{"password": "Summer-rain"}`, `{"reset_password": "hu3nter2Zq"}`,
		`{"dbPassword": "db-password"}`,
		"pre_shared_key: {hu3nter2Zq")
}
