// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bash

import (
	"slices"
	"strings"
)

// A wrapper is a program that starts the command given in its arguments.
type wrapper struct {
	syntaxOf
	operands int  // words before the command: a time, a directory
	assigns  bool // NAME=VALUE before the command sets its environment
	remote   bool // a shell reads the words, joined
	// code are the options whose value a shell reads.
	code []string
	// lookup are the options with which nothing is started.
	lookup []string
	// doubtful are the options that change what is started in ways not followed.
	doubtful []string
	// root says that the command may be missing, and then a shell is started.
	root bool
	// permutes says that options may come behind the operands.
	permutes bool
}

var wrappers = map[string]*wrapper{
	"env": {syntaxOf: syntaxOf{flags: "i0v", values: "uCSa", long: []string{"ignore-environment", "null", "unset=", "chdir=", "split-string=", "debug", "argv0=", "block-signal=?", "default-signal=?", "ignore-signal=?", "list-signal-handling", "help", "version"}},
		assigns: true},
	"sudo": {syntaxOf: syntaxOf{flags: "AbBEHnPSNK", values: "CDghpRrtTuU", long: []string{"askpass", "background", "bell", "preserve-env=?", "set-home", "non-interactive", "preserve-groups", "stdin", "no-update", "close-from=", "chdir=", "group=", "host=", "prompt=", "chroot=", "role=", "type=", "command-timeout=", "user=", "other-user="}},
		assigns: true, lookup: []string{"l", "list", "v", "validate", "k", "reset-timestamp", "K", "remove-timestamp", "V", "version", "h", "help"}, doubtful: []string{"e", "edit", "i", "login", "s", "shell"}, root: true},
	"doas":   {syntaxOf: syntaxOf{flags: "Ln", values: "Cau"}, doubtful: []string{"s"}, root: true},
	"pkexec": {syntaxOf: syntaxOf{long: []string{"user=", "disable-internal-agent", "keep-cwd"}}, root: true},
	"nohup":  {syntaxOf: syntaxOf{long: []string{"help", "version"}}},
	"nice":   {syntaxOf: syntaxOf{flags: "0123456789", values: "n", long: []string{"adjustment="}}},
	"ionice": {syntaxOf: syntaxOf{flags: "t", values: "cn", long: []string{"class=", "classdata=", "ignore"}}, lookup: []string{"p", "pid", "P", "u"}},
	"chrt":   {syntaxOf: syntaxOf{flags: "abdfiormRv", values: "TPD", long: []string{"all-tasks", "batch", "deadline", "fifo", "idle", "other", "rr", "reset-on-fork", "verbose"}}, operands: 1, lookup: []string{"m", "max", "p", "pid"}},
	"timeout": {syntaxOf: syntaxOf{flags: "fpv", values: "ks", long: []string{"foreground", "kill-after=", "preserve-status", "signal=", "verbose"}},
		operands: 1},
	"time":    {syntaxOf: syntaxOf{flags: "apqv", values: "fo", long: []string{"append", "format=", "output=", "portability", "quiet", "verbose"}}},
	"stdbuf":  {syntaxOf: syntaxOf{values: "ioe", long: []string{"input=", "output=", "error="}}},
	"setsid":  {syntaxOf: syntaxOf{flags: "cfw", long: []string{"ctty", "fork", "wait"}}},
	"command": {syntaxOf: syntaxOf{flags: "p"}, lookup: []string{"v", "V"}},
	"builtin": {},
	"exec":    {syntaxOf: syntaxOf{flags: "cl", values: "a"}},
	"xargs": {syntaxOf: syntaxOf{flags: "0optrx", values: "EILPadns", glued: "ile",
		long: []string{"null", "arg-file=", "delimiter=", "eof=?", "replace=?", "max-lines=?", "max-args=", "max-chars=", "max-procs=", "interactive", "no-run-if-empty", "open-tty", "process-slot-var=", "show-limits", "verbose", "exit"}}},
	"strace":       {syntaxOf: syntaxOf{flags: "cCdDfFhiknqrtTvVwxyYZz", values: "abeEIoOpPsSuUX"}, doubtful: []string{"o", "E"}},
	"ltrace":       {syntaxOf: syntaxOf{flags: "bcCfhiLrStTV", values: "aADeFlnopsuwx"}, doubtful: []string{"F"}},
	"flock":        {syntaxOf: syntaxOf{flags: "enosuFx", values: "wEc", long: []string{"exclusive", "nonblock", "nb", "no-fork", "close", "shared", "unlock", "timeout=", "wait=", "conflict-exit-code=", "verbose", "command="}}, operands: 1, code: []string{"c", "command"}},
	"chroot":       {syntaxOf: syntaxOf{long: []string{"groups=", "userspec=", "skip-chdir"}}, operands: 1, root: true},
	"unshare":      {syntaxOf: syntaxOf{flags: "CTUcfimnpru", values: "SGRw", glued: "", long: []string{"mount=?", "uts=?", "ipc=?", "net=?", "pid=?", "user=?", "cgroup=?", "time=?", "fork", "map-root-user", "map-current-user", "mount-proc=?", "keep-caps", "kill-child=?", "root=", "wd=", "setuid=", "setgid="}}, root: true},
	"nsenter":      {syntaxOf: syntaxOf{flags: "aFZ", values: "tSGWe", glued: "mUuinpCTrw", long: []string{"all", "target=", "mount=?", "uts=?", "ipc=?", "net=?", "pid=?", "user=?", "cgroup=?", "time=?", "root=?", "wd=?", "no-fork", "setuid=", "setgid=", "preserve-credentials"}}, root: true},
	"setpriv":      {syntaxOf: syntaxOf{long: []string{"clear-groups", "keep-groups", "init-groups", "no-new-privs", "reuid=", "regid=", "groups=", "inh-caps=", "ambient-caps=", "bounding-set=", "reset-env", "pdeathsig="}}},
	"prlimit":      {syntaxOf: syntaxOf{glued: "cdefilmnqrstuvxy", long: []string{"as=?", "core=?", "cpu=?", "data=?", "fsize=?", "nofile=?", "nproc=?", "stack=?", "rss=?"}}, lookup: []string{"p", "pid"}},
	"taskset":      {syntaxOf: syntaxOf{flags: "ac", long: []string{"all-tasks", "cpu-list"}}, operands: 1, lookup: []string{"p", "pid"}},
	"setarch":      {syntaxOf: syntaxOf{flags: "BFILRSTXZv", long: []string{"addr-no-randomize", "3gb", "4gb", "verbose"}}, operands: 1, root: true},
	"linux32":      {syntaxOf: syntaxOf{flags: "BFILRSTXZv"}, root: true},
	"linux64":      {syntaxOf: syntaxOf{flags: "BFILRSTXZv"}, root: true},
	"catchsegv":    {},
	"fakeroot":     {syntaxOf: syntaxOf{flags: "uv", values: "lsib", long: []string{"unknown-is-real"}}, root: true, doubtful: []string{"l"}},
	"faketime":     {syntaxOf: syntaxOf{flags: "m", values: "fp"}, operands: 1},
	"torsocks":     {},
	"torify":       {},
	"proxychains":  {syntaxOf: syntaxOf{flags: "q", values: "f"}, doubtful: []string{"f"}},
	"proxychains4": {syntaxOf: syntaxOf{flags: "q", values: "f"}, doubtful: []string{"f"}},
	"rlwrap":       {syntaxOf: syntaxOf{flags: "acirnNopRsvwX", values: "bCfHlmMPqSst"}},
	"unbuffer":     {syntaxOf: syntaxOf{flags: "p"}},
	"caffeinate":   {syntaxOf: syntaxOf{flags: "disum", values: "tw"}},
	"xvfb-run":     {syntaxOf: syntaxOf{flags: "al", values: "efnpsw"}},
	"dbus-run-session": {syntaxOf: syntaxOf{long: []string{"config-file=", "dbus-daemon="}},
		doubtful: []string{"dbus-daemon", "config-file"}},
	"cpulimit":    {syntaxOf: syntaxOf{flags: "bfimqrvz", values: "lc"}, lookup: []string{"p", "e", "P"}},
	"valgrind":    {syntaxOf: syntaxOf{flags: "qv", long: []string{"tool=?", "leak-check=?", "log-file=?", "error-exitcode=?", "track-origins=?", "show-leak-kinds=?"}}},
	"firejail":    {syntaxOf: syntaxOf{long: []string{"net=?", "private=?", "quiet", "noprofile", "seccomp=?"}}},
	"watch":       {syntaxOf: syntaxOf{flags: "bcCeghprtwx", values: "nqs", glued: "d", long: []string{"beep", "color", "no-color", "differences=?", "errexit", "chgexit", "interval=", "precise", "no-rerun", "no-title", "no-wrap", "exec", "equexit="}}, remote: true},
	"su":          {syntaxOf: syntaxOf{flags: "flmpP", values: "cgGsTwu", long: []string{"command=", "session-command=", "login", "fast", "preserve-environment", "pty", "shell=", "group=", "supp-group=", "whitelist-environment="}}, permutes: true, code: []string{"c", "command", "session-command"}, root: true},
	"runuser":     {syntaxOf: syntaxOf{flags: "flmpP", values: "cgGsTw", long: []string{"command=", "session-command=", "login", "user=", "group=", "shell="}}, permutes: true, code: []string{"c", "command", "session-command"}, doubtful: []string{"u", "user"}, root: true},
	"script":      {syntaxOf: syntaxOf{flags: "aefq", values: "cEIOBTmo", glued: "t", long: []string{"append", "command=", "return", "flush", "quiet", "log-in=", "log-io=", "log-out="}}, permutes: true, code: []string{"c", "command"}, root: true},
	"ssh":         {syntaxOf: syntaxOf{flags: "1246AaCfGgKkMNnqsTtVvXxYy", values: "BbcDEeFIiJLlmOopQRSWwP"}, operands: 1, remote: true, doubtful: []string{"o", "F", "I", "S", "E"}, lookup: []string{"V", "Q", "G", "N"}, root: true},
	"sshpass":     {syntaxOf: syntaxOf{flags: "evV", values: "pfdP"}},
	"ld.so":       {syntaxOf: syntaxOf{long: []string{"argv0=", "library-path=", "preload=", "audit=", "inhibit-cache"}}, lookup: []string{"list", "verify", "help", "version", "list-diagnostics", "list-tunables"}, doubtful: []string{"preload", "audit", "library-path"}},
	"busybox":     {lookup: []string{"list", "list-full", "help", "install"}},
	"toybox":      {},
	"systemd-run": {syntaxOf: syntaxOf{flags: "GdPqrStv", values: "EHMpu", long: []string{"user", "system", "scope", "unit=", "property=", "description=", "slice=", "uid=", "gid=", "nice=", "working-directory=", "same-dir", "setenv=", "pty", "pipe", "quiet", "collect", "wait", "no-block"}}, doubtful: []string{"E", "p", "H", "M", "S", "setenv", "property", "shell"}},
}

// wrap lists the command that a wrapper starts.
func (r *reader) wrap(w *wrapper, c *Command, in input) {
	options, rest, sure := w.scan(c.Words[1:])
	for w.permutes && len(rest) > 0 {
		more, behind, known := w.scan(rest[1:])
		options, rest, sure = append(options, more...), behind, sure && known && !rest[0].loose
	}
	if _, ok := find(options, w.lookup...); ok {
		return
	}
	if !sure {
		r.line.doubt(DoubtOption, "an option of "+c.Name+" is not known")
	}
	if _, ok := find(options, w.doubtful...); ok {
		r.line.doubt(DoubtOption, "an option of "+c.Name+" changes what it starts")
	}
	if i := slices.IndexFunc(options, func(o option) bool { return slices.Contains(w.code, o.name) }); i >= 0 {
		r.shell(c, options[i].value, in)
		return
	}
	if c.Name == "env" {
		if len(rest) > 0 && rest[0].Text == "-" { // the same as -i
			rest = rest[1:]
		}
		rest = r.envSplit(options, rest)
	}
	var assigns []Assign
	if w.assigns {
		assigns, rest = r.wrapAssigns(c, rest)
	}
	for range min(w.operands, len(rest)) {
		if rest[0].loose {
			r.line.doubt(DoubtCommand, "an argument of "+c.Name+" that may be a command")
		}
		rest = rest[1:]
	}
	r.wrapped(w, c, options, rest, assigns, in)
}

// wrapAssigns reads the variables before a command.
func (r *reader) wrapAssigns(c *Command, words []Word) (assigns []Assign, rest []Word) {
	for i, w := range words {
		name, value, ok := strings.Cut(w.Text, "=")
		if !ok {
			return assigns, words[i:]
		}
		if w.loose && !plainName(name) {
			r.line.doubt(DoubtCommand, "an argument of "+c.Name+" that may be a command")
		}
		if Dangerous(name) {
			r.line.doubt(DoubtVariable, "the variable "+name+" changes what runs")
		}
		assigns = append(assigns, Assign{name, Word{Text: value, Known: w.Known}})
	}
	return assigns, nil
}

// wrapped lists what is behind a wrapper's own arguments.
func (r *reader) wrapped(w *wrapper, c *Command, options []option, rest []Word, assigns []Assign, in input) {
	_, direct := find(options, "x", "exec")
	switch {
	case c.Name == "flock" && len(rest) > 1 && rest[0].Text == "-c":
		r.shell(c, rest[1], in)
	case len(rest) == 0:
		if w.root {
			r.line.doubt(DoubtCode, c.Name+" starts a shell that reads its input")
		}
	case c.Name == "watch" && direct:
		r.nested(c, rest, nil, in)
	case w.remote:
		if c.Name == "ssh" && strings.HasPrefix(rest[0].Text, "-") {
			r.line.doubt(DoubtOption, "an option of ssh behind the host")
		}
		r.shell(c, joined(rest), in)
	case c.Name == "xargs":
		r.xargs(c, options, rest)
	default:
		r.nested(c, rest, assigns, in)
	}
}

// envSplit puts what env -S cuts into words before the rest. Only words without
// quotes, backslashes and variables are cut.
func (r *reader) envSplit(options []option, rest []Word) []Word {
	text, ok := find(options, "S", "split-string")
	if !ok {
		return rest
	}
	if !text.Known || strings.ContainsAny(text.Text, "\\'\"$#") {
		r.line.doubt(DoubtCode, "env cuts a text into words that are not known")
	}
	var words []Word
	for _, f := range strings.Fields(text.Text) {
		words = append(words, Word{Text: f, Known: text.Known})
	}
	if len(words) > 0 && strings.HasPrefix(words[0].Text, "-") {
		r.line.doubt(DoubtOption, "options in the text that env cuts into words")
	}
	return append(words, rest...)
}

// xargs starts the command with arguments that it reads: they are not known.
func (r *reader) xargs(c *Command, options []option, rest []Word) {
	mark, replaces := "", false
	for _, o := range options {
		switch o.name {
		case "I":
			mark, replaces = o.value.Text, true
		case "i", "replace":
			mark, replaces = "{}", true
			if o.value.Text != "" {
				mark = o.value.Text
			}
		}
	}
	words := make([]Word, 0, len(rest)+1)
	for _, w := range rest {
		if replaces && mark != "" && strings.Contains(w.Text, mark) {
			w.Known, w.loose = false, w.loose || strings.HasPrefix(w.Text, mark)
		}
		words = append(words, w)
	}
	if !replaces {
		words = append(words, Word{loose: true, split: true})
	}
	r.nested(c, words, nil, input{given: true})
}
