// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import "testing"

// TestKeepOrdinaryFiles: lines of manifests, logs, source code and documents in which a
// telling name stands beside what is no secret.
func TestKeepOrdinaryFiles(t *testing.T) {
	for _, text := range []string{
		// Packages that have the name of a secret, and their versions.
		`"dependencies": {"cookie": "^0.7.1", "minipass": "7.1.3", "pbkdf2-password": "~1.2", "lint-password": "workspace:*"}`,
		"  minipass: 7.1.3\n  registry-auth-token: 3.3.2-rc.1\n",
		" * upgraded `cookie-signature` to 1.2.1",

		// Permissions, and names of secrets rather than secrets.
		"permissions:\n  contents: read\n  id-token: write\n",
		"jobs:\n  call:\n    secrets: inherit\n",
		"  server-password: MAVEN_PASSWORD\n",
		`env("user", "OAUTH_TOKEN", "OAUTH_TOKEN_SECRET")`,
		"  adminSecretNamespace: kube-system\n  existingSecret: web-config\n",
		`configFromSecret: "prometheus-config"`,
		"--from-literal=access_key=[ACCESS_KEY_ID]",
		`Authorization: token ${{ secrets.BOT_PAT }}`,
		"https://x-access-token:${BOT_TOKEN}@example.com/a/b",
		`[{\"name\":\"API_KEY\",\"value\":\"${API_KEY}\"}]`,

		`"node_modules/cookie-token": {"integrity": "sha512-` + newMaker(2).drawn(86) + `=="}`,
		"secrets:\n  - db-files\n  - web-files\n",
		"existingSecret: web-secret\ncertificatesSecret=\"certificates-tls-secret\"",
		"kind: Secret\ndata:\n  {{- range $key, $value := .Values.all }}\n  tls.key: {{ include \"lookup\" (dict " +
			"\"key\" 1) }}\n",
		`"key" "mysql-root-password" "length" 10`,
		`resource "random_password" "master_password" {`,
		`ping --password="$$(cat /run/secrets/db)"`,
		"proxy_pass http://backend:8000;\n  fastcgi_pass 127.0.0.1:9000;",
		"[host-authorization]: https://example.com/a/b",

		// Programs of which another word has the name.
		"  name: mysql-pod\n  image: mysql-persistent",

		// Documents.
		"valid are `apiKey`, `http`, `mutualTLS`",
		"never together with `authorization`, `bearerTokenSecret` or `oauth2`",
		"tells how the bearer token is formatted. The cookie is expired.",
		"* `apiPassword`: The password of the interface.",
		`secret "web" created`,
		`a file to pass to "go tool cover"`,

		"set the user password (#2518) ([f105cbc](https://example.com))",

		// Source code.
		`("username", "password", "message")`,
		`of("wrapKey", "Encrypt key", "unwrapKey")`,
		"KeyRequest<SecretKey> request) throws <T> x",
		"<input type=password name=password>",
		"this.applyKey = b.applyKey;",
		"headers: { Authorization: token }",
		"Never pass :data:`app` on.",
		"SECRET_KEY = ConfigAttribute[str | None](1)",
		"sslkey=client.key sslmode=require",
		"let auth_token = AuthToken::default();",
		"struct S { auth_token: AuthToken,",
		"password = fields[i+1]",
		"cookies: RequestsCookieJar | None",
		"cookies = CookieJar<T>",
		"const authPassword authMethod = 0x02",
		"case MethodUsernamePassword:\n\tif len(up.Username) == 0 {",
		`smtp.PlainAuth("", user, "password", "mail.example.com")`,
		"interceptKey: key 4 , result : 1",
		`sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==`,

		// Numbers that are no phone's.
		"+2.34.2 (2026-05-14)\n+------\n",
		"from intel.example.net [195.154.37.122] failed",
		"com.example.mobileqq at 1702 17633 E Manager",
		"call from 195.154.37.122",
		`viewBox="0 0 1140 360"`,
		`Project("{9A19103F-16F7-4668-BE54-9A1E7A4F7556}")`,
		"packages/0b/bc13f787394920b23073ca3b6c4a7a21396301ed/x",

		// Sessions of servers.
		"closed connection for sessionid: 0x14ede63a5a70002",
		"CBS Session: 30546173_4261722401 initialized",
	} {
		if out, found := Default().Text(text); out != text {
			t.Errorf("%q became %q with %v", text, out, found.Kinds())
		}
	}
}
