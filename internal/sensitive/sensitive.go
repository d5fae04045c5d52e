// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package sensitive

import (
	"path"
	"strings"
)

// credentials are names of files and folders that hold credentials wherever they lie. A name with a slash
// is a file below that folder; a * is any text. Names are in lower case.
const credentials = `.ssh .aws .kube .gnupg .netrc _netrc .azure .oci .git-credentials .pgpass .password-store
	.vault-token .config/gcloud .config/gh .config/rclone .docker/config.json .dockercfg .htpasswd .boto .s3cfg
	.env .env.* *.env .envrc .npmrc .yarnrc.yml .pypirc .my.cnf .mylogin.cnf .git/config .gem/credentials .cargo/credentials
	.cargo/credentials.toml .terraformrc *.tfstate id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk
	*.key *.pem *.p12 *.pfx *.jks *.keystore *.kdbx *.ppk secrets.yaml secrets.yml secrets.json secrets.toml
	secret.yaml secret.yml secret.json secrets.env credentials.json credentials.yaml credentials.yml
	credentials.toml service-account.json service_account.json`

// examples are names that end like one of credentials and hold none.
const examples = `.env.example .env.sample .env.template .env.dist .env.defaults`

// starts are names of files and folders that a program executes when it starts, or that say what it executes.
const starts = `.git .githooks .husky .gitconfig .gitmodules .bashrc .bash_profile .bash_login .bash_logout
	.bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .cshrc .tcshrc .login .inputrc .envrc .direnv .tmux.conf
	.screenrc .vimrc .exrc .nvimrc .vim .nvim.lua .emacs .emacs.d .dir-locals.el .gdbinit .lldbinit .irbrc .pryrc .pythonrc
	.pythonstartup sitecustomize.py usercustomize.py *.pth .sqliterc .psqlrc .my.cnf .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs
	.cargo/config .cargo/config.toml .mvn .vscode .idea .devcontainer .pre-commit-config.yaml lefthook.yml .mcp.json
	.claude .cursor .ssh .config/autostart .config/systemd .config/git .config/fish .config/nvim`

// Credential returns the part of a path, with slashes, that holds credentials; "" if none does. Case, and the
// blanks and dots at the end of a name that Windows ignores, do not count.
func Credential(p string) string { return find(p, credentialNames) }

// Starts returns the part of a path that a program executes when it starts; "" if there is none.
func Starts(p string) string { return find(p, startNames) }

// InGit reports whether a path leads into a .git, or names one.
func InGit(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		if strings.EqualFold(strings.TrimRight(part, " ."), ".git") {
			return true
		}
	}
	return false
}

var (
	credentialNames = newNames(credentials, examples)
	startNames      = newNames(starts, "")
)

// names are the names to look for.
type names struct {
	exact    map[string]bool
	patterns []string
	not      map[string]bool
}

func newNames(list, except string) *names {
	n := &names{exact: map[string]bool{}, not: map[string]bool{}}
	for name := range strings.FieldsSeq(list) {
		if strings.Contains(name, "*") {
			n.patterns = append(n.patterns, name)
		} else {
			n.exact[name] = true
		}
	}
	for name := range strings.FieldsSeq(except) {
		n.not[name] = true
	}
	return n
}

func find(p string, n *names) string {
	before := ""
	for part := range strings.SplitSeq(p, "/") {
		part = strings.ToLower(strings.TrimRight(part, " ."))
		if n.has(part) {
			return part
		}
		if pair := before + "/" + part; n.exact[pair] {
			return pair
		}
		before = part
	}
	return ""
}

func (n *names) has(part string) bool {
	if n.exact[part] {
		return true
	}
	for _, pattern := range n.patterns {
		if ok, _ := path.Match(pattern, part); ok && !n.not[part] {
			return true
		}
	}
	return false
}
