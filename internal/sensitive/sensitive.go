// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package sensitive

import (
	"path"
	"strings"
)

// credentials are names of files and folders that hold credentials wherever they lie. A name with a slash
// is a file below that folder; a * is any text. Names are in lower case. The list has what the deny lists of
// gitleaks, trufflehog, gitrob, Claude Code and Codex have in common, as far as a name alone says so.
const credentials = `.ssh .aws .kube .gnupg .netrc _netrc .azure .oci .git-credentials .pgpass .password-store .authinfo
	.vault-token .config/gcloud .config/gh .config/glab-cli .config/hub .config/rclone .config/op .config/doctl .config/sops
	.config/git/credentials .docker/config.json .dockercfg .dockerconfigjson .htpasswd .boto .s3cfg .passwd-s3fs .databrickscfg
	.ftpconfig .esmtprc .msmtprc .fetchmailrc .env .env.* .env-* *.env .envrc .npmrc .yarnrc.yml .pypirc .my.cnf .mylogin.cnf
	.git/config .gem/credentials .cargo/credentials .cargo/credentials.toml .m2/settings.xml .m2/settings-security.xml
	.gradle/gradle.properties .composer/auth.json .bundle/config .terraformrc .terraform.d *.tfstate *.tfvars *.tfvars.json
	.*_history .bash_sessions .claude/.credentials.json .codex/auth.json .gemini/oauth_creds.json
	id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk *.key *.pem *.p8 *.p12 *.pfx *.pkcs12 *.jks *.keystore *.bks *.kdb
	*.kdbx *.ppk *.agekey *.ovpn *.keychain *.keychain-db *.publishsettings kubeconfig *.kubeconfig kubeconfig.yaml kubeconfig.yml
	secrets.yaml secrets.yml secrets.json secrets.toml secrets.ini secrets.txt secrets.xml secrets.env secrets.properties
	secret.yaml secret.yml secret.json secret.toml secret.txt *.secrets.yaml *.secrets.yml *.secrets.json credentials.json
	credentials.yaml credentials.yml credentials.toml credentials.xml credentials.ini credentials.csv credentials.db credentials.txt
	client_secret.json client_secret_*.json client_secrets.json service-account.json service_account.json service-account-*.json
	service_account_*.json serviceaccount.json application_default_credentials.json wp-config.php localsettings.php filezilla.xml
	sitemanager.xml .vault_pass .vault_pass.txt .erlang.cookie key3.db key4.db logins.json cookies.sqlite wallet.dat`

// copyEndings are what editors and people add to the name of a copy, which holds what the file does.
const copyEndings = `.bak .backup .old .orig .save .swp .swo .swn .copy .dpkg-old .rpmsave ~ .gz .zip .tmp`

// examples are names that end like one of credentials and hold none.
const examples = `.env.example .env.sample .env.template .env.dist .env.defaults .env.schema .env.d.ts example.env
	sample.env template.env terraform.tfvars.example`

// starts are names of files and folders that a program executes when it starts, or that say what it executes.
const starts = `.git .githooks .husky .gitconfig .gitmodules .bashrc .bash_profile .bash_login .bash_logout
	.bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .cshrc .tcshrc .login .inputrc .envrc .direnv .tmux.conf
	.screenrc .vimrc .exrc .nvimrc .vim .nvim.lua .emacs .emacs.d .dir-locals.el .gdbinit .lldbinit .irbrc .pryrc .pythonrc
	.pythonstartup sitecustomize.py usercustomize.py *.pth .sqliterc .psqlrc .my.cnf .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs
	.cargo/config .cargo/config.toml .mvn .vscode .idea .devcontainer .pre-commit-config.yaml lefthook.yml .mcp.json
	.claude .cursor .ssh .config/autostart .config/systemd .config/git .config/fish .config/nvim`

// Credential returns the part of a path, with slashes, that holds credentials; "" if none does. Case, the
// blanks and dots at the end of a name that Windows ignores, and endings of copies (.bak, ~) do not count.
func Credential(p string) string { return find(p, credentialNames) }

// Fixture reports whether a path lies in a folder of test data, whose credentials are no secrets. Searches and the
// sandbox let them be read.
func Fixture(p string) bool {
	return strings.Contains("/"+p, "/testdata/") || strings.Contains("/"+p, "/node_modules/")
}

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
	credentialNames = newNames(credentials, examples, copyEndings)
	startNames      = newNames(starts, "", "")
)

// names are the names to look for.
type names struct {
	exact    map[string]bool
	patterns []string
	not      map[string]bool
	endings  []string
}

func newNames(list, except, endings string) *names {
	n := &names{exact: map[string]bool{}, not: map[string]bool{}, endings: strings.Fields(endings)}
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
		if found := n.original(before, part); found != "" {
			return found
		}
		before = part
	}
	return ""
}

// original is the name that is listed, or of which part is a copy; "" if there is none.
func (n *names) original(before, part string) string {
	for range 3 { // .env.bak~
		if n.has(part) {
			return part
		}
		if pair := before + "/" + part; n.exact[pair] {
			return pair
		}
		cut := part
		for _, ending := range n.endings {
			if cut = strings.TrimSuffix(part, ending); cut != part {
				break
			}
		}
		if cut == part || cut == "" {
			return ""
		}
		if strings.HasPrefix(cut, "..") { // of an editor: ..env.swp
			cut = cut[1:]
		}
		part = cut
	}
	return ""
}

func (n *names) has(part string) bool {
	if n.exact[part] {
		return true
	}
	if n.not[part] {
		return false
	}
	for _, pattern := range n.patterns {
		if ok, _ := path.Match(pattern, part); ok {
			return true
		}
	}
	return false
}
