// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"strings"

	"github.com/toolscope/toolscope/middleware/permit/internal/profile"
	"github.com/toolscope/toolscope/middleware/permit/internal/shell"
)

// Inspect lists what a command starts, and doubts what that may be.
func Inspect(reader Reader, c *shell.Command, in shell.Input) {
	r := inspector{reader}
	name := program(c.Name)
	if f := builtins[name]; f != nil {
		f(r, c, in)
		return
	}
	if w := wrappers[name]; w != nil {
		r.wrap(w, c, in)
		return
	}
	if s := shells[name]; s != nil {
		r.runsShell(s, c, in)
		return
	}
	if i := interpreters[name]; i != nil {
		r.interpret(i, c, in)
		return
	}
	if f := special[name]; f != nil {
		f(r, c, in)
	}
	if at, ok := launchers[name]; ok {
		r.launch(at, c, in)
	}
	if h := hidden[name]; h != nil {
		r.looksFor(h, c)
	}
	if p := profile.Find(name); p != nil && p.Strict {
		r.profiled(p, c)
	} else {
		r.tells(c, name)
	}
}

// profiled doubts what the profile of a program does not list.
func (r inspector) profiled(p *profile.Profile, c *shell.Command) {
	use := p.Check(c.Words[1:], p.Top(), true)
	if use.Why != "" {
		r.Doubt(shell.DoubtOption, use.Why)
	}
	for _, w := range use.Writes {
		r.AddRedirect(shell.Redirect{Target: w, Write: true})
	}
}

var builtins, special map[string]func(inspector, *shell.Command, shell.Input)

func init() { // the functions use the tables
	builtins = map[string]func(inspector, *shell.Command, shell.Input){
		"eval": inspector.eval, ".": inspector.sources, "source": inspector.sources, "trap": inspector.trap,
		"alias": inspector.alias, "read": inspector.reads, "mapfile": inspector.reads, "readarray": inspector.reads,
		"getopts": inspector.reads,
		"printf":  inspector.reads, "test": inspector.names, "[": inspector.names, "unset": inspector.names,
		"let": inspector.names, "wait": inspector.names,
		"enable": inspector.loads, "hash": inspector.loads, "bind": inspector.loads, "complete": inspector.loads,
		"compgen": inspector.loads, "compopt": inspector.loads,
		"fc": inspector.loads, "shopt": inspector.loads, "set": inspector.loads, "jobs": inspector.loads, "history": inspector.loads,
		"declare": inspector.names, "typeset": inspector.names, "local": inspector.names, "export": inspector.names,
		"readonly": inspector.names,
	}
	special = map[string]func(inspector, *shell.Command, shell.Input){
		"find": inspector.find, "fd": inspector.fd, "fdfind": inspector.fd, "parallel": inspector.parallel,
		"awk": inspector.awk, "gawk": inspector.awk, "mawk": inspector.awk, "nawk": inspector.awk,
		"sed": inspector.sed, "gsed": inspector.sed,
		"entr": inspector.entr, "start-stop-daemon": inspector.daemon,
	}
}

// program is the name that the tables know: without a version (python3.11, perl5),
// a variant (vim.tiny) or capital letters, which some file systems do not tell apart.
func program(name string) string {
	name = strings.ToLower(name)
	if strings.HasPrefix(name, "ld-linux") || strings.HasPrefix(name, "ld-musl") {
		return "ld.so" // the loader runs the program that it is given
	}
	if known(name) {
		return name
	}
	if head, tail, ok := strings.Cut(name, "."); ok && known(head) && !scripts[tail] {
		return head
	}
	if cut := strings.TrimRight(name, "0123456789.-"); cut != name && known(cut) {
		return cut
	}
	return name
}

// scripts are the endings of files of code, whose name is no program's: env.sh, script.py.
var scripts = map[string]bool{"sh": true, "bash": true, "zsh": true, "py": true, "rb": true, "pl": true, "js": true,
	"mjs": true, "cjs": true, "ts": true, "php": true, "lua": true, "go": true, "awk": true, "sed": true, "bat": true,
	"cmd": true, "ps1": true}

func known(name string) bool {
	return builtins[name] != nil || wrappers[name] != nil || shells[name] != nil || interpreters[name] != nil ||
		special[name] != nil || hidden[name] != nil
}
