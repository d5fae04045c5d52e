// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"slices"
	"strings"

	"github.com/toolscope/toolscope/middleware/permit/internal/shell"
)

// A wrapper is a program that starts the command given in its arguments.
type wrapper struct {
	shell.Syntax
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
	"env": {Syntax: shell.Syntax{Flags: "i0v", Values: "uCSa", Long: []string{"ignore-environment", "null", "unset=",
		"chdir=", "split-string=", "debug", "argv0=", "block-signal=?", "default-signal=?", "ignore-signal=?",
		"list-signal-handling", "help", "version"}},
		assigns: true},
	"sudo": {Syntax: shell.Syntax{Flags: "AbBEHnPSNK", Values: "CDghpRrtTuU",
		Long: []string{"askpass", "background", "bell", "preserve-env=?", "set-home", "non-interactive", "preserve-groups",
			"stdin", "no-update", "close-from=", "chdir=", "group=", "host=", "prompt=", "chroot=", "role=", "type=",
			"command-timeout=", "user=", "other-user="}},
		assigns: true, lookup: []string{"l", "list", "v", "validate", "k", "reset-timestamp", "K", "remove-timestamp", "V",
			"version", "h", "help"}, doubtful: []string{"e", "edit", "i", "login", "s", "shell"}, root: true},
	"doas":   {Syntax: shell.Syntax{Flags: "Ln", Values: "Cau"}, doubtful: []string{"s"}, root: true},
	"pkexec": {Syntax: shell.Syntax{Long: []string{"user=", "disable-internal-agent", "keep-cwd"}}, root: true},
	"nohup":  {Syntax: shell.Syntax{Long: []string{"help", "version"}}},
	"nice":   {Syntax: shell.Syntax{Flags: "0123456789", Values: "n", Long: []string{"adjustment="}}},
	"ionice": {
		Syntax: shell.Syntax{Flags: "t", Values: "cn", Long: []string{"class=", "classdata=", "ignore"}},
		lookup: []string{"p", "pid", "P", "u"},
	},
	"chrt": {
		Syntax: shell.Syntax{
			Flags: "abdfiormRv", Values: "TPD",
			Long: []string{"all-tasks", "batch", "deadline", "fifo", "idle", "other", "rr", "reset-on-fork", "verbose"},
		},
		operands: 1, lookup: []string{"m", "max", "p", "pid"},
	},
	"timeout": {Syntax: shell.Syntax{Flags: "fpv", Values: "ks",
		Long: []string{"foreground", "kill-after=", "preserve-status", "signal=", "verbose"}},
		operands: 1},
	"time": {
		Syntax: shell.Syntax{
			Flags: "apqv", Values: "fo",
			Long: []string{"append", "format=", "output=", "portability", "quiet", "verbose"},
		},
	},
	"stdbuf":  {Syntax: shell.Syntax{Values: "ioe", Long: []string{"input=", "output=", "error="}}},
	"setsid":  {Syntax: shell.Syntax{Flags: "cfw", Long: []string{"ctty", "fork", "wait"}}},
	"command": {Syntax: shell.Syntax{Flags: "p"}, lookup: []string{"v", "V"}},
	"builtin": {},
	"exec":    {Syntax: shell.Syntax{Flags: "cl", Values: "a"}},
	"xargs": {Syntax: shell.Syntax{Flags: "0optrx", Values: "EILPadns", Glued: "ile",
		Long: []string{"null", "arg-file=", "delimiter=", "eof=?", "replace=?", "max-lines=?", "max-args=", "max-chars=",
			"max-procs=", "interactive", "no-run-if-empty", "open-tty", "process-slot-var=", "show-limits", "verbose", "exit"}}},
	"strace": {Syntax: shell.Syntax{Flags: "cCdDfFhiknqrtTvVwxyYZz", Values: "abeEIoOpPsSuUX"}, doubtful: []string{"o", "E"}},
	"ltrace": {Syntax: shell.Syntax{Flags: "bcCfhiLrStTV", Values: "aADeFlnopsuwx"}, doubtful: []string{"F"}},
	"flock": {
		Syntax: shell.Syntax{
			Flags: "enosuFx", Values: "wEc",
			Long: []string{"exclusive", "nonblock", "nb", "no-fork", "close", "shared", "unlock", "timeout=", "wait=",
				"conflict-exit-code=", "verbose", "command="},
		},
		operands: 1, code: []string{"c", "command"},
	},
	"chroot": {Syntax: shell.Syntax{Long: []string{"groups=", "userspec=", "skip-chdir"}}, operands: 1, root: true},
	"unshare": {
		Syntax: shell.Syntax{
			Flags: "CTUcfimnpru", Values: "SGRw", Glued: "",
			Long: []string{"mount=?", "uts=?", "ipc=?", "net=?", "pid=?", "user=?", "cgroup=?", "time=?", "fork",
				"map-root-user", "map-current-user", "mount-proc=?", "keep-caps", "kill-child=?", "root=", "wd=", "setuid=", "setgid="},
		},
		root: true,
	},
	"nsenter": {
		Syntax: shell.Syntax{
			Flags: "aFZ", Values: "tSGWe", Glued: "mUuinpCTrw",
			Long: []string{"all", "target=", "mount=?", "uts=?", "ipc=?", "net=?", "pid=?", "user=?", "cgroup=?", "time=?",
				"root=?", "wd=?", "no-fork", "setuid=", "setgid=", "preserve-credentials"},
		},
		root: true,
	},
	"setpriv": {
		Syntax: shell.Syntax{
			Long: []string{"clear-groups", "keep-groups", "init-groups", "no-new-privs", "reuid=", "regid=", "groups=",
				"inh-caps=", "ambient-caps=", "bounding-set=", "reset-env", "pdeathsig="},
		},
	},
	"prlimit": {
		Syntax: shell.Syntax{
			Glued: "cdefilmnqrstuvxy",
			Long:  []string{"as=?", "core=?", "cpu=?", "data=?", "fsize=?", "nofile=?", "nproc=?", "stack=?", "rss=?"},
		},
		lookup: []string{"p", "pid"},
	},
	"taskset": {
		Syntax: shell.Syntax{Flags: "ac", Long: []string{"all-tasks", "cpu-list"}}, operands: 1,
		lookup: []string{"p", "pid"},
	},
	"setarch": {
		Syntax:   shell.Syntax{Flags: "BFILRSTXZv", Long: []string{"addr-no-randomize", "3gb", "4gb", "verbose"}},
		operands: 1, root: true,
	},
	"linux32":   {Syntax: shell.Syntax{Flags: "BFILRSTXZv"}, root: true},
	"linux64":   {Syntax: shell.Syntax{Flags: "BFILRSTXZv"}, root: true},
	"catchsegv": {},
	"fakeroot": {
		Syntax: shell.Syntax{Flags: "uv", Values: "lsib", Long: []string{"unknown-is-real"}}, root: true,
		doubtful: []string{"l"},
	},
	"faketime":     {Syntax: shell.Syntax{Flags: "m", Values: "fp"}, operands: 1},
	"torsocks":     {},
	"torify":       {},
	"proxychains":  {Syntax: shell.Syntax{Flags: "q", Values: "f"}, doubtful: []string{"f"}},
	"proxychains4": {Syntax: shell.Syntax{Flags: "q", Values: "f"}, doubtful: []string{"f"}},
	"rlwrap":       {Syntax: shell.Syntax{Flags: "acirnNopRsvwX", Values: "bCfHlmMPqSst"}},
	"unbuffer":     {Syntax: shell.Syntax{Flags: "p"}},
	"caffeinate":   {Syntax: shell.Syntax{Flags: "disum", Values: "tw"}},
	"xvfb-run":     {Syntax: shell.Syntax{Flags: "al", Values: "efnpsw"}},
	"dbus-run-session": {Syntax: shell.Syntax{Long: []string{"config-file=", "dbus-daemon="}},
		doubtful: []string{"dbus-daemon", "config-file"}},
	"cpulimit": {Syntax: shell.Syntax{Flags: "bfimqrvz", Values: "lc"}, lookup: []string{"p", "e", "P"}},
	"valgrind": {
		Syntax: shell.Syntax{
			Flags: "qv",
			Long:  []string{"tool=?", "leak-check=?", "log-file=?", "error-exitcode=?", "track-origins=?", "show-leak-kinds=?"},
		},
	},
	"firejail": {Syntax: shell.Syntax{Long: []string{"net=?", "private=?", "quiet", "noprofile", "seccomp=?"}}},
	"watch": {
		Syntax: shell.Syntax{
			Flags: "bcCeghprtwx", Values: "nqs", Glued: "d",
			Long: []string{"beep", "color", "no-color", "differences=?", "errexit", "chgexit", "interval=", "precise",
				"no-rerun", "no-title", "no-wrap", "exec", "equexit="},
		},
		remote: true,
	},
	"su": {
		Syntax: shell.Syntax{
			Flags: "flmpP", Values: "cgGsTwu",
			Long: []string{"command=", "session-command=", "login", "fast", "preserve-environment", "pty", "shell=", "group=",
				"supp-group=", "whitelist-environment="},
		},
		permutes: true, code: []string{"c", "command", "session-command"}, root: true,
	},
	"runuser": {
		Syntax: shell.Syntax{
			Flags: "flmpP", Values: "cgGsTw",
			Long: []string{"command=", "session-command=", "login", "user=", "group=", "shell="},
		},
		permutes: true, code: []string{"c", "command", "session-command"}, doubtful: []string{"u", "user"},
		root: true,
	},
	"script": {
		Syntax: shell.Syntax{
			Flags: "aefq", Values: "cEIOBTmo", Glued: "t",
			Long: []string{"append", "command=", "return", "flush", "quiet", "log-in=", "log-io=", "log-out="},
		},
		permutes: true, code: []string{"c", "command"}, root: true,
	},
	"ssh": {
		Syntax: shell.Syntax{Flags: "1246AaCfGgKkMNnqsTtVvXxYy", Values: "BbcDEeFIiJLlmOopQRSWwP"}, operands: 1,
		remote: true, doubtful: []string{"o", "F", "I", "S", "E"}, lookup: []string{"V", "Q", "G", "N"}, root: true,
	},
	"sshpass": {Syntax: shell.Syntax{Flags: "evV", Values: "pfdP"}},
	"ld.so": {
		Syntax:   shell.Syntax{Long: []string{"argv0=", "library-path=", "preload=", "audit=", "inhibit-cache"}},
		lookup:   []string{"list", "verify", "help", "version", "list-diagnostics", "list-tunables"},
		doubtful: []string{"preload", "audit", "library-path"},
	},
	"busybox": {lookup: []string{"list", "list-full", "help", "install"}},
	"toybox":  {},
	"systemd-run": {
		Syntax: shell.Syntax{
			Flags: "GdPqrStv", Values: "EHMpu",
			Long: []string{"user", "system", "scope", "unit=", "property=", "description=", "slice=", "uid=", "gid=", "nice=",
				"working-directory=", "same-dir", "setenv=", "pty", "pipe", "quiet", "collect", "wait", "no-block"},
		},
		doubtful: []string{"E", "p", "H", "M", "S", "setenv", "property", "shell"},
	},
}

// wrap lists the command that a wrapper starts.
func (r inspector) wrap(w *wrapper, c *shell.Command, in shell.Input) {
	options, rest, sure := w.Scan(c.Words[1:])
	for w.permutes && len(rest) > 0 {
		more, behind, known := w.Scan(rest[1:])
		options, rest, sure = append(options, more...), behind, sure && known && !rest[0].Loose
	}
	if _, ok := shell.Find(options, w.lookup...); ok {
		return
	}
	if !sure {
		r.Doubt(shell.DoubtOption, "an option of "+c.Name+" is not known")
	}
	if _, ok := shell.Find(options, w.doubtful...); ok {
		r.Doubt(shell.DoubtOption, "an option of "+c.Name+" changes what it starts")
	}
	if i := slices.IndexFunc(options, func(o shell.Option) bool { return slices.Contains(w.code, o.Name) }); i >= 0 {
		r.ReadCode(c, options[i].Value, in)
		return
	}
	if c.Name == "env" {
		if len(rest) > 0 && rest[0].Text == "-" { // the same as -i
			rest = rest[1:]
		}
		rest = r.envSplit(options, rest)
	}
	var assigns []shell.Assign
	if w.assigns {
		assigns, rest = r.wrapAssigns(c, rest)
	}
	for range min(w.operands, len(rest)) {
		if rest[0].Loose {
			r.Doubt(shell.DoubtCommand, "an argument of "+c.Name+" that may be a command")
		}
		rest = rest[1:]
	}
	r.wrapped(w, c, options, rest, assigns, in)
}

// wrapAssigns reads the variables before a command.
func (r inspector) wrapAssigns(c *shell.Command, words []shell.Word) (assigns []shell.Assign, rest []shell.Word) {
	for i, w := range words {
		name, value, ok := strings.Cut(w.Text, "=")
		if !ok {
			return assigns, words[i:]
		}
		if w.Loose && !shell.IsPlainName(name) {
			r.Doubt(shell.DoubtCommand, "an argument of "+c.Name+" that may be a command")
		}
		a := shell.Assign{Name: name, Value: shell.Word{Text: value, Known: w.Known}}
		if shell.DangerousValue(a) {
			r.Doubt(shell.DoubtVariable, "the variable "+name+" changes what runs")
		}
		assigns = append(assigns, a)
	}
	return assigns, nil
}

// wrapped lists what is behind a wrapper's own arguments.
func (r inspector) wrapped(
	w *wrapper, c *shell.Command, options []shell.Option, rest []shell.Word, assigns []shell.Assign, in shell.Input,
) {
	_, direct := shell.Find(options, "x", "exec")
	switch {
	case c.Name == "flock" && len(rest) > 1 && rest[0].Text == "-c":
		r.ReadCode(c, rest[1], in)
	case len(rest) == 0:
		if w.root {
			r.Doubt(shell.DoubtCode, c.Name+" starts a shell that reads its input")
		}
	case c.Name == "watch" && direct:
		r.StartCommand(c, rest, nil, in)
	case w.remote:
		if c.Name == "ssh" && strings.HasPrefix(rest[0].Text, "-") {
			r.Doubt(shell.DoubtOption, "an option of ssh behind the host")
		}
		r.ReadCode(c, shell.Join(rest), in)
	case c.Name == "xargs":
		r.xargs(c, options, rest)
	default:
		r.StartCommand(c, rest, assigns, in)
	}
}

// envSplit puts what env -S cuts into words before the rest. Only words without
// quotes, backslashes and variables are cut.
func (r inspector) envSplit(options []shell.Option, rest []shell.Word) []shell.Word {
	text, ok := shell.Find(options, "S", "split-string")
	if !ok {
		return rest
	}
	if !text.Known || strings.ContainsAny(text.Text, "\\'\"$#") {
		r.Doubt(shell.DoubtCode, "env cuts a text into words that are not known")
	}
	var words []shell.Word
	for _, f := range strings.Fields(text.Text) {
		words = append(words, shell.Word{Text: f, Known: text.Known})
	}
	if len(words) > 0 && strings.HasPrefix(words[0].Text, "-") {
		r.Doubt(shell.DoubtOption, "options in the text that env cuts into words")
	}
	return append(words, rest...)
}

// xargs starts the command with arguments that it reads: they are not known.
func (r inspector) xargs(c *shell.Command, options []shell.Option, rest []shell.Word) {
	mark, replaces := "", false
	for _, o := range options {
		switch o.Name {
		case "a", "arg-file":
			r.AddRedirect(shell.Redirect{Target: o.Value, Read: true})
		case "I":
			mark, replaces = o.Value.Text, true
		case "i", "replace":
			mark, replaces = "{}", true
			if o.Value.Text != "" {
				mark = o.Value.Text
			}
		}
	}
	words := make([]shell.Word, 0, len(rest)+1)
	for _, w := range rest {
		if replaces && mark != "" && strings.Contains(w.Text, mark) {
			w.Known, w.Loose = false, w.Loose || strings.HasPrefix(w.Text, mark)
		}
		words = append(words, w)
	}
	if !replaces {
		words = append(words, shell.Word{Loose: true, Split: true})
	}
	r.StartCommand(c, words, nil, shell.Input{Given: true})
}
