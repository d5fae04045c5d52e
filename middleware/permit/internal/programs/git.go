// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"strings"

	"github.com/toolscope/toolscope/middleware/permit/internal/shell"
)

// gitSafe are the configuration keys that start nothing; a trailing * is any ending.
var gitSafe = []string{
	"user.name", "user.email", "color.*", "advice.*", "core.quotepath", "core.autocrlf", "core.filemode",
	"core.ignorecase", "core.eol", "commit.gpgsign", "tag.gpgsign", "init.defaultbranch",
	"log.date", "log.decorate", "log.showsignature", "diff.renames", "diff.noprefix", "diff.context",
	"diff.algorithm", "pull.rebase", "pull.ff", "push.default", "push.autosetupremote", "fetch.prune", "merge.ff",
	"rebase.autostash", "rerere.enabled", "status.*", "column.*", "grep.linenumber", "http.lowspeedlimit",
	"http.lowspeedtime", "http.postbuffer", "gc.auto", "safe.directory", "protocol.version",
	"branch.autosetuprebase",
}

func gitSafeKey(key string) bool {
	key = strings.ToLower(key)
	for _, s := range gitSafe {
		if prefix, ok := strings.CutSuffix(s, "*"); ok && strings.HasPrefix(key, prefix) || key == s {
			return true
		}
	}
	return false
}

var gitGlobal = shell.Syntax{Flags: "pPv", Values: "Cc", Long: []string{"paginate", "no-pager", "git-dir=",
	"work-tree=", "namespace=", "bare", "no-replace-objects", "literal-pathspecs", "glob-pathspecs", "noglob-pathspecs",
	"icase-pathspecs", "no-optional-locks", "no-advice", "no-lazy-fetch", "list-cmds=?",
	"html-path", "man-path", "info-path", "version", "help", "exec-path=?", "config-env=", "super-prefix=", "attr-source="}}

// gitRuns are the options of single git commands that start a program or a shell.
var gitRuns = map[string]string{
	"rebase": "-x --exec", "grep": "-O --open-files-in-pager", "difftool": "-x --extcmd -t --tool",
	"filter-repo": "*", "clone": "-u --upload-pack -c --config --template", "fetch": "--upload-pack",
	"pull": "--upload-pack", "ls-remote": "--upload-pack --exec",
	"fetch-pack": "--upload-pack --exec", "push": "--receive-pack --exec", "send-pack": "--receive-pack --exec",
	"archive": "--exec", "init": "--template",
	"send-email": "--sendmail-cmd --smtp-server --to-cmd --cc-cmd --header-cmd", "instaweb": "*",
	"web--browse": "-t --tool -b --browser", "help": "-w --web", "daemon": "*", "cvsimport": "-d",
	"interpret-trailers": "--trailer",
	"mergetool":          "-t --tool", "verify-pack": "", "submodule": "foreach", "bisect": "run", "filter-branch": "*",
	"shell": "*", "hook": "run", "http-backend": "*", "remote-ext": "*", "upload-pack": "", "for-each-repo": "*",
	"maintenance":      "start register",
	"difftool--helper": "*", "mergetool--lib": "*", "alias": "*", "merge-index": "*", "credential": "*",
	"fast-import": "--cat-blob-fd", "replace": "-e --edit", "p4": "*", "svn": "--authors-prog", "receive-pack": "",
	"sh-setup": "*",
}

// git doubts what makes git start another program.
func (r inspector) git(c *shell.Command, _ shell.Input) {
	options, rest, sure := gitGlobal.Scan(c.Words[1:])
	if !sure {
		r.Doubt(shell.DoubtOption, "an option of git is not known")
	}
	for _, o := range options {
		r.gitOption(o)
	}
	if len(rest) == 0 {
		return
	}
	sub, args := rest[0].Text, rest[1:]
	if !rest[0].Known {
		r.Doubt(shell.DoubtOption, "the command of git is computed")
	}
	for i, a := range args {
		r.gitWrites(sub, a, args[min(i+1, len(args)-1)])
		r.gitArgument(sub, a)
	}
	if gitRuns[sub] == "*" {
		r.Doubt(shell.DoubtOption, "git "+sub+" starts programs")
	}
	if sub == "config" {
		r.gitConfig(args)
	}
}

// gitOption is an option before git's command.
func (r inspector) gitOption(o shell.Option) {
	switch o.Name {
	case "c":
		if key, _, _ := strings.Cut(o.Value.Text, "="); !o.Value.Known || !gitSafeKey(key) {
			r.Doubt(shell.DoubtOption, "git -c sets "+shell.Clip(key)+", which may start a program")
		}
	case "config-env", "git-dir", "work-tree":
		r.Doubt(shell.DoubtOption, "git --"+o.Name+" takes another configuration, which may start a program")
	case "exec-path":
		if o.Value.Text != "" {
			r.Doubt(shell.DoubtOption, "git --exec-path takes git's programs from another directory")
		}
	}
}

// gitWrites lists the files that an argument of a git command names for output.
func (r inspector) gitWrites(sub string, a, next shell.Word) {
	switch {
	case (sub == "archive" || sub == "format-patch") && a.Text == "-o" || sub == "bundle" && a.Text == "create":
		r.AddRedirect(shell.Redirect{Target: next, Write: true})
	case sub == "archive" && strings.HasPrefix(a.Text, "-o"):
		r.AddRedirect(shell.Redirect{Target: shell.Word{Text: a.Text[2:], Known: a.Known}, Write: true})
	}
}

func (r inspector) gitArgument(sub string, a shell.Word) {
	if strings.HasPrefix(a.Text, "ext::") || strings.HasPrefix(a.Text, "fd::") {
		r.Doubt(shell.DoubtOption, "a git remote that is a command")
	}
	if name, value, ok := strings.Cut(a.Text, "="); ok && strings.HasPrefix(name, "--ou") && strings.HasPrefix("--output", name) {
		r.AddRedirect(shell.Redirect{Target: shell.Word{Text: value, Known: a.Known}, Write: true})
	}
	runs, some := gitRuns[sub]
	if some && a.Loose {
		r.Doubt(shell.DoubtOption, "an argument of git "+sub+" that may be an option")
	}
	for o := range strings.FieldsSeq(runs) {
		if shell.IsOption(a.Text, o) {
			r.Doubt(shell.DoubtOption, "git "+sub+" "+o+" starts a program")
		}
	}
}

// gitConfig doubts settings that start a program later.
func (r inspector) gitConfig(args []shell.Word) {
	for _, a := range args {
		switch t := a.Text; {
		case !a.Known:
			r.Doubt(shell.DoubtOption, "an argument of git config that is computed")
			return
		case t == "--get" || t == "--get-all" || t == "--get-regexp" || t == "--list" || t == "-l" || t == "get" || t == "list":
			return
		case t == "-e" || t == "--edit" || t == "edit":
			r.Doubt(shell.DoubtOption, "git config starts an editor")
		case strings.Contains(t, ".") && t[0] != '-':
			if !gitSafeKey(t) && len(args) > 1 {
				r.Doubt(shell.DoubtOption, "git config "+shell.Clip(t)+" may start a program later")
			}
			return
		}
	}
}
