// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
	"testing"
)

// removedFrom checks that text loses something.
func removedFrom(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if out, _ := Default().Text(text); out == text {
			t.Errorf("%q stays", text)
		}
	}
}

// TestKeepResults: "pass" with a sentence, a count or another end of a test beside it is no password.
func TestKeepResults(t *testing.T) {
	kept(t,
		`{"role-none":{"pass":"The default role was overridden","fail":"The default role was not"}}`,
		`{"size":{"pass":{"default":"Control has a size of ${data.width}px","obscured":"ignored"},"fail":"x"}}`,
		`{"valid":{"pass":"属性値が有効です","fail":"無効です"}}`,
		`{"lang":{"pass":"lang atributuaren balioa zerrendan dago","fail":"ez dago"}}`,
		"t.pass('close emitted')", "stream.on('close', () => { pass('close called') })", "t.pass('completed')",
		"status: ok ? 'pass' : 'fail'", "pass = 1.", "<dl><dt>pass</dt><dd>3 tests</dd></dl>",
		`The final pass over the tree is "walk".`,
		"| Name | Condition to pass |\n|---|---|\n| a | Exact match against the value |\n",
	)
	removedFrom(t,
		`{"user":"ann","pass":"Rex eats 4 bones"}`, `{"pass":"correct horse battery staple"}`, `{"pass":"hunter2"}`,
		`login: ann pass: open5esame`, `client.pass("hu3nter2Zq")`, "host: h\npass: hu3nter2Zq",
	)
}

// TestKeepBase64: what stands in a block of base64, or in binary data, is neither a name nor a token.
func TestKeepBase64(t *testing.T) {
	random := rand.NewChaCha8([32]byte{7})
	data := make([]byte, 48)
	line := func() string {
		_, _ = random.Read(data)
		return base64.StdEncoding.EncodeToString(data)
	}
	for range 200 {
		first, second := line()+"+/", "+/"+line()
		token := "sk" + strings.NewReplacer("+", "a", "/", "b").Replace(line() + line())[:62]
		kept(t,
			first+"\n"+line()[:52]+"+/dLp3Key4w\n"+second,
			first+"\n"+line()[:40]+"/"+token[:60]+"\n"+second+"\n",
			first+"\n"+strings.Repeat("A", 60+len(first)%9)+"DAwMDAwMAAwMDAwMD\n"+second+"\n",
		)
	}
	list := strings.Repeat("aB3dE5fG7hJ9kL1mN4pQ6r", 4)
	if out, _ := Default().Text("x EAA" + list + "\nEAA" + list + "\nEAA" + list + "\n"); strings.Contains(out, list) {
		t.Errorf("a list of tokens became %q", out)
	}
	binary := "\x01ann.lee@example.org\x00\xff\xfe\x9c\x00\x02\xd1\x03" + string([]byte{0x80, 0x81, 0x82, 1, 2, 3, 4})
	kept(t, "data "+base64.StdEncoding.EncodeToString([]byte("Package: tool v1"+binary)))
	removedFrom(t, "data "+base64.StdEncoding.EncodeToString([]byte("Package: tool v1 ann.lee@example.org")))
}

// TestKeepConstants: integers, constants and tables of source code are no numbers of people and no secrets.
func TestKeepConstants(t *testing.T) {
	kept(t,
		"NS_GET_OWNER_UID = 0x2000b704", "IFF_GROUP_ROUTING = 0x2000000", "#define FLAG_CRC_RFC3720 0x200000",
		`t.Run("SHA-512/224", func`, `t.Run("ML-DSA-44/100", func`, `{"uid": 1308537228663099396}`,
		"SYS_MEMFD_SECRET = 447", "secret: 42", "typeServerKeyExchange uint8 = 12", "kindSecret = 10",
		"#define OWN_PRIVATE_KEY 0x00000003UL", "#define CHECK_PASSWORD 0xce534356UL", "#define NID_userPassword 879",
		"ERR_NO_DATA = 30,\n ERR_INV_PASSPHRASE = 31,\n ERR_SIG_CLASS = 32,", "AUTH_PSK = 40,\n\tAUTH_DSS = 41",
		"591286729879\n956722026041\n4052739537881\n6557470319842\n", "int64(8204908297817606218),",
		"a + 8207351403619448057 - b",
		"191 220 203 95 151 223 199 8 207", "$(4503601774854144.0)", "1/637313996471",
		"var i int32 = +2147483647", "{+100000000, +123456789}", "at 21:00:57 +1130 2010", "See C++14 20.10.4.2",
		"#define END_OF_TEXT  1000000", "<Buffer 00 00 00 00 00>", "# 00CC; 0069 0307 0300; 00CC;",
	)
	removedFrom(t,
		"card 4052739537881", "pan: 4111 1111 1111 1111", "paid with 4111111111111111", `"6250000000000000005"`,
		"+1 415 555 0132", "+14155550132", "+49 170 1234567", "password: 31", "password=123456",
		"api_key = 123456789", "run: 12.345.678-5",
	)
}

// TestKeepNoMailbox: an '@' before a version, a scale or a member, and one in a dump of bytes, is of no mailbox.
func TestKeepNoMailbox(t *testing.T) {
	kept(t, "-- /rsc.io/badzip@v1.0.0.txt --", "npm i left-pad@1.3.0.tgz", "icon@2x.png",
		"runs 'go mod download' for m.Path@m.Version,",
		"%pcrel_hi(function@.got.plt)", "|.By..s@.....EW..|", "url.git@github.com.insteadOf", "@scope/pkg@1.0.0", "@app.route('/x')")
	removedFrom(t, "ann@v1.example.com", "ann.lee@163.com", "ANN@EXAMPLE.ORG", "x2@mail2.example.co.uk")
}

// TestKeepChoices: a list of what may be chosen, public keys, images and programs are no secrets; a quote is of no name.
func TestKeepChoices(t *testing.T) {
	spki := "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A" + strings.Repeat("MIIBCgKCAQEAu", 4)
	kept(t, `{"auth_token":"none|basic|digest"}`, "password: [none | basic | digest]", `{"secret":"file|env|vault"}`,
		`{"api_key":"`+spki+`"}`, `{"signing_key":"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGmR1bVjVdC3kQbQvT0pYwS7"}`,
		`{"secret":"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"}`,
		"const apiKey = `\n-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VuAyEA5yGXrH/6OzxuWEhEWS01/f4OP+Of3Yrddy6\n-----END PUBLIC KEY-----`",
		"@param {string} address - An IPv4 address string",
	)
	removedFrom(t, `{"password":"a|B7x|q"}`, `{"signing_key":"MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7x1"}`)
	if out, _ := Default().Text("{ lastName: 'Doe', age: 1 }"); out != "{ lastName: '[REDACTED:person-name]', age: 1 }" {
		t.Errorf("the quote behind a name: %q", out)
	}
}

// TestKeepProperty: a property without a value ends the text.
func TestKeepProperty(t *testing.T) {
	kept(t, "public string? Password { get; set; }", "public string Password { get; set; } ")
	removedFrom(t, `public string Password { get; set; } = "hu3nter2Zq";`)
}

// TestKeepAddresses: of an address goes the mailbox, not the name of the field, variable or option before it. Hosts,
// units, the ids of clients and the algorithms of a protocol are no mailboxes.
func TestKeepAddresses(t *testing.T) {
	for _, name := range []string{"set_id=", "--username=", "--user-name=", "EmailAddress=", "GIT_AUTHOR_EMAIL='",
		"full=emailaddress="} {
		if out, _ := Default().Text(name + "ann.lee@test.com"); out != name+"[REDACTED:email]" {
			t.Errorf("%q became %q", name, out)
		}
	}
	kept(t, `curl -F "file=@printenv.pl" http://h/x`, "rsync to hadoop@ec2-52-52-41-150.us-west-2.compute.amazonaws.com",
		`"aud": "client.5498841531868486423.1548@apps.example.com"`, "/user.slice/user@1000.service",
		"MAC:hmac-sha2-256-etm@openssh.com", "\n \n+@pytest.mark.filterwarnings('ignore')", "-@app.route('/x')")
	for _, address := range []string{"bounce-ann=example.com@lists.test.org", "a.b@ec2-mail.test.org"} {
		if out, _ := Default().Text("to " + address + " now"); out != "to [REDACTED:email] now" {
			t.Errorf("%q became %q", address, out)
		}
	}
}

// TestKeepIdentifiers: the identifiers of standards, masked numbers, constants and dotted names of code are no
// numbers and names of people.
func TestKeepIdentifiers(t *testing.T) {
	kept(t,
		"ds.file_meta.TransferSyntaxUID = '1.2.840.10008.1.2.1'", "header: &Header{Uid: 07777777},", "Uid: 010000000,",
		`t.Run("GO111MODULE="+v, f)`, "your bank account number XXXXXX1111 with the routing number XXXXX0000.",
		`<test-case name="A" fullname="NUnit.Tests.Assemblies.MockTest">`, `baseType.FullName == "Microsoft.Data.Context"`,
	)
	removedFrom(t, "bank account number 4411220011", `fullname="Ann Leemann"`, "full name: Prof.Ann Leemann",
		"bank account number 12.3456.7890")
}

// TestKeepReferences: a protocol's version, a file, the id of a request and the next member of JSON in a string are no
// secrets, nor is what a program decided.
func TestKeepReferences(t *testing.T) {
	kept(t,
		`1.2.3.4 - - [30/Sep/2021:08:00:55 +0000] "GET /.passwd HTTP/1.1" 404 196`, "GET /secret HTTP/1.1",
		"tool --passphrase file://path-to-passphrase-file", "tool --secret-string fileb://creds.bin",
		`--resources "[{\"Id\": \"TwilioAuthToken\",\"Name\": \"Mine\",\"ResourceDataContainer\": {}}]"`,
		`"authorization.k8s.io/decision":"allow","authorization.k8s.io/reason":""`,
		"aws dynamodb list-tables --starting-token abCDeFGhiJKlmnOPqrSTuvwxYZ1aBCdEFghijK7LM51nOpqRS",
		"aws ec2 x --cidr-authorization-context Message=$text,Signature=$s",
	)
}

// TestKeepNames: names of algorithms, regions, resources and requests, and placeholders, are no secrets.
func TestKeepNames(t *testing.T) {
	const uuid = "5236cffc-ee13-4a32-bb5b-388d9da09d96"
	kept(t,
		"negotiated algorithms: {KeyExchange:curve25519-sha256 HostKey:ssh-ed25519 Read:{Cipher:aes256-ctr",
		`#define TLS1_TXT_PSK_WITH_AES_128_CBC_SHA "PSK-AES128-CBC-SHA"`,
		`#define TLS1_RFC_PSK "TLS_RSA_PSK_WITH_CHACHA20_POLY1305_SHA256"`,
		"example replicates a secret to eu-west-3. The replica is encrypted with",
		`"ClientToken": "`+uuid+`"`, "--client-token "+uuid, `"RequestToken": "`+uuid+`"`,
		"--change-token 12cs345-67cd-890b-1cd2-c3a4567d89f1", `"Sid":"`+uuid+`-external-principals"`,
		`"key": "signed-`+uuid+`"`, `"Key": "pa-7wz4cu5cxxxxx"`, `"Key": "subnet-0a1b2c3d4e5f"`,
		`"Key": "build-a1b2c3d4-5678-90ab-cdef-EXAMPLE11111"`,
		`llm = C(model="gpt-4o", api_key="sk-xxx")`, "export OPENAI_API_KEY=sk-....", `C(api_key="test")`,
		`{ UserId = this.AgentId.Key, UserMessage = "Goodbye" };`, "x[(agentId.Type, agentId.Key)] = worker;",
	)
	removedFrom(t, `"api_key": "sk-live-x7Qm2"`, `"access_token": "`+uuid+`"`,
		`"password": "eu-west-33"`, `"psk": "aes-Tr1ck-sha"`, `"api_key": "`+"Zq7"+`xKm2pLw9"`)
}

// TestKeepSentences: Markdown, the help of an option, the title of a test, a message and a path are running text.
func TestKeepSentences(t *testing.T) {
	kept(t,
		"**To force a password change**\n\nThe following", "see the current account password policy**",
		"In such case username and password **SHOULD** be redacted",
		"  -W, --password           force password prompt (should happen automatically)",
		"--password via the CLI is insecure", "Replace `<CLIENT_SECRET>` with the value shown in the console.",
		`"title": "should pass through options to Runner#run",`, "self.passwords = {x.strip() for x in f}",
		`assert.strictEqual(calls[0].value, 'secret-value', 'censor should receive the actual value')`,
		`log.Printf("error acquiring upload token: creating token file: %v", err)`, "-Rpass=loop-vectorize",
		`'reset_password' => 'Şifreyi sıfırla',`, `'api_token_update' => '갱신된 API 토큰',`, `"user_password": "您确定要更改密码吗？"`,
		`t.Errorf("recipient: unexpected exported secret: got %x want %x", got, value)`,
		"{Certificate: c, PrivateKey: brokenSigner{testRSAPrivateKey},", "?X-Amz-Security-Token=[token]&X-Amz-Algorithm=A",
		`user-secrets set "Github:WebhookSecret" "webhook_secret"`, `"Dukpt={Mode=ECB,KeySerialNumber=0123456789111111}"`,
		"fe: Element{84926274344903, 473620666599931, 365590438845504, 1028470286882429, 2146499180}",
	)
	removedFrom(t, `'password' => 'größe7Zq'`, `password: "über alle berge"`, "mysql --password hunter2Zq shop", "`<password>hu3nter2Zq</password>`",
		"the password is **hu3nter2Zq**",
		"password: hu3nter2Zq", "--password  hu3nter2Zq -v",
		"[4111111111111111, 5500005555555559, 4012888888881881]", "7, 4111111111111111, 12")
}

// TestKeepZeros: blocks of base64 with zero bytes begin like tokens of issuers.
func TestKeepZeros(t *testing.T) {
	kept(t, "\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAADAwMDAwMDAAMDAwMDAw\n"+
		"MAAwMDAwMDAwADAwMDAwMDA2MDAwADAwMDAwMDAwMDAwADAyMjIyNwAgUwAAAAAAAAAAAAAAAAAA\nAAAAAAAAAAAAAAAAAAAAAAAA\n",
		"\nEAAZABhAAAAAAAAAAAAAAAAAAAA6AQAAEgAOAEAQAAAAAAAAAIgAAAAAAAABxAQAAEAAZABBAAAAA\nAAAAAAAAAAAAAAB9AQAAEgA=\n")
}

// TestPlusOfPhone: the sign of the country's code is a part of a phone number.
func TestPlusOfPhone(t *testing.T) {
	if out, _ := Default().Text(`"E164PhoneNumber": "+12065550100"`); out != `"E164PhoneNumber": "[REDACTED:phone-number]"` {
		t.Errorf("became %q", out)
	}
}
