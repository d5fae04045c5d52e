// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package sensitive

import (
	"path"
	"strings"
)

// probes are names of credentials that a pattern is tried on: of each kind one.
const probes = `.env .env.local prod.env .npmrc .netrc .pypirc .pgpass .git-credentials .ssh .aws .kube .gnupg .docker .envrc
	.bash_history id_rsa id_ed25519 server.key server.pem terraform.tfstate kubeconfig store.jks vault.kdbx .htpasswd .my.cnf
	secrets.yaml credentials.json`

// Pattern returns a name of credentials that a pattern of a path may mean; "" if it means none. A pattern of nothing but
// wildcards, or of an ending that most files with it do not share with credentials (*.json), says nothing about them. hidden
// says that a * also matches the dot at the beginning of a name, as in patterns of git.
func Pattern(p string, hidden bool) string {
	for part := range strings.SplitSeq(strings.ToLower(p), "/") {
		if !strings.ContainsAny(part, "*?[") || strings.Trim(part, "*?.[]!") == "" && !strings.HasPrefix(part, ".") || common[part] {
			continue
		}
		part = strings.ReplaceAll(part, "[!", "[^")
		for probe := range strings.FieldsSeq(probes) {
			if probe[0] == '.' && part[0] != '.' && !hidden {
				continue
			}
			if ok, err := path.Match(part, probe); ok || err != nil {
				return probe
			}
		}
	}
	return ""
}

// common are patterns of files most of which hold no credentials.
var common = map[string]bool{"*.json": true, "*.yaml": true, "*.yml": true, "*.y*ml": true, "*.y?ml": true, ".git*": true}

// Variable reports whether the name of a variable says that it holds a credential: GITHUB_TOKEN, DB_PASSWORD.
func Variable(name string) bool {
	name = strings.ToLower(name)
	for word := range strings.SplitSeq(name, "_") {
		if secretWords[word] {
			return true
		}
	}
	for _, ending := range []string{"token", "secret", "password", "passwd", "apikey", "credentials"} {
		if strings.HasSuffix(name, ending) {
			return true
		}
	}
	return strings.HasSuffix(name, "database_url") || strings.HasSuffix(name, "connection_string")
}

var secretWords = map[string]bool{"token": true, "tokens": true, "secret": true, "secrets": true, "password": true,
	"passwd": true, "passphrase": true, "pass": true, "credential": true, "credentials": true, "apikey": true, "key": true,
	"pat": true, "auth": true, "dsn": true, "cookie": true, "jwt": true, "bearer": true, "pgpassword": true, "webhook": true}
