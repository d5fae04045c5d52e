// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// builtins are commands that the shell runs itself, in no process of their own.
const builtins = " . : [ alias bg bind break builtin caller cd command compgen complete continue declare dirs disown echo " +
	"enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf " +
	"pushd pwd read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit " +
	"umask unalias unset wait "

// program is the name of the one program that a command line starts; "" if it may start none, or several.
func program(line string) string {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil || len(file.Stmts) != 1 {
		return ""
	}
	call, ok := file.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || file.Stmts[0].Background || len(call.Args) == 0 {
		return ""
	}
	others := false
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			others = true
		}
		return !others
	})
	name := path.Base(call.Args[0].Lit()) // "" has the base "."
	if others || strings.ContainsAny(name, "*?[~\\") || strings.Contains(builtins, " "+name+" ") {
		return ""
	}
	return name
}
