// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// codeKept are lines of source code and of texts about it in which a telling name has no secret beside it, by what
// stands there instead.
var codeKept = map[string][]string{
	"another name": {
		"cert.PrivateKey = testRSAPrivateKey", "this._password=s._password;", `"password": new_password,`,
		"password=raw_password)", "\tPassword: pw,\n\tUser: u,", "client_secret:zt,idp_client_id:Bt",
		"setSecret(secret: Uint8Array): void", "val passwordEncoder: PasswordEncoder = x()", "ADMIN_PASSWORD_COUNT = 23",
		"#define OPT_PASSWORD OPT_BASE+1", "authorization = OAuth2AuthorizationContext\n    .withClient(x)",
		"OAuth2Authorization.Token<OAuth2AccessToken> token", "--password=PASS  the one to use",
		"    HTTP_AUTHORIZATION=auth_header,\n    user=user)", "eq(app.secret, PLAIN_SECRET)\nfor(check(PLAIN_X), app.secret2)",
	},
	"an expression": {
		"password: getPassword(x),", "const token = buf.toString('hex');", "password = data['password']",
		`"refresh_token": content["refresh_token"],`, "access_token=access_tokens[i],", "secret = ikm[:32]",
		"clientSecret:this.mode===`none`?void 0:`x`", "secret: !0,", "onAuthorizationRequest:e=>{n++},",
		"{client_id:I,client_secret:jt}}}async stop()", `"Password is " + strength`, `f"password={password!r}"`,
		"OAUTH_TOKEN:{id:`x`,url:`y`}", "hasSecret:!!r,...o&&{e:o}", "x?this._password+=M:this._user+=M}else y",
		`#define PARAM_PASSWORD "pass"`, `deleteAuthorization: ["DELETE /applications/{client_id}/grant"],`, "id_token.update(**claims)",
		`user_pass = "{0}:{1}".format(a, b)`, "'password' => ['PGPASSWORD' => $x],", "Secret: corev1.SecretReference{Name: name},",
	},
	"documentation": {
		"class IDToken(Token):\n    \"\"\"Exists to be set up.\"\"\"", "def check_token(token):\n    # the caller has looked",
		"except Token.DoesNotExist:\n    pass", "@param password {@link Password} to hash",
		"obtain the token, a `OAuth2AccessToken` from `HttpServletRequest`", "private key is PEM-encoded text",
		"pass the result to [os.Exit].", "- **secret** (string): Webhook secret.",
	},
	"a message": {
		`"wrongPassword": "Falsches Passwort. Bitte noch einmal"`, `"confirmPassword": "Please type it once more",`,
		`"passwordTooShort": "Le mot de passe est trop court"`, "emptyPassword=Leeres Passwort",
		`PASSWORD_MISMATCH("error.mismatch", "They are not the same"),`, `throw new InvalidTokenException("Missing issuer");`,
		`"newPassword": "Neues Passwort"`, `"password": "Mot de passe"`, "label.secret = Shared secret",
	},
	"a term": {
		`secret = "HS256"`, `secretKey: "AES-256-GCM"`, `newSecretKey("PBKDF2WithHmacSHA1", spec)`,
		"password.encode('utf-8')", `new PasswordEncoder("SHA-1")`, "authorization: 'X-Api-Key'",
		`case "Authorization", "Www-Authenticate":`, `clientSecret: "client_secret_basic"`, `SECRET: "GITHUB_TOKEN"`,
		"auth_token: 'application/json'", `"password_grant": "urn:ietf:params:oauth:grant-type:password"`,
		"privateKeyPEM = `\n-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VuAyEA5yGXrH/6OzxuWEhEWS01`",
	},
	"a prompt": {
		`pw = getpass.getpass("IMAP password for %s" % user)`, `prompt_password("Password for {}: ", user)`,
		"key = password('What is the encryption key?')", `askPassword("Type it again")`, "t.pass('error emitted')",
		".argument('[password]', 'password for user, if required')",
	},
}

func TestCodeIsKept(t *testing.T) {
	for what, lines := range codeKept {
		for _, line := range lines {
			for _, text := range []string{line, "x\n\t" + line + "\n\ty = 2\n"} {
				if out, _ := Default().Text(text); strings.Contains(out, "[REDACTED:") {
					t.Errorf("%s: %q became %q", what, text, out)
				}
			}
		}
	}
}

// TestSecretsInCode has, in the places of [codeKept], values that are secrets. ‹p› and ‹t› are a password and a token.
func TestSecretsInCode(t *testing.T) {
	r := &review{maker: maker{rand.New(rand.NewPCG(freshSeed, 54))}, reviewSet: carrierSet}
	for _, line := range []string{
		`const apiKey = "‹t›"`, `password := "‹p›"`, "\tPassword: \"‹p›\",\n", `private static final String PASSWORD = "‹p›";`,
		`setPassword("‹p›");`, `.clientSecret("‹t›")`, `"password": "‹p›",`, "password: ‹p›", "DB_PASSWORD=‹p›",
		`#define DB_PASSWORD "‹p›"`, `connect(user="ann", password="‹p›")`, `if password == "‹p›" {`,
		`# the password is ‹p›`, "def f():\n    \"\"\"The password is ‹p› for now.\"\"\"", `passwordEncoder.encode("‹p›")`,
		`password: "acorn barley cinder dahlia"`, `passphrase: "the acorn in the barley and the cinder"`, `password = "SHA2‹p›"`, `password: "Basic‹p›"`,
	} {
		for range 8 {
			word := capital(r.pick(r.words...))
			value := r.pick(word+"8"+capital(r.pick(r.words...)), word+"1987!", r.randomText(12, letters62)+"7")
			text := strings.NewReplacer("‹p›", value, "‹t›", r.randomText(24, letters62)+"7").Replace(line)
			if out, _ := Default().Text(text); !strings.Contains(out, "[REDACTED:") {
				t.Errorf("%q: nothing is removed", text)
			}
		}
	}
}
