// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package shell

import "strings"

// dangerous are the variables that change which program a name means, how bash
// reads, or what a harmless program starts. A trailing * is any ending.
var dangerous = []string{
	"PATH", "LD_*", "DYLD_*", "GIT_*", "BASH_ENV", "ENV", "IFS", "PROMPT_COMMAND", "PS0", "PS1", "PS2", "PS4",
	"SHELLOPTS", "BASHOPTS", "BASH_FUNC_*",
	"BASH_LOADABLES_PATH", "BASH_XTRACEFD", "BASH_CMDS", "BASH_ALIASES", "BASH_COMPAT", "POSIXLY_CORRECT",
	"EXECIGNORE", "GLOBIGNORE", "CDPATH", "HOME", "XDG_*", "SHELL", "ZDOTDIR", "HISTFILE",
	"EDITOR", "VISUAL", "PAGER", "MANPAGER", "MANOPT", "BROWSER", "LESS", "LESSOPEN", "LESSCLOSE", "LESSKEY*",
	"MORE", "VIMINIT", "EXINIT", "FCEDIT", "SUDO_*", "SSH_*",
	"PERL5*", "PERLLIB", "PYTHON*", "RUBY*", "GEM_*", "BUNDLE_*", "NODE_*", "NPM_*", "npm_*", "JAVA_*",
	"_JAVA_OPTIONS", "JDK_*", "CLASSPATH", "MAVEN_*", "GRADLE_*", "LUA_*", "PHP*", "R_*", "CGO_*", "PKG_CONFIG*",
	"GNUPGHOME", "GPG_*",
	"GOFLAGS", "GOROOT", "GOPATH", "GOBIN", "GOENV", "GOWORK", "GOTOOLCHAIN", "GOTOOLDIR", "GOPROXY", "GONOPROXY",
	"GOSUMDB", "GONOSUMDB", "GONOSUMCHECK", "GOPRIVATE", "GOINSECURE", "GOVCS", "GOAUTH", "GOCACHE", "GOCACHEPROG",
	"GOMODCACHE", "GOCOVERDIR", "GODEBUG", "GOTMPDIR", "GCCGO", "GO_EXTLINK_ENABLED", "GO_LDSO",
	"CARGO*", "RUSTC*", "RUSTFLAGS", "RUSTUP_*", "CC", "CXX", "CPP", "LD", "AR", "MAKE*", "CONFIG_SITE", "CMAKE_*",
	"TAR_OPTIONS", "GZIP", "RSYNC_*", "CVS_RSH", "SVN_*", "HG*", "DOCKER_*", "KUBECONFIG",
	"GCONV_PATH", "LOCPATH", "NLSPATH", "TEXTDOMAIN*", "TERMINFO*", "TERMCAP", "HOSTALIASES", "RES_OPTIONS",
	"TMPDIR", "OPENSSL_*", "SSL_*", "CURL_HOME", "WGETRC", "NETRC", "INPUTRC", "AWKPATH", "AWKLIBPATH", "PSQL*",
	"PGSERVICEFILE", "MYSQL_*",
	"ANSIBLE_*", "TF_*", "PIP_*", "VIRTUAL_ENV", "CONDA_*", "GREP_OPTIONS", "http_proxy", "https_proxy",
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY",
}

// tuning are the variables of those families that only say how a program works or what it
// prints: the platform to build for, limits, colours, whom to name as the author.
var tuning = []string{
	"CGO_ENABLED", "NODE_ENV", "NODE_NO_WARNINGS", "NODE_DISABLE_COLORS", "NODE_VERSION", "PYTHONUNBUFFERED",
	"PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED", "PYTHONIOENCODING", "PYTHONUTF8", "PYTHONFAULTHANDLER",
	"PYTHONNOUSERSITE", "PYTHONSAFEPATH",
	"CARGO_TERM_*", "CARGO_INCREMENTAL", "CARGO_BUILD_JOBS", "CARGO_NET_OFFLINE", "CARGO_NET_RETRY",
	"PIP_DISABLE_PIP_VERSION_CHECK", "PIP_NO_INPUT", "PIP_QUIET", "PIP_PROGRESS_BAR", "DOCKER_BUILDKIT",
	"DOCKER_CLI_HINTS", "TF_IN_AUTOMATION", "TF_INPUT", "TF_VAR_*",
	"ANSIBLE_NOCOLOR", "ANSIBLE_FORCE_COLOR", "HGPLAIN",
}

// Dangerous reports whether setting the variable may change which programs run:
// PATH, LD_PRELOAD, GIT_SSH and their like.
func Dangerous(name string) bool { return among(dangerous, name) && !among(tuning, name) }

// tame are settings of dangerous variables that switch something off, or print instead of asking.
var tame = NameSet(`
	GOWORK=off GOTOOLCHAIN=local GOPROXY=off GOFLAGS=-mod=readonly GOFLAGS=-mod=vendor GOFLAGS=-race
	GOFLAGS=-count=1 GOFLAGS= PAGER=cat GIT_PAGER=cat GIT_PAGER= PAGER= MANPAGER=cat GIT_TERMINAL_PROMPT=0
	GIT_EDITOR=true EDITOR=true GIT_OPTIONAL_LOCKS=0 NPM_CONFIG_YES=true npm_config_yes=true
`)

// printing are variables, and beginnings of their names, that change how a program prints or for which platform it builds.
var printing = []string{"LANG", "LANGUAGE", "LC_*", "TZ", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE",
	"FORCE_COLOR", "COLUMNS", "LINES", "CI",
	"TERM", "CGO_ENABLED", "GOOS", "GOARCH", "GOARM", "GOAMD64", "GO386", "GOARM64", "GOMAXPROCS",
	"GOMEMLIMIT", "GOGC", "GOTRACEBACK",
	"NODE_ENV", "NODE_NO_WARNINGS", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED",
	"PYTHONIOENCODING", "PYTHONUTF8",
	"RUST_BACKTRACE", "RUST_LOG", "CARGO_TERM_*", "CARGO_INCREMENTAL", "VERBOSE", "PYTEST_DISABLE_PLUGIN_AUTOLOAD"}

// DangerousValue is [Dangerous] for a setting, of which some values of dangerous variables are harmless.
func DangerousValue(a Assign) bool {
	return Dangerous(a.Name) && !(a.Value.Known && tame[a.Name+"="+a.Value.Text])
}

// Quiet reports whether a setting changes neither what a program does nor what it starts.
func Quiet(a Assign) bool {
	return a.Value.Known && (among(printing, a.Name) || tame[a.Name+"="+a.Value.Text])
}

// among reports whether the name is in the list, where a trailing * is any ending.
func among(list []string, name string) bool {
	for _, d := range list {
		if prefix, ok := strings.CutSuffix(d, "*"); ok && strings.HasPrefix(name, prefix) || d == name {
			return true
		}
	}
	return false
}
