// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"strings"
	"testing"
)

// gone checks that no text keeps one of the words that begin with "Sec" or "Zq", which stand for
// secrets, and that each keeps the word "stays" as often as it has it.
func gone(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		out, _ := Default().Text(text)
		if strings.Contains(out, "Zq7") || strings.Count(out, "stays") != strings.Count(text, "stays") {
			t.Errorf("%q became %q", text, out)
		}
	}
}

// TestTables: a column's name tells of the values below it.
func TestTables(t *testing.T) {
	gone(t,
		`{"columns":[{"name":"id"},{"name":"user"},{"name":"password"}],"rows":[[1,"stays","hu3nterZq7X"],[2,"stays",`+
			`"kFxZq7pqw"]],"row_count":2}`,
		`{"rows":[[1,"stays","hu3nterZq7X"]],"columns":[{"name":"id"},{"name":"user"},{"name":"password"}]}`,
		`{"columns":["id","api_key"],"index":[0,1],"data":[[1,"hu3nterZq7X"],[2,"Zq7kfpww"]]}`,
		`{"results":[{"series":[{"name":"logins","columns":["time","secret"],"values":[["2026-01-01T00:00:00Z","kwZq7ppx"]]}]}]}`,
		`[["id","user","password"],[1,"stays","hu3nterZq7X"],[2,"stays","other Zq7 one"]]`,
		`{"headers":["user","client_secret"],"rows":[["stays","whenceZq7"]]}`,
		"id,user,password\n1,stays,hu3nterZq7\n2,stays,\"a,bZq7\"\n",
		"id\tuser\tpassword\n1\tstays\thu3nterZq7\n2\tstays\tlemonZq7\n",
		"id;user;passwd\n1;stays;hu3nterZq7\n",
		" id | user  |  password  \n----+-------+------------\n  1 | stays | hu3nterZq7\n  2 | stays | "+
			"lemonZq7\n(2 rows)\n",
		"+----+-------+-----------+\n| id | user  | password  |\n+----+-------+-----------+\n|  1 | stays | "+
			"hu3nZq7   |\n+----+-------+-----------+\n",
		"id|user|password\n1|stays|hu3nterZq7\n2|stays|lemonZq7\n",
		"id  user   password\n--  -----  --------\n1   stays  huntZq7\n2   stays  lemonZq7\n",
		"NAME    NAMESPACE   TOKEN\nstays   stays       kwZq7ppx81\nstays   stays       opqwZq7x81\n",
		"| User | Password |\n| --- | --- |\n| stays | hu3nterZq7 |\n| stays | `lemonZq7` |\n",
		"<table><tr><th>User</th><th>Password</th></tr><tr><td>stays</td><td>hu3nterZq7</td></tr></table>",
		"<table>\n<thead><tr>\n<th>User</th>\n<th class=\"x\">API "+
			"key</th>\n</tr></thead>\n<tbody><tr>\n<td>stays</td>\n<td><b>hu3nterZq7</b></td>\n</tr></tbody></table>",
		"INSERT INTO users (id, name, password) VALUES (1, 'stays', 'hu3nterZq7'), (2, 'stays', 'lemonZq7');",
		`{"query":"INSERT INTO users (name, password) VALUES ($1, $2)","params":["stays","hu3nterZq7"]}`,
		`{"query":"SELECT * FROM users WHERE name = ? AND password = ?","params":["stays","lemonZq7"]}`,
		`{"statement":"UPDATE users SET password = $2 WHERE name = $1","params":["stays","lemonZq7"]}`,
	)
	gone(t,
		`{"action":"fill","selector":"#password","value":"hu3nterZq7"}`,
		`{"tool":"type","element":"Password field","text":"lemonZq7"}`,
		`{"fields":[{"name":"Password","type":"textbox","ref":"e12","value":"lemonZq7"}]}`,
		`await page.fill('#password', 'lemonZq7');`,
		`await page.getByLabel('Password').fill('lemonZq7');`,
		`page.get_by_label("Password").fill("lemonZq7")`,
		`await page.locator('input[name="password"]').fill('lemonZq7')`,
		`cy.get('#password').type('lemonZq7')`,
		`driver.find_element(By.ID, "password").send_keys("lemonZq7")`,
		`await page.type("input[type=password]", "lemonZq7")`,
	)
}

// kept checks that texts are as they were.
func kept(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if out, found := Default().Text(text); out != text {
			t.Errorf("%q became %q with %v", text, out, found.Kinds())
		}
	}
}

// TestKeepTestOutput: the output of test programs has "pass" as a verb.
func TestKeepTestOutput(t *testing.T) {
	kept(t,
		"--- PASS: TestStore (0.00s)\n    --- PASS: TestStore/empty (0.00s)\nPASS\nok  \texample.com/store\t0.012s",
		"PASS: unit tests\nFAIL: integration",
		"ok 1 - pass: store opens\nnot ok 2 - pass: store closes",
		"PASS: test-suite.sh\nXFAIL: other.sh\n# PASS:  12\n# FAIL:  0\n",
		"First pass: collect garbage\nSecond pass: compact",
		"Pass: TestLogin", "pass: 12", "[PASS] TestPassword", "tests pass: yes, lint pass: no",
		"PASS src/login.test.ts\n  Password\n    ✓ rejects short ones (3 ms)\n    ✓ token: expires after an hour\n",
		"test auth::tests::password_is_hashed ... ok\ntest auth::token ... ok\n",
		"tests/test_login.py::test_password PASSED [ 50%]\ntests/test_key.py::test_secret[token-None] PASSED\n",
	)
}

// TestKeepNumbers: numbers next to "call" and the like are no phone's.
func TestKeepNumbers(t *testing.T) {
	kept(t,
		"call took 123 456 7890 us", "tool call 555 123 4567 finished", "contact point at 48 8566 2 3522",
		"reach 1000 2000 3000 items", "the call returned 200 1024 4096", "cell 1024 2048 4096 of the grid",
		"call site 0x1f 1234 567 8901", "ISBN 978-3-16-148410-0", "contact map 51.5074 -0.1278",
		"calls: 12 345 6789", "text 100 200 300", "mobile viewport 1080 2400 320",
		"build 2026 0112 4433 reached", "contact: see RFC 7231 4321 1234", "call depth 1234567 of 9999999",
		`{"calls":[1234567890,2345678901],"call":4155550123}`,
		"fax machine model 123 4567 89",
	)
}

// TestWeakNames: key, session, login, auth and token say little of ids, paths and words, and
// nothing of what is below them.
func TestWeakNames(t *testing.T) {
	kept(t,
		`{"key":"3f2504e0-4f89-11d3-9a0c-0305e82c3301"}`,
		`{"session":"3f2504e0-4f89-11d3-9a0c-0305e82c3301","token":"3f2504e0-4f89-11d3-9a0c-0305e82c3301"}`,
		`{"key":"9fceb02d0ae598e95dc970b74767f19372d61af8"}`,
		`{"key":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}`,
		`{"Key":"uploads/2026/01/3f2504e0a81b/IMG_20260102_99x8.png","Size":12}`,
		`{"Key":{"pk":{"S":"user#01ARZ3NDEKTSV4RRFFQ69G5FAV"},"sk":{"S":"order#8812731x"}}}`,
		`{"key":"01ARZ3NDEKTSV4RRFFQ69G5FAV"}`, `{"session":"cus_NffrFeUfNV2Hib"}`, `{"auth":"acct_1M2JTkLkdIwHu7ix"}`,
		`{"login":"octocat42x7","id":583231}`,
		`{"session":{"id":"sess-20260112-0007a1","user":"u81f2b9d","device":"dvc8x1k9"}}`,
		`{"auth":{"provider":"p8x2k","tenant":"t1k9d8x2b4","subject":"00u1x9k2"}}`,
		`{"token":{"id":"tid_8x1k29d7","count":12,"model":"m4x8-128k"}}`,
		"key=users/8812731x/avatar-3x9.png", "session 3f2504e0-4f89-11d3-9a0c-0305e82c3301 opened",
		"login=build-agent-07", "auth=oauth2-pkce-s256",
	)
	gone(t,
		`{"token":"aR8kZq7x0PLw92mDkQ"}`, "token=aR8kZq7x0PLw92mDkQ", `{"key":"aR8kZq7x0PLw92mDkQ"}`,
		`{"authorization":["Bearer aR8kZq7x0PLw92mDkQ"]}`, `{"credential":{"value":"aR8kZq7x0PLw92mDkQ"}}`,
		`{"password":{"current":"lemonZq7","stays":true}}`,
	)
}

// TestKeepSource: source code, schemas and settings that speak of secrets.
func TestKeepSource(t *testing.T) {
	kept(t,
		`fields = ["password", "created_at2", "updated_at"]`, `["password", "username", "email2"]`,
		"required: [password, username, mfa_code2]",
		"password:\nuser_name2: ann\n", "password:\n  user_name2: ann\n", "token:\nexpires_in2: 60\n",
		`return errors.New("bad private key: " + err.Error())`, `log.Printf("wrong password: %v", err)`,
		`fmt.Errorf("token: %w", err)`, `raise ValueError("invalid api key: " + repr(key))`,
		`{"password":"string (optional)"}`, `{"api_key":"https://docs.example.com/keys#api2"}`,
		`{"password":{"type":"string","description":"the user's password, 8 to 64 characters"}}`,
		`{"token":{"type":"string","format":"uuid","example2":"see docs"}}`,
		`"password": {"type": "string", "minLength": 12}`,
		"See password: https://docs.example.com/v2/password", `{"secret":"required, string"}`,
		"password = getpass.getpass('Password: ')", "const password = document.querySelector('#password2').value",
		"password: str = Field(..., min_length=8)", "password?: string | undefined;",
		"api_key: Optional[str] = None", "let token: Option<String> = None;",
		"// the token: 16 bytes, big endian", "if password == confirmPassword2 {",
		`assert.Equal(t, password, user.Password2)`, "password_hash := bcrypt2(password)",
		"- name: password\n  in: body\n  required: true\n",
	)
}

// TestKeepShortAnchors: ordinary identifiers that begin as tokens do.
func TestKeepShortAnchors(t *testing.T) {
	kept(t,
		"APPLICATION1 AP1234567890 APBUILD20260112", "CAISSEEPARGNEDEBRETAGNEPAYSDELOIRE12345678901",
		"ext_module_loader_for_the_configuration_of_plugins_v2_0", "BSA_Annual_Report_2026_final_v2",
		"cioffi_and_sons_holdings_ltd_2026", "sdk-platform-tools-linux-release-2026-01",
		`{"order_id":"4111111111111111"}`, "order_id=4532015112830366", "EAN 4006381333931", "ean13: 4000417025005",
		"part number 219-09-1234", "sku 512-44-9087 in stock", "ssh deploy@host.internal",
		"scp build@ci.internal:/tmp/x .",
		"pk_live_51H8xqKLmNoPqRsTuVwXyZ012", "SELECT * FROM t WHERE name = N'password' AND kind = N'token'",
	)
}

// TestPersonalByName: the name of a member, a column or a label tells of personal data.
func TestPersonalByName(t *testing.T) {
	gone := func(kind string, texts ...string) {
		for _, text := range texts {
			out, found := Default().Text(text)
			if len(found) == 0 || found[0].Kind != kind || strings.Contains(out, "57") {
				t.Errorf("%s: %q became %q with %v", kind, text, out, found.Kinds())
			}
		}
	}
	gone("phone-number", `{"phone":"5755012"}`, `{"mobileNumber":"0157 5501234"}`, "Telefon: 0157 5501",
		"fax: 57 55 01 57", "téléphone : 01 57 55 01 57")
	gone("date-of-birth", `{"dateOfBirth":"1957-03-12"}`, "DOB: 03/12/1957", "Geburtsdatum: 12.3.1957",
		"birth_date=12 March 1957",
		"name,dob\nann,1957-03-12\n")
	gone("passport", "passport number=X8157571", "Passport No.: C01X57T47", `{"passport_no":"X5757571"}`,
		"<passport>X5757571</passport>")
	gone("driving-licence", "driver's license number: D5757571", `{"drivers_license":"OAOO575757"}`)
	gone("postal-address", `{"street_address":"57 Bakers Lane, Leeds"}`, "Anschrift: Hauptstrasse 57, Berlin",
		"indirizzo: Via Rossi 57, Roma")
	gone("bank-account", "account number: 4457362357", `{"sort_code":"57-57-57"}`, "Kontonummer: 5757575757")
	gone("tax-id", "Steuer-ID: 57 575 757 575", `{"tax_id":"57-5757575"}`, "VAT number: NL575757578B01",
		"CPF: 575.757.575-57")
	gone("medical-record", "MRN: 5757571", `{"nhs_number":"575 757 5757"}`, "<patientid>3657359</patientid>")
	gone("national-id", `{"social_security_number":"575575757"}`, "NINO: WM 57 57 18 C", "PESEL: 57575757575",
		"personnummer: 570101-5757")
	kept(t,
		`{"address":"localhost:8080"}`, `{"address":"0x7ffe1234abcd"}`, "address: 10.0.0.1:8080",
		`{"phone_verified":true,"phone_count":5755012}`,
		`{"passport_strategy":"oauth2"}`, "tax: 12.50", "the patient waited 1234567 ms",
		`{"account":"123456789012"}`, "birthday cake recipe no 1234567",
		"street fighter 2 turbo", `{"mobile":"true"}`, "pan: 5", "sin(1234567)", "national park 1957-2007",
		`{"birth":"2 hours"}`,
	)
}

// TestForms: forms of issuers, languages and encodings.
func TestForms(t *testing.T) {
	m := newMaker(25)
	v := m.drawn(40)
	hex := m.randomText(32, "0123456789abcdef")
	for _, text := range []string{
		"curl --user=ann:" + v + " https://example.com", "mot de passe : " + v, "contraseña: " + v, "пароль: " + v,
		"密码：" + v,
		"Passwort lautet " + v, "paste x" + "ghp_" + v[:36], "paste ghp_" + v[:20] + "\n" + v[20:36] + "\n",
		"ghp_" + v[:12] + "\u200b" + v[12:36], "ghp&#95;" + v[:36], "ghp_" + v[:12] + "\u00ad" + v[12:36],
		"AKIA" + m.randomText(16, upLetters) + "," + v, `Driver={x};Pwd={` + v + `};`,
		`- textbox "Password" [ref=e5]: ` + v,
		"Authorization: Digest username=\"ann\", response=\"" + hex + "\"", "network={\n psk=\"" + v + "\"\n}",
	} {
		out, _ := Default().Text(text)
		for _, part := range []string{v[4:14], v[22:34], hex} {
			if strings.Contains(out, part) {
				t.Errorf("%q became %q", text, out)
				break
			}
		}
	}
}
