// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bash

import (
	"fmt"
	"strings"
)

// generator writes command lines of harmless programs (p0 … p9), steered by bytes. No
// line has a slash or a tilde, so no file outside the working directory is named.
type generator struct {
	choices []byte
	here    []string // here-documents that wait for the next line
	budget  int
}

func (g *generator) pick(n int) int {
	if len(g.choices) == 0 {
		return 0
	}
	c := int(g.choices[0])
	g.choices = g.choices[1:]
	return c % n
}

// line is one command line, changed in places.
func (g *generator) line() string {
	g.budget = 40
	line := g.list(0) + g.flush()
	for range g.pick(8) / 4 * g.pick(3) {
		line = g.mutate(line)
	}
	return line
}

const alphabet = "'\"`$(){}[];&|<>#!*?\n= \\@:-+,.0p1x\t%^"

func (g *generator) mutate(s string) string {
	if s == "" {
		return s
	}
	at := (g.pick(256)<<8 | g.pick(256)) % len(s)
	c := alphabet[g.pick(len(alphabet))]
	switch g.pick(4) {
	case 0:
		return s[:at] + string(c) + s[at:]
	case 1:
		return s[:at] + s[at+1:]
	case 2:
		return s[:at] + string(c) + s[at+1:]
	}
	to := min(len(s), at+g.pick(12))
	return s[:at] + s[at:to] + s[at:]
}

func (g *generator) flush() string {
	out := ""
	for _, h := range g.here {
		out += "\n" + h
	}
	g.here = nil
	return out
}

func (g *generator) list(depth int) string {
	out := g.command(depth)
	for range g.pick(3) {
		switch g.pick(7) {
		case 0:
			out += " && "
		case 1:
			out += "||"
		case 2:
			out += " | "
		case 3:
			out += "; "
		case 4:
			out += "&"
		case 5:
			out += g.flush() + "\n"
		case 6:
			out += "|&"
		}
		out += g.command(depth)
	}
	return out
}

func (g *generator) command(depth int) string {
	g.budget--
	if depth > 4 || g.budget < 0 {
		return g.simple(depth)
	}
	switch d := depth + 1; g.pick(24) {
	case 0:
		return "(" + g.list(d) + g.flush() + ")"
	case 1:
		return "{ " + g.list(d) + g.flush() + "\n}"
	case 2:
		return "if " + g.list(d) + g.flush() + "\nthen " + g.list(d) + g.flush() + "\nelse " + g.command(d) + g.flush() + "\nfi"
	case 3:
		return "for x in " + g.word(d) + " " + g.word(d) + "; do " + g.list(d) + g.flush() + "\ndone"
	case 4:
		return "case " + g.word(d) + " in (" + g.word(d) + ") " + g.list(d) + g.flush() + "\n;; *) " + g.list(d) +
			g.flush() + "\n;; esac"
	case 5:
		return "! " + g.command(d)
	case 6:
		return "time " + g.command(d)
	case 7:
		return "[[ " + g.word(d) + " == " + g.word(d) + " ]]"
	case 8:
		return "(( 1 + " + g.number(d) + " ))"
	case 9:
		return "until " + g.command(d) + g.flush() + "\ndo " + g.list(d) + g.flush() + "\nbreak; done"
	case 10:
		return "while ! " + g.command(d) + g.flush() + "\ndo " + g.list(d) + g.flush() + "\nbreak; done"
	case 11:
		return []string{"env ", "env A=1 ", "env -u A ", "nice ", "nice -n 1 ", "nohup ", "timeout 2 ", "timeout -k 1 2 ",
			"command ", "exec ", "xargs ", "xargs -n1 ", "builtin command ", "command -p "}[g.pick(14)] + g.simple(d)
	case 12:
		return []string{"sh -c ", "bash -c ", "eval ", "bash -ec ", "trap -- ", "bash <<< "}[g.pick(6)] +
			quote(g.list(d)+g.flush()) + " EXIT"
	case 13:
		return "find . -maxdepth 0 -exec " + g.program() + " {} " + g.word(d) + ` \;`
	case 14:
		return "x=" + g.word(d) + "; " + g.simple(d)
	case 15:
		return "declare " + "y=" + g.word(d)
	default:
		return g.simple(d)
	}
}

func (g *generator) simple(depth int) string {
	out := ""
	if g.pick(8) == 0 {
		out = "v=" + g.word(depth) + " "
	}
	out += g.program()
	for range g.pick(3) {
		out += " " + g.word(depth)
	}
	switch g.pick(10) {
	case 0:
		out += " > " + g.word(depth)
	case 1:
		out += " 2>&1"
	case 2:
		end := []string{"E", "'E'", `\E`, `"E"`, "-E", `$'E'`, `$'\x45'`, `"\E"`, `"\$E"`, `"\\E"`, "E\\\n", `-$'\tE'`,
			"\"`E`\"", `E""`,
			"$E", "'E\nE'", `-\E`, "E*"}[g.pick(18)]
		out += " <<" + end
		tail := []string{"E", "\tE", "E\np8\nE", "\\E\np7\nE", "E\\\nE\np6\nE", "$E\np5\nE", "E \nE", "`E`\np4\nE"}[g.pick(8)]
		g.here = append(g.here, g.word(depth)+"\n"+g.word(depth)+"\n"+tail)
	case 3:
		out += " <<< " + g.word(depth)
	case 4:
		out += " < " + g.word(depth)
	}
	return out
}

// program is the name of a harmless program, spelled in some way.
func (g *generator) program() string {
	p := fmt.Sprintf("p%d", g.pick(10))
	switch g.pick(40) {
	case 0:
		return `\` + p
	case 1:
		return "'" + p + "'"
	case 2:
		return `"p"` + p[1:]
	case 3:
		return "p''" + p[1:]
	case 4:
		return `$'\x70'` + p[1:]
	case 5:
		return "p\\\n" + p[1:]
	case 6:
		return "${x:-" + p + "}"
	case 7:
		return "{" + p + ",a}"
	case 8:
		return `p\` + p[1:]
	case 9:
		return `$'\160` + p[1:] + "'"
	}
	return p
}

func (g *generator) number(depth int) string {
	switch g.pick(12) {
	case 0:
		return "${#x}"
	case 1:
		return "$(" + g.command(depth+1) + g.flush() + "\n)"
	case 2:
		return "(2 * 3)"
	case 3:
		return "x"
	}
	return "4"
}

func (g *generator) word(depth int) string {
	g.budget--
	if depth > 4 || g.budget < 0 {
		return "w"
	}
	switch d := depth + 1; g.pick(26) {
	case 0:
		return "$(" + g.list(d) + g.flush() + "\n)"
	case 1:
		return "`" + strings.NewReplacer("\\", "\\\\", "`", "\\`", "$", "\\$").Replace(g.list(d)+g.flush()) + "\n`"
	case 2:
		return `"a $(` + g.list(d) + g.flush() + "\n)\""
	case 3:
		return "<(" + g.list(d) + g.flush() + "\n)"
	case 4:
		return "$((1 + " + g.number(d) + "))"
	case 5:
		return "${x:-" + g.word(d) + "}"
	case 6:
		return "${x/a/" + g.word(d) + "}"
	case 7:
		return "$'a\\'b\\x24(p1)'"
	case 8:
		return "{a,b}"
	case 9:
		return "*"
	case 10:
		return "a#b"
	case 11:
		return `'$(p9)'`
	case 12:
		return `"\$(p9) \"` + "\\`p9\\`\""
	case 13:
		return `\$\(p9\)`
	case 14:
		return `"${x:-` + g.word(d) + `}"`
	case 15:
		return "${x:1:" + g.number(d) + "}"
	case 16:
		return "$x"
	case 17:
		return `"$@"`
	case 18:
		return "${x#" + g.word(d) + "}"
	case 19:
		return `"` + "`" + g.program() + "`" + `"`
	case 20:
		return "$[1+" + g.number(d) + "]"
	case 21:
		return "$(<f)"
	}
	return []string{"a", "b c", "-n", "w", "1"}[g.pick(5)]
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
