// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"strings"

	"github.com/toolscope/toolscope/middleware/permit/internal/shell"
)

// tells doubts what the arguments of a program say by themselves, whether a table knows the
// program or not: an option whose name says that its value is run (--exec, --init-script), a
// path of a shell or code for one, a pipe in the place of a file, the command "exec".
func (r inspector) tells(c *shell.Command, name string) {
	if len(c.Words) == 1 || readers[name] || containers[name] || special[name] != nil {
		return
	}
	for i, w := range c.Words[1:] {
		t, value := w.Text, w.Text
		if len(t) > 2 && t[0] == '-' {
			option, glued, has := strings.Cut(strings.TrimLeft(t, "-"), "=")
			if value = glued; !has && i+2 < len(c.Words) {
				value = c.Words[i+2].Text
			}
			if value != "" && value[0] != '-' && option != queries[name] && saysRun(option, value) {
				r.Doubt(shell.DoubtOption, c.Name+" "+shell.Clip(t)+" starts a program")
				return
			}
			if value = glued; !has && t[1] != '-' { // a letter and its value
				value = t[2:]
			}
		}
		if runnable(value) || i == 0 && t == "exec" && launchers[name] == "" && len(c.Words) > 2 {
			r.Doubt(shell.DoubtOption, c.Name+" "+shell.Clip(t)+" starts a program")
			return
		}
	}
}

// containers start their arguments in a container, a virtual machine or on another host; that is
// the business of rules for them.
var containers = shell.NameSet(
	"docker podman nerdctl kubectl oc crictl ctr docker-compose podman-compose limactl multipass incus " +
		"distrobox toolbox buildah k3s minikube",
)

// readers take texts, patterns or names of files, among them those of shells, and run none.
var readers = shell.NameSet(`echo printf cat ls file stat readlink realpath which whereis type test [ grep
	egrep fgrep ugrep cut tr column paste cp mv ln rm chmod chown touch mkdir head tail wc
	md5sum sha1sum sha256sum cmp diff basename dirname chsh useradd usermod adduser strings nm ldd objdump
	readelf du df pgrep pkill killall lsof fuser dpkg true : expr cd exit return
	set export read alias hash unset command jq logger sha512sum b2sum cksum sum hexdump od rpm pacman apk apt-file`)

// queries are options whose value is a language of the program's own, which [hidden] looks into.
var queries = map[string]string{"psql": "command", "mysql": "execute", "mariadb": "execute", "sqlite3": "cmd"}

// running are words in the names of options whose value is run; loading are those whose value is
// loaded as code if it is a file's.
var (
	Running = shell.NameSet(
		"exec execute executable eval evaluate shell cmd command commands script hook pager editor program " +
			"prog prepipe prepipex rsh askpass renderer viewer wrapper launcher modprobe",
	)
	Loading = shell.NameSet("plugin plugins require preload loader agent agentpath agentlib module library so extension")
	// tame are words that take that back: --command-timeout, --no-script, --list-commands.
	Tame = shell.NameSet(
		"timeout time name id type count limit history size version delay role interval no skip disable " +
			"without list show ignore print max dump format color mode",
	)
	// plain are values that run nothing.
	plain = shell.NameSet("true false yes no on off auto always never none default all")
)

// saysRun reports whether an option's name says that its value is run: one of its words does, and
// none takes it back.
func saysRun(option, value string) bool {
	// completion --shell bash
	if plain[value] || shell.IsDigit(value[0]) && shell.IsNumber(strings.TrimRight(value, "smhd")) ||
		option == "shell" && shells[value] != nil {
		return false
	}
	runs, loads := false, false
	for word, rest := "", option; rest != ""; {
		word, rest = nextWord(rest)
		if Tame[word] {
			return false
		}
		runs, loads = runs || Running[word], loads || Loading[word]
	}
	file := strings.IndexByte("./~", value[0]) >= 0 || strings.HasSuffix(value, ".so")
	event := strings.HasPrefix(option, "on-") && strings.ContainsAny(value, "/ ")
	return runs || event || loads && file
}

// nextWord cuts the first word off the name of an option, in lower case: of init-script, init_script
// and initScript it is init.
func nextWord(s string) (word, rest string) {
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '-' || c == '_' || c == '.' || c == ':':
			return strings.ToLower(s[:i]), s[i+1:]
		case 'A' <= c && c <= 'Z' && 'a' <= s[i-1] && s[i-1] <= 'z':
			return strings.ToLower(s[:i]), s[i:]
		}
	}
	return strings.ToLower(s), ""
}

// runnable reports whether an argument is a path of a shell or an interpreter, code for one
// ("sh -c id"), or a pipe to a program ("|id").
func runnable(t string) bool {
	if len(t) < 3 {
		return false
	}
	if t[0] == '|' {
		t = strings.TrimLeft(t, "| ")
		return t != "" && (shell.IsLetter(t[0]) || t[0] == '/')
	}
	word, rest, more := strings.Cut(t, " ")
	if t[0] != '/' && (!more || t[0] < 'a' || t[0] > 'z') {
		return false
	}
	name := program(shell.BaseName(word))
	if shells[name] == nil && interpreters[name] == nil && name != "env" && name != "busybox" {
		return false
	}
	switch dir := word[:len(word)-len(shell.BaseName(word))]; {
	case dir == "":
		return more && strings.HasPrefix(rest, "-")
	case more:
		return true
	default:
		return dir == "/bin/" || dir == "/usr/bin/" || dir == "/usr/local/bin/" || dir == "/sbin/" || dir == "/system/bin/"
	}
}
