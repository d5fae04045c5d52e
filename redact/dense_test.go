// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// hexOf and textOf are made up for the number n: 64 hexadecimal digits, and 24 characters of base64.
func hexOf(n int) string { return fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, n))) }

func textOf(n int) string {
	sum := sha256.Sum256(fmt.Append(nil, "text", n))
	return base64.StdEncoding.EncodeToString(sum[:18])
}

// pick is one of the words of list for the number n.
func pick(n int, list string) string {
	words := strings.Fields(list)
	return words[n%len(words)]
}

// dense makes the entry n of ordinary files with a name that tells, or a secret, in nearly every line.
var dense = map[string]func(n int) string{
	"one failed sign-in": func(int) string {
		return "2024-03-20T09:52:17.637Z [warn][API]: Failed sign-in attempt using invalid password " +
			`{"ip":"::ffff:127.0.0.1","email":"guest"}` + "\n"
	},
	"failed sign-ins": func(n int) string {
		return fmt.Sprintf("2024-03-20T09:%02d:%02d.637Z [warn][API]: Failed sign-in attempt using invalid Media password "+
			`{"ip":"::ffff:192.0.2.%d","email":"guest%d@example.com"}`+"\n", n/60%60, n%60, n%250, n%9)
	},
	"wrong tokens": func(n int) string {
		return fmt.Sprintf("time=\"2024-03-20T09:%02d:%02dZ\" level=warning msg=\"invalid session token for user u%d: "+
			"token expired\" component=auth\n", n/60%60, n%60, n)
	},
	"sshd": func(n int) string {
		return fmt.Sprintf("Mar 20 09:%02d:%02d host1 sshd[%d]: Failed password for invalid user %s from 192.0.2.%d port %d ssh2\n",
			n/60%60, n%60, 4000+n%900, pick(n, "admin oracle test git"), n%250, 40000+n%9999) +
			"Mar 20 09:00:01 host1 sshd[4001]: pam_unix(sshd:auth): check pass; user unknown\n"
	},
	"sudo": func(n int) string {
		return fmt.Sprintf("Mar 20 09:%02d:%02d host1 sudo: pam_unix(sudo:auth): authentication failure; logname=u%d uid=1000 "+
			"euid=0 tty=/dev/pts/1 ruser=u%d rhost=  user=u%d\n", n/60%60, n%60, n%7, n%7, n%7) +
			"Mar 20 09:00:01 host1 passwd[811]: pam_unix(passwd:chauthtok): password changed for ann\n"
	},
	"nginx": func(n int) string {
		return fmt.Sprintf("192.0.2.%d - - [20/Mar/2024:09:%02d:%02d +0000] \"POST /password/reset?token=%s HTTP/1.1\" 200 %d "+
			"\"https://example.com/login?session=%d\" \"Mozilla/5.0\"\n", n%250, n/60%60, n%60, hexOf(n)[:32], 100+n%999, n)
	},
	"nginx errors": func(n int) string {
		return fmt.Sprintf("2024/03/20 09:%02d:%02d [error] 28#28: *%d user \"u%d\": password mismatch, client: 192.0.2.%d, "+
			"server: example.com, request: \"GET /session/token HTTP/1.1\", host: \"example.com\"\n", n/60%60, n%60, n, n%9, n%250)
	},
	"firewall": func(n int) string {
		return fmt.Sprintf("[Thu Mar 20 13:27:06.%06d 2024] [:error] [pid 2560:tid 140496349419264] [client ::1:%d] [client ::1] "+
			`ModSecurity: Warning. Pattern match "(?i)(?:\\x5c|(?:%%(?:c(?:0%%(?:[2aq]f|5c|9v)|1%%(?:[19p]c|8s|af))|2(?:5(?:c(?:`+
			`0%%af|1%%9c)|2f|5c)|%%46|f)|0x(?:2f|5c)|\\/))" at ARGS:a. [file "/usr/share/crs/rules/REQUEST-930.conf"] `+
			`[line "47"] [id "930100"] [msg "Path Traversal Attack (/../)"] [data "Matched Data: /../ found within ARGS: `+
			`/?a=../../../../../etc/passwd"] [severity "CRITICAL"] [ver "CRS/3.3.0"] [tag "application-multi"] [tag "attack-lfi"] `+
			`[tag "capec/1000/255/153/126"] [hostname "localhost"] [uri "/"] [unique_id "%s"]`+"\n", n, 30000+n%9999, textOf(n))
	},
	"firewall audit": func(n int) string {
		return fmt.Sprintf(`{"transaction":{"time":"20/Mar/2024:13:27:06 +0000","transaction_id":"%s","remote_address":"192.0.2.%d",`+
			`"remote_port":%d},"request":{"request_line":"POST /login?next=/etc/passwd HTTP/1.1","headers":{"Host":"localhost",`+
			`"Authorization":"Basic %s","Cookie":"session=%s"},"body":["user=ann&password=hu3nter2Zq%d"]},"audit_data":{"messages":`+
			`["Warning. Pattern match \"(?:%%2(?:5(?:c|2f)|f))\" at ARGS:password. [file \"/etc/crs/REQUEST-930.conf\"] [msg `+
			`\"Found /etc/passwd\"]"]}}`+"\n", textOf(n), n%250, 30000+n%9999, textOf(n), hexOf(n)[:32], n)
	},
	"go test": func(n int) string {
		name := pick(n, "Password Token Session Login Auth Secret APIKey Cookie")
		return fmt.Sprintf("=== RUN   Test%s%d\n    auth_test.go:%d: got token %s, want password\n--- PASS: Test%s%d (0.%02ds)\n",
			name, n, n%800, hexOf(n)[:12], name, n, n%100)
	},
	"pytest": func(n int) string {
		return fmt.Sprintf("tests/test_%s.py::test_%s_is_rejected[%d] PASSED [%3d%%]\n", pick(n, "auth session token"),
			pick(n, "password token login api_key"), n, n%100)
	},
	"JUnit": func(n int) string {
		return fmt.Sprintf("<testcase classname=\"auth.%sTest\" name=\"%sIsHashed%d\" time=\"0.%03d\"/>\n",
			pick(n, "Password Session"), pick(n, "password token secret"), n, n%1000)
	},
	"mocha": func(n int) string {
		return fmt.Sprintf("  ✓ should reject the %s when the %s is wrong (%dms)\n", pick(n, "password token session cookie"),
			pick(n+1, "secret password signature"), n%90)
	},
	"env": func(n int) string {
		return fmt.Sprintf("%s_%d=/usr/lib/%d\nSERVICE%d_%s=%s\n", pick(n, "PATH HOME LANG GOFLAGS"), n, n, n,
			pick(n, "PASSWORD API_KEY TOKEN SECRET"), hexOf(n)[:20+n%20])
	},
	".env": func(n int) string {
		return fmt.Sprintf("%s_%d=\"%s\"\n", pick(n, "DB_PASSWORD STRIPE_SECRET_KEY JWT_SECRET SESSION_SECRET API_TOKEN"), n,
			textOf(n))
	},
	".env with remarks": func(n int) string {
		return fmt.Sprintf("# the secret key of service %d\nexport SERVICE_%d_SECRET_KEY='%s'\n", n, n, textOf(n))
	},
	"users in SQL": func(n int) string {
		return fmt.Sprintf("INSERT INTO users (id, name, email, password, token) VALUES (%d, 'ann%d', 'ann%d@example.com', "+
			"'$2b$10$%s%s', '%s');\n", n, n, n, textOf(n)[:22], hexOf(n)[:31], hexOf(n)[:32])
	},
	"dumped users": func(n int) string {
		row := fmt.Sprintf("(%d,'ann%d','ann%d@example.com','%s',NULL,'2024-03-20 09:00:00')", n, n, n, hexOf(n)[:40])
		switch {
		case n%40 == 0:
			return "INSERT INTO `users` (`id`,`login`,`email`,`password_hash`,`reset_token`,`created`) VALUES " + row + ","
		case n%40 == 39:
			return row + ";\n"
		}
		return row + ","
	},
	"COPY": func(n int) string {
		head := ""
		if n == 0 {
			head = "COPY public.users (id, login, email, password, session_token) FROM stdin;\n"
		}
		return head + fmt.Sprintf("%d\tann%d\tann%d@example.com\t%s\t%s\n", n, n, n, textOf(n), hexOf(n)[:32])
	},
	"Kubernetes": func(n int) string {
		return fmt.Sprintf("apiVersion: v1\nkind: Secret\nmetadata:\n  name: db-%d\n  namespace: app\ntype: Opaque\ndata:\n  "+
			"username: YWRtaW4=\n  password: %s\n  token: %s\n---\n", n, textOf(n), textOf(n+1))
	},
	"Kubernetes list": func(n int) string {
		return fmt.Sprintf("- apiVersion: v1\n  data:\n    password: %s\n    tls.key: %s\n  kind: Secret\n  metadata:\n    name: "+
			"db-%d\n  type: Opaque\n", textOf(n), textOf(n+1), n)
	},
	"kubectl": func(n int) string {
		head := ""
		if n == 0 {
			head = "NAMESPACE   NAME                  TYPE                                  DATA   AGE\n"
		}
		return head + fmt.Sprintf("app-%d       db-password-%-9d Opaque                                2      %dd\n"+
			"app-%d       default-token-%s   kubernetes.io/service-account-token   3      %dd\n", n%9, n, n%300,
			n%9, hexOf(n)[:5], n%300)
	},
	"Terraform": func(n int) string {
		return fmt.Sprintf("  # aws_db_instance.db%d will be created\n  + resource \"aws_db_instance\" \"db%d\" {\n      + "+
			"password = (sensitive value)\n      + username = \"admin\"\n      + auth_token = (known after apply)\n    }\n", n, n)
	},
	"OpenAPI": func(n int) string {
		return fmt.Sprintf("        password%d:\n          type: string\n          description: The password of the user, at least "+
			"%d characters.\n        access_token:\n          type: string\n          example: string\n", n, n%20)
	},
	"structured log": func(n int) string {
		return fmt.Sprintf(`{"level":"info","ts":1710925%03d.%d,"msg":"token refreshed","user":"u%d","token_type":"Bearer",`+
			`"session":"%s","expires_in":3600}`+"\n", n%1000, n%10, n, hexOf(n)[:32])
	},
	"questions": func(n int) string {
		return fmt.Sprintf("Password for user %d: \nEnter your password: \nThe password is wrong, try again (%d of 3).\n", n, n%3)
	},
	"Java": func(n int) string {
		return fmt.Sprintf("  this.password%d = Objects.requireNonNull(password%d, \"password must not be null\");\n", n, n)
	},
	"translations": func(n int) string {
		return fmt.Sprintf("  \"login.password%d.label\": \"Password\",\n  \"login.password%d.forgot\": \"Forgot your password?\",\n",
			n, n)
	},
}

// denseText is a file of entries, as many as make it size bytes long.
func denseText(entry func(n int) string, size int) string {
	var b strings.Builder
	for n := 0; b.Len() < size; n++ {
		b.WriteString(entry(n))
	}
	return b.String()
}

// TestDenseTextIsScanned has files in which nearly each line has a telling name or a secret: none is given up.
func TestDenseTextIsScanned(t *testing.T) {
	sizes := []int{4 << 10, 64 << 10}
	if !testing.Short() && raceSaving == 1 {
		sizes = append(sizes, 1<<20)
	}
	for name, entry := range dense {
		for _, size := range sizes {
			text := denseText(entry, size)
			for form, redacted := range map[string]func() Findings{
				"as it is": func() Findings { _, found := Default().Text(text); return found },
				"in JSON":  func() Findings { _, found := Default().JSON([]byte(object("text", text))); return found },
			} {
				if slices.ContainsFunc(redacted(), func(f Finding) bool { return f.Kind == "unscanned" }) {
					t.Errorf("%s, %d KiB, %s: unscanned", name, size>>10, form)
				}
			}
		}
	}
}
