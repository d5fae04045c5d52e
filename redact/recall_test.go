// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"strings"
	"testing"
)

// TestFormsOfSecrets has one text for each form; the secret stands between «».
func TestFormsOfSecrets(t *testing.T) {
	for _, text := range []string{
		"password: «changeme1234»", "password: «amber.kettle.river9»", "password: «Goran.Ember40»",
		"The password for ann is «48213377».", "Temporary password - «48213377»", "creds: ann / «48213377»",
		"requirepass «48213377»", "La password del router è «32880413»", "debug1: trying password «Ember-Pebble-18» for ann",
		"COPY users (login, password) FROM stdin;\nann\t«Meadow1994»\nbob\t«x9Kd82ms»\n\\.",
		"SELECT * FROM (VALUES ('ann', '«Meadow1994»')) AS t(login, password);",
		"WITH t(login, password) AS (VALUES ('ann', '«Meadow1994»')) SELECT 1",
		"SELECT '«Meadow1994»' AS password", "PRAGMA foreign_keys = 1; -- password: «Meadow1994»",
		"{| class=\"wikitable\"\n! Login\n! Password\n|-\n| ann\n| «Meadow1994»\n|}",
		".. list-table::\n\n   * - Login\n     - Password\n   * - ann\n     - «Meadow1994»",
		"id^login^password\n1^ann^«Meadow1994»", "\"host\" \"password\"\n\"h1\" \"«Meadow1994»\"",
		"login,password,\nann,«Meadow1994»,", "||Password||«Meadow1994»||",
		"password = getpass() or \"«Meadow1994»\"", "expect \"assword:\"\nsend \"«Meadow1994»\\r\"",
		"[\"password\"]=>\n  string(10) \"«Meadow1994»\"", "'«Meadow1994»' | ConvertTo-SecureString -AsPlainText -Force",
		"radius-server host 10.0.0.1 key 7 «0822455D0A16»", "schtasks /create /tn x /ru ann /rp «Meadow1994»",
		"Your verification code is «482133»", "{\"password\":{\"0\":\"«Heron2002»\"}}",
		"params.put(\"phone\", \"«020 7946 0958»\");", "EMŠO: «0101006500006»", "indirizzo=«Viale dei Mille 5, 94470 Napoli NA»",
		// Commands that print a secret, and what they print.
		"$ pass show mail/ann\n«Ember1994!»\nlogin: ann", "$ gh auth token\n«9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c»",
		"$ heroku auth:token\n ›   Warning: token will expire today\n«9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c»",
		"$ op item get web --fields username,password --reveal\nann,«Ember1994!»",
		"$ terraform output -raw db_password\n«Ember1994!»",
		// Arguments of programs, calls and network devices.
		"mysql -h db -u ann -p'«Ember1994!»' -e 'show tables'", "snmpwalk -v2c -c «Ember1994» host1 sysDescr",
		"snmp-server community «Ember1994» RO", "crypto isakmp key «Ember1994!» address 10.0.0.1",
		"crypto isakmp key 6 «Ember1994!» address 10.0.0.1", "key chain a\n key 1\n  key-string «Ember1994!»",
		"client.username_pw_set(\"ann\", \"«Ember1994!»\")", "/msg NickServ IDENTIFY ann «Ember1994!»",
		"/msg NickServ IDENTIFY «Ember1994!»", "127.0.0.1:6379> ACL SETUSER ann on >«Ember1994!» ~* +@all",
		"basic.auth.user.info=ann:«Ember1994!»", "ann/«Ember1994!»@//db.example.com:1521/XE",
		"reg add \"HKLM\\Winlogon\" /v DefaultPassword /t REG_SZ /d «Ember1994!» /f",
		"defaults write com.a.app APIKey -string \"«9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c»\"",
		"Parameters: [{ParameterKey=MasterUserPassword,ParameterValue=«Ember1994!»},{ParameterKey=Env,ParameterValue=qa}]",
		"AuthError: ('ann', '«Ember1994!»')",
		"  \"stdin\": \"ann\\n«Ember1994!»\\n\", \"prompts\": [\"Username:\", \"Password:\"]",
		"await expect(page.getByTestId('api-key')).toHaveValue('«9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c»')",
		"onView(withId(R.id.password)).perform(typeText(\"«Ember1994!»\"), closeSoftKeyboard())",
		"sessionStorage.getItem('id_token')) → \"«9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c»\"",
		"<meta name=\"csrf-token\" content=\"«9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c»\">",
		// Passwords that look like placeholders or numbers.
		"password: '«Changeme2012!!»'", "requirepass «7488-8534-8875-5477»\nmaxmemory 256mb",
		"Log in as ann with password «7568-7749-6735-2566» and open the page.",
		// Types, prompts, sessions of shells, and other places of a name.
		"{\"credentials\":[{\"type\":\"password\",\"value\":\"«Ember1994!»\",\"temporary\":true}]}",
		"{\"type\":\"change\",\"value\":\"«Ember1994!»\",\"selectors\":[[\"aria/Password\"],[\"#pw\"]]}",
		"{\"type\":\"random_password\",\"instances\":[{\"attributes\":{\"length\":16,\"result\":\"«Ember1994!»\"}}]}",
		"{\"kty\":\"oct\",\"k\":\"«HrH3rb0jfYI3GQkcXrvy38jMD48tDz1j»\",\"alg\":\"HS256\"}",
		"{\"name\":\"JSESSIONID\",\"value\":\"«9f8e7d6c5b4a39281706f5e4d3c2b1a0»\",\"httpOnly\":true}",
		"<AutoLogon><Password><Value>«Ember1994!»</Value><PlainText>true</PlainText></Password></AutoLogon>",
		"(gdb) p cfg->password\n$1 = 0x55b90ceace \"«Ember1994!»\"", "> print(secrets.password)\n«Ember1994!»",
		"127.0.0.1:6379> CONFIG GET requirepass\n1) \"requirepass\"\n2) \"«Ember1994!»\"",
		"<ann> what's the db password again?\n<bob> «x9Kd82msQ4»",
		"It rejected `«Ember1994!»` as the root password on db.example.com, so I tried the old one.",
		"I found the database password in the old wiki: «Ember1994!».", "passwd: .asciz \"«Ember1994!»\"",
		"UserDefaults.standard.set(\"«9f8e7d6c5b4a39281706f5e4d3c2b1a0»\", forKey: \"accessToken\")",
		"ks.load(in, \"«9348-2896-3299-7338»\".toCharArray()); // keystore password",
		"expect(await hash('«Ember1994!»')).not.toBe(user.password) // the real password of ann",
		"codecov -t «9f8e7d6c5b4a39281706f5e4d3c2b1a0» -f coverage.xml", "Ключ API: «9f8e7d6c5b4a39281706f5e4d3c2b1a0»",
		"La clave de la API es «FG5tmp1PeyXnOtb1R9LVxKm», no la publiques.",
		"id,settings\n8,\"{\"\"password\"\":\"\"«Ember1994!»\"\",\"\"lang\"\":\"\"en\"\"}\"",
		"\"user\" : \"password\" : \"shell\"\n\"ann\" : \"«Ember1994!»\" : \"/bin/sh\"",
		"{\"jwt\":\"«930ec1f3-7af5-486a-aeaf-960ebe7e2db6»\"}", "strcpy(cfg.password, \"«Ember1994!»\");",
		"https://h.example.com/b?sv=2024-08-04&sp=r&sig=«f0690d0e093b0d5c80db8eab82a8ad7c9705b99b»",
		"bcrypt.compare('«Ember1994!»', user.hash)", "MOVE '«Ember1994!»' TO WS-PASSWORD.", "btoa('ann:«Ember1994!»')",
		"Algorithm.HMAC256(\"«q7RkP2mZx9LtV4bN8wYc»\")", "new UsernamePasswordToken(\"ann\", \"«Ember1994!»\")",
		"New-LocalUser ann -Password (ConvertTo-SecureString \"«Ember1994!»\" -AsPlainText -Force)",
		"$ vault read -field=password secret/db\n«Ember1994!»", "Войдите с паролем «Ember1994!»",
		"$ kubectl get secret s -o jsonpath='{.data.password}' | base64 -d\n«Ember1994!»",
		"$ openssl rand -hex 16\n«9f8e7d6c5b4a39281706f5e4d3c2b1a0»", "tacacs-server host h1 key «Ember1994!»",
		"SELECT pgp_sym_decrypt(d, '«Ember1994!»') FROM t;", "rocommunity «Ember1994» 10.0.0.0/8",
		"*Password:* «Ember1994!»", "Credentials: ann, «Ember1994!»", "rootpw --plaintext «Ember1994!»",
		"password: new pulumi.Output(\"«Ember1994!»\")", "isql -U ann -P «Ember1994!»", "rman target sys/«Ember1994!»@XE", "echo «Ember1994!» | vncpasswd -f > p",
	} {
		want := ""
		for i, part := range strings.Split(strings.ReplaceAll(text, "»", "«"), "«") {
			if i%2 == 0 {
				want += "/" + part
			}
		}
		text = strings.NewReplacer("«", "", "»", "").Replace(text)
		out, _ := Default().Text(text)
		got := "/"
		for rest := out; rest != ""; {
			before, after, _ := strings.Cut(rest, "[REDACTED:")
			got += before
			if _, rest, _ = strings.Cut(after, "]"); len(before) < len(out) {
				got += "/"
			}
		}
		if strings.Trim(got, "/") != strings.Trim(want, "/") {
			t.Errorf("%q became %q", text, out)
		}
	}
}

func TestNoSecrets(t *testing.T) {
	for _, text := range []string{
		"password: changeme", "password expires on 20261231", "the password was reset 1500000 times", "passwords  1500000",
		"token for ann is 48213377", "contraseña de acceso12", "mot de passe pour example01.com", "PASSWORD=com.example.foo2",
		"password = Config.Value12", "password = utf8.RuneSelf", "! password\n! login\ntext", "* - password\n- login\ntext",
		"status code 40412", "verification code: 4821334455", "'prop', 'pwd',\n  'solve', 'spark',\n",
		"expect(\"Password incorrect\")\nsend \"hello\"", "COPY users (login, password) FROM stdin;",
		"{\"label\":\"phone\",\"value\":\"a word\"}",
		"$ pass show mail/ann\nlogin: ann", "$ terraform output -raw bucket\nlogs-bucket-eu1", "$ gh auth token\nno oauth token",
		"snmp-server community public RO", "ann/b@//", "order 7488-8534-8875-5477", "ValueError: ('ann', 'Ember1994!')",
		"\"stdin\": \"ann\\nEmber1994!\\n\", \"prompts\": [\"Username:\", \"City:\"]",
		"ParameterKey=Env,ParameterValue=Ember1994!", "NickServ IDENTIFY $PASSWORD",
		"Using --password via the CLI is insecure.", "{\"type\":\"token\",\"value\":\"Identifier12\"}",
		"{\"type\":\"change\",\"value\":\"Ember1994!\",\"selectors\":[[\"aria/City\"]]}",
		"{\"kty\":\"RSA\",\"k\":\"HrH3rb0jfYI3GQkc\"}",
		"$ kubectl get pods\nweb-7d9f8c", "$ openssl version\nEmber1994!",
		"> print(city.name)\nEmber1994!", "<ann> which branch again?\n<bob> x9Kd82msQ4", "strcmp(password, \"password\")",
		"UserDefaults.standard.set(\"Ember1994!\", forKey: \"city\")", "btoa('width:auto')",
	} {
		if out, _ := Default().Text(text); out != text {
			t.Errorf("%q became %q", text, out)
		}
	}
}
