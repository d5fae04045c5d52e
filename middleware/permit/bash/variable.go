// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bash

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// dangerous are the variables that change which program a name means, how bash
// reads, or what a harmless program starts. A trailing * is any ending.
var dangerous = []string{
	"PATH", "LD_*", "DYLD_*", "GIT_*", "BASH_ENV", "ENV", "IFS", "PROMPT_COMMAND", "PS0", "PS1", "PS2", "PS4", "SHELLOPTS", "BASHOPTS", "BASH_FUNC_*",
	"BASH_LOADABLES_PATH", "BASH_XTRACEFD", "BASH_CMDS", "BASH_ALIASES", "BASH_COMPAT", "POSIXLY_CORRECT", "EXECIGNORE", "GLOBIGNORE", "CDPATH", "HOME", "XDG_*", "SHELL", "ZDOTDIR", "HISTFILE",
	"EDITOR", "VISUAL", "PAGER", "MANPAGER", "MANOPT", "BROWSER", "LESS", "LESSOPEN", "LESSCLOSE", "LESSKEY*", "MORE", "VIMINIT", "EXINIT", "FCEDIT", "SUDO_*", "SSH_*",
	"PERL5*", "PERLLIB", "PYTHON*", "RUBY*", "GEM_*", "BUNDLE_*", "NODE_*", "NPM_*", "npm_*", "JAVA_*", "_JAVA_OPTIONS", "JDK_*", "CLASSPATH", "MAVEN_*", "GRADLE_*", "LUA_*", "PHP*", "R_*", "CGO_*", "PKG_CONFIG*", "GNUPGHOME", "GPG_*",
	"GOFLAGS", "GOROOT", "GOPATH", "GOBIN", "GOENV", "GOWORK", "GOTOOLCHAIN", "GOTOOLDIR", "GOPROXY", "GONOPROXY", "GOSUMDB", "GONOSUMDB", "GONOSUMCHECK", "GOPRIVATE", "GOINSECURE", "GOVCS", "GOAUTH", "GOCACHE", "GOCACHEPROG", "GOMODCACHE", "GOCOVERDIR", "GODEBUG", "GOTMPDIR", "GCCGO", "GO_EXTLINK_ENABLED", "GO_LDSO",
	"CARGO*", "RUSTC*", "RUSTFLAGS", "RUSTUP_*", "CC", "CXX", "CPP", "LD", "AR", "MAKE*", "CONFIG_SITE", "CMAKE_*", "TAR_OPTIONS", "GZIP", "RSYNC_*", "CVS_RSH", "SVN_*", "HG*", "DOCKER_*", "KUBECONFIG",
	"GCONV_PATH", "LOCPATH", "NLSPATH", "TEXTDOMAIN*", "TERMINFO*", "TERMCAP", "HOSTALIASES", "RES_OPTIONS", "TMPDIR", "OPENSSL_*", "SSL_*", "CURL_HOME", "WGETRC", "NETRC", "INPUTRC", "AWKPATH", "AWKLIBPATH", "PSQL*", "PGSERVICEFILE", "MYSQL_*",
	"ANSIBLE_*", "TF_*", "PIP_*", "VIRTUAL_ENV", "CONDA_*", "GREP_OPTIONS", "http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY",
}

// tuning are the variables of those families that only say how a program works or what it
// prints: the platform to build for, limits, colours, whom to name as the author.
var tuning = []string{
	"CGO_ENABLED", "NODE_ENV", "NODE_NO_WARNINGS", "NODE_DISABLE_COLORS", "NODE_VERSION", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED", "PYTHONIOENCODING", "PYTHONUTF8", "PYTHONFAULTHANDLER", "PYTHONNOUSERSITE", "PYTHONSAFEPATH",
	"CARGO_TERM_*", "CARGO_INCREMENTAL", "CARGO_BUILD_JOBS", "CARGO_NET_OFFLINE", "CARGO_NET_RETRY", "PIP_DISABLE_PIP_VERSION_CHECK", "PIP_NO_INPUT", "PIP_QUIET", "PIP_PROGRESS_BAR", "DOCKER_BUILDKIT", "DOCKER_CLI_HINTS", "TF_IN_AUTOMATION", "TF_INPUT", "TF_VAR_*",
	"ANSIBLE_NOCOLOR", "ANSIBLE_FORCE_COLOR", "HGPLAIN",
}

// Dangerous reports whether setting the variable may change which programs run:
// PATH, LD_PRELOAD, GIT_SSH and their like.
func Dangerous(name string) bool { return among(dangerous, name) && !among(tuning, name) }

// among reports whether the name is in the list, where a trailing * is any ending.
func among(list []string, name string) bool {
	for _, d := range list {
		if prefix, ok := strings.CutSuffix(d, "*"); ok && strings.HasPrefix(name, prefix) || d == name {
			return true
		}
	}
	return false
}

// assign reads an assignment.
func (r *reader) assign(a *syntax.Assign) Assign {
	out := Assign{Value: Word{Known: true}}
	if a.Name != nil {
		out.Name = a.Name.Value
	}
	if a.Index != nil {
		r.arithmetic(a.Index)
		out.Value.Known = false
	}
	if a.Value != nil {
		out.Value = r.word(a.Value)
	}
	if a.Array != nil {
		out.Value.Known = false
		var values []Word
		for _, e := range a.Array.Elems {
			r.arithmetic(e.Index)
			values = append(values, r.word(e.Value))
		}
		out.Value.Text = joined(values).Text
	}
	if a.Append {
		out.Value.Known = false
	}
	return out
}

// set notes that a variable gets a value, and doubts what follows from some names.
func (r *reader) set(a Assign) {
	if Dangerous(a.Name) {
		r.line.doubt(DoubtVariable, "the variable "+a.Name+" changes what runs")
	}
	if r.values == nil {
		r.values = map[string]string{}
	}
	if a.Value.Text != "" {
		r.values[a.Name] = a.Value.Text
	}
	if !a.Value.Known || !number(a.Value.Text) {
		if r.wild == nil {
			r.wild = map[string]bool{}
		}
		r.wild[a.Name] = true
	}
}

func number(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// param reads an expansion and guesses its value.
func (r *reader) param(p *syntax.ParamExp) string {
	name := ""
	if p.Param != nil {
		name = p.Param.Value
	}
	if p.Excl && p.Names == 0 {
		if index, ok := p.Index.(*syntax.Word); !ok || index.Lit() != "@" && index.Lit() != "*" {
			r.line.doubt(DoubtArithmetic, "${!"+name+"} is evaluated with a name that is not known")
		}
	}
	if p.NestedParam != nil || len(p.Modifiers) > 0 || p.Flags != nil {
		r.line.doubt(DoubtSyntax, "an expansion that is not bash's")
	}
	r.arithmetic(p.Index)
	if p.Slice != nil {
		r.arithmetic(p.Slice.Offset)
		r.arithmetic(p.Slice.Length)
	}
	if p.Repl != nil {
		r.word(p.Repl.Orig)
		r.word(p.Repl.With)
	}
	value := r.values[name]
	switch {
	case value != "":
	case name == "HOME":
		value = "~"
	case name == "IFS":
		value = " "
	}
	if p.Exp == nil {
		return value
	}
	other := r.word(p.Exp.Word)
	switch p.Exp.Op {
	case syntax.OtherParamOps:
		if other.Text != "Q" && other.Text != "a" && other.Text != "A" && other.Text != "u" && other.Text != "U" && other.Text != "L" && other.Text != "E" && other.Text != "K" && other.Text != "k" {
			r.line.doubt(DoubtCode, "${"+name+"@"+other.Text+"} is evaluated again")
		}
	case syntax.AssignUnset, syntax.AssignUnsetOrNull:
		other.Known = false
		r.set(Assign{Name: name, Value: other})
		if value == "" {
			return other.Text
		}
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull:
		if value == "" {
			return other.Text
		}
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		return other.Text
	}
	return value
}

// hides doubts literal text that bash may still expand.
func (r *reader) hides(text string) {
	for i := range len(text) {
		c, next := text[i], byte(0)
		if i+1 < len(text) {
			next = text[i+1]
		}
		if c == '`' || c == '$' && (next == '(' || next == '{') || (c == '<' || c == '>') && next == '(' {
			r.line.doubt(DoubtSyntax, "a substitution where our parser does not look for one")
			return
		}
	}
}

// declare is declare, local, export, readonly, typeset, nameref.
func (r *reader) declare(d *syntax.DeclClause, in input) {
	slot := r.reserve()
	words := []Word{{Text: d.Variant.Value, Known: true}}
	integer := false
	for _, a := range d.Args {
		if a.Naked && a.Name == nil {
			w := r.word(a.Value)
			words = append(words, w)
			if strings.HasPrefix(w.Text, "-") {
				integer = integer || strings.ContainsAny(w.Text, "inf")
			}
			if !w.Known || w.Text != "" && w.Text[0] != '-' && w.Text[0] != '+' {
				r.line.doubt(DoubtVariable, "the name of a variable is computed")
			}
			continue
		}
		v := r.assign(a)
		if a.Naked {
			words = append(words, Word{Text: v.Name, Known: a.Index == nil})
			if d.Variant.Value == "export" && Dangerous(v.Name) {
				r.line.doubt(DoubtVariable, "the variable "+v.Name+" changes what runs")
			}
			continue
		}
		words = append(words, Word{Text: v.Name + "=" + v.Value.Text, Known: v.Value.Known})
		r.set(v)
		r.line.Assigns = append(r.line.Assigns, v)
		if integer && !number(v.Value.Text) {
			r.line.doubt(DoubtArithmetic, "the value of "+v.Name+" is evaluated")
		}
	}
	if d.Variant.Value == "nameref" || integer && len(d.Args) > 1 {
		r.line.doubt(DoubtArithmetic, "the variables' values are evaluated as numbers or names")
	}
	r.command(slot, words, nil, in)
}
