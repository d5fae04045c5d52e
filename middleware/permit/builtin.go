// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import (
	"path"
	"slices"
	"strings"

	"github.com/toolscope/toolscope/internal/sensitive"
	"github.com/toolscope/toolscope/middleware/permit/internal/glob"
	"github.com/toolscope/toolscope/middleware/permit/internal/shell"
	"github.com/toolscope/toolscope/middleware/permit/internal/workspace"
)

// fileTools are names of tools that write files.
var fileTools = []string{"*write*", "*edit*", "*create*", "*delete*", "*remove*", "*move*", "*patch*", "*mkdir*",
	"*rename*", "*append*", "*save*", "*copy*", "Write", "Edit", "MultiEdit", "NotebookEdit"}

// builtins are the rules that hold without a word.
func builtins() []Rule {
	rules := []Rule{
		{Name: "deny-root", Effect: Deny, view: commandIs("sudo", "doas", "pkexec", "su", "runuser",
			"sudoedit", "gosu", "su-exec"),
			ForModel:  "commands as another user are not permitted; do it without, or tell the user what to run",
			ForPerson: "runs a command as another user"},
		{Name: "deny-rm-root", Effect: Deny, view: removesRoot,
			ForModel: "removing the root, a system directory or the home directory is not permitted; name the files to " +
				"remove inside the workspace", ForPerson: "removes the root, a system directory or the home directory"},
		{Name: "deny-shutdown", Effect: Deny, view: stopsSystem,
			ForModel: "stopping or restarting the machine is not permitted", ForPerson: "stops or restarts the machine"},
		{Name: "deny-mkfs", Effect: Deny, view: commandIs("mkfs*", "mke2fs", "mkdosfs", "mkntfs", "mkswap", "newfs*",
			"wipefs", "blkdiscard"),
			ForModel: "making or wiping file systems is not permitted", ForPerson: "makes or wipes a file system"},
		{Name: "deny-device", Effect: Deny, view: writesDevice,
			ForModel: "writing to a device is not permitted; write to a file in the workspace", ForPerson: "writes to a device"},
		{Name: "ask-rm", Effect: Ask, view: removes,
			ForModel: "removing files asks for approval; leave them, or let the user remove them", ForPerson: "removes files"},
		{Name: "ask-chmod", Effect: Ask, view: opensMode,
			ForModel:  "letting everybody write asks for approval; give the owner or a group the right (chmod u+w, g+w)",
			ForPerson: "lets everybody write to files"},
		{Name: "ask-etc", Effect: Ask, view: writesSystem,
			ForModel:  "writing to the system's directories asks for approval; write to a file in the workspace",
			ForPerson: "writes to a system directory"},
		{Name: "ask-outside", Effect: Ask, view: writesOutside,
			ForModel: "writing outside the workspace, or to a file whose name is computed, asks for approval; write to " +
				"a named file inside the workspace", ForPerson: "writes outside the workspace"},
		{Name: "ask-startup", Effect: Ask, view: writesStartup,
			ForModel:  "changing a file that programs execute when they start asks for approval; leave it, or ask the user",
			ForPerson: "changes a file that programs execute when they start"},
	}
	for i := range rules { // of tools that run shell commands
		rules[i].Shell = &Shell{Programs: []string{"*"}}
	}
	rules = append(rules, Rule{Name: "ask-startup-file", Effect: Ask, Tools: fileTools, view: startsLater,
		ForModel:  "changing a file that programs execute when they start asks for approval; leave it, or ask the user",
		ForPerson: "changes a file that programs execute when they start"})
	rules = append(rules, Rule{Name: "ask-outside-file", Effect: Ask, Tools: fileTools, Paths: &Paths{Outside: true},
		ForModel: "writing outside the workspace asks for approval; use a path inside it", ForPerson: "writes outside the workspace"})
	for i := range rules {
		rules[i].builtin = true
	}
	return rules
}

// commandIs finds a command by patterns of its name.
func commandIs(names ...string) func(*view) string {
	return func(v *view) string {
		return v.command(func(name string, _ *shell.Command) bool { return glob.MatchAny(names, name) })
	}
}

// command says which command of the lines is meant; "" if none.
func (v *view) command(meant func(name string, c *shell.Command) bool) string {
	for _, l := range v.lines {
		for i := range l.Commands {
			c := &l.Commands[i]
			if len(c.Words) > 0 && meant(strings.ToLower(c.Name), c) {
				return "it runs " + line(c)
			}
		}
	}
	return ""
}

// written says which file of those that the lines write is meant; "" if none.
func (v *view) written(meant func(w shell.Word) bool) string {
	for _, w := range v.writes() {
		if meant(w) {
			return "it writes to " + shown(w.Text)
		}
	}
	return ""
}

func removes(v *view) string {
	return v.command(func(name string, c *shell.Command) bool {
		return name == "rm" || name == "unlink" || name == "shred" || name == "srm" || name == "rmdir" ||
			name == "find" &&
				has(c, "-delete") ||
			name == "git" && has(c, "clean")
	})
}

func has(c *shell.Command, word string) bool {
	for _, w := range c.Words[1:] {
		if w.Text == word {
			return true
		}
	}
	return false
}

// removesRoot finds rm -r of a directory that is hardly ever meant, in every
// notation.
func removesRoot(v *view) string {
	return v.command(func(name string, c *shell.Command) bool {
		switch name {
		case "rm", "srm", "shred", "unlink", "rmdir":
		case "find":
			return has(c, "-delete") && v.finds(c)
		default:
			return false
		}
		recursive := name != "rm"
		literal := false
		for _, w := range c.Words[1:] {
			switch t := w.Text; {
			case !literal && t == "--":
				literal = true
			case !literal && strings.HasPrefix(t, "--"):
				recursive = recursive || len(t) > 3 && strings.HasPrefix("--recursive", t) ||
					strings.HasPrefix("--no-preserve-root", t) && len(t) > 4
			case !literal && len(t) > 1 && t[0] == '-':
				recursive = recursive || strings.ContainsAny(t, "rR")
			}
		}
		if !recursive {
			return false
		}
		return slices.ContainsFunc(c.Words[1:], v.vital)
	})
}

// finds reports whether find starts at a vital directory.
func (v *view) finds(c *shell.Command) bool {
	for _, w := range c.Words[1:] {
		if strings.HasPrefix(w.Text, "-") {
			return false
		}
		if v.vital(w) {
			return true
		}
	}
	return false
}

// vital reports whether the word names the root, a directory below it that the system
// needs, all of their entries, or the home directory.
func (v *view) vital(w shell.Word) bool {
	t := w.Text
	if t == "" || t[0] == '-' {
		return false
	}
	if v.space.Lost() && (t == "*" || t == "." || t == "./" || t == "./*" || t == ".." || t == ".*" ||
		t == "{*,.*}") {
		return true // in a directory outside the workspace
	}
	home := v.space.Home
	if t == "~" || strings.HasPrefix(t, "~/") && path.Clean(t[1:]) == "/" || strings.HasPrefix(t, "~/") &&
		entries(path.Clean(t[1:])[1:]) {
		return true
	}
	if t[0] != '/' {
		if t = path.Clean(v.space.Dir + "/" + t); !strings.Contains(w.Text, "..") {
			return false
		}
	}
	t = path.Clean(t)
	if t == "/" || t == home || path.Dir(t) == home && entries(path.Base(t)) {
		return true
	}
	if parent := path.Dir(t); entries(path.Base(t)) { // all entries of a directory
		t = parent
		if t == "/" {
			return true
		}
	}
	top, rest, deep := strings.Cut(t[1:], "/")
	if deep && !(top == "usr" && !strings.Contains(rest, "/")) {
		return false
	}
	if strings.ContainsAny(top, "*?[{") {
		return true // a pattern of top-level directories
	}
	return systemTops[top]
}

// entries reports whether a pattern means all entries of a directory.
func entries(s string) bool {
	return s == "*" || s == ".*" || s == "{*,.*}" || s == "{,.}*" || s == "**" || s == "[!.]*" ||
		s == ".[!.]*" || s == "?*"
}

var systemTops = map[string]bool{
	"bin": true, "boot": true, "dev": true, "etc": true, "home": true, "lib": true, "lib32": true, "lib64": true,
	"opt": true, "proc": true, "root": true, "run": true, "sbin": true, "srv": true, "sys": true, "usr": true,
	"var":          true,
	"Applications": true, "Library": true, "System": true, "Users": true, "Volumes": true, "private": true,
}

func stopsSystem(v *view) string {
	return v.command(func(name string, c *shell.Command) bool {
		switch name {
		case "shutdown", "reboot", "halt", "poweroff", "kexec":
			return true
		case "init", "telinit":
			return has(c, "0") || has(c, "6") || has(c, "1") || has(c, "S")
		case "systemctl", "loginctl":
			for _, w := range []string{"poweroff", "reboot", "halt", "kexec", "soft-reboot", "rescue",
				"emergency", "suspend",
				"hibernate", "hybrid-sleep"} {
				if has(c, w) {
					return true
				}
			}
			return has(c, "isolate")
		}
		return false
	})
}

// devices are patterns of block devices and of the machine's memory.
var devices = []string{
	"/dev/sd*", "/dev/hd*", "/dev/vd*", "/dev/xvd*", "/dev/nvme*", "/dev/mmcblk*", "/dev/loop*", "/dev/dm-*",
	"/dev/md*", "/dev/mapper/*", "/dev/disk*", "/dev/rdisk*", "/dev/sr*", "/dev/fd?", "/dev/ram*", "/dev/zram*",
	"/dev/nbd*", "/dev/block/*",
	"/dev/mem", "/dev/kmem", "/dev/port", "/proc/sysrq-trigger", "/proc/kcore", "/dev/{*", "/dev/[*",
	"/dev/?d*", "/dev/\\*",
}

func writesDevice(v *view) string {
	why := v.written(func(w shell.Word) bool { return glob.MatchAny(devices, path.Clean(w.Text)) })
	if why != "" {
		return why
	}
	return v.command(func(name string, c *shell.Command) bool {
		if name != "dd" {
			return false
		}
		for _, w := range c.Words[1:] {
			file, ok := strings.CutPrefix(w.Text, "of=")
			if file = path.Clean(file); ok && strings.HasPrefix(file, "/dev/") && file != "/dev/null" &&
				file != "/dev/stdout" && file != "/dev/stderr" && !strings.HasPrefix(file, "/dev/fd/") {
				return true
			}
		}
		return false
	})
}

// opensMode finds chmod with a mode that lets others write.
func opensMode(v *view) string {
	return v.command(func(name string, c *shell.Command) bool {
		if name != "chmod" {
			return false
		}
		for _, w := range c.Words[1:] {
			if strings.HasPrefix(w.Text, "--") {
				continue
			}
			if !w.Known || othersWrite(w.Text) {
				return true
			}
			if !strings.HasPrefix(w.Text, "-") {
				return false // the mode; what follows are files
			}
		}
		return false
	})
}

// othersWrite reports whether a mode, in numbers or letters, lets everybody write.
func othersWrite(mode string) bool {
	if strings.Trim(mode, "01234567") == "" && mode != "" {
		last := mode[len(mode)-1]
		return (last-'0')&2 != 0
	}
	for part := range strings.SplitSeq(mode, ",") {
		i := strings.IndexAny(part, "+=")
		if i < 0 || strings.Trim(part[:i], "ugoa") != "" {
			continue
		}
		if who := part[:i]; (who == "" || strings.ContainsAny(who, "oa")) && strings.Contains(part[i:], "w") {
			return true
		}
	}
	return false
}

var systemPaths = []string{"/etc", "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/boot", "/sys", "/proc",
	"/dev", "/System", "/Library", "/private/etc"}

func writesSystem(v *view) string {
	return v.written(func(w shell.Word) bool {
		return slices.ContainsFunc(v.space.Dirs(), func(from string) bool {
			file := v.space.At(from, w.Text)
			return slices.ContainsFunc(systemPaths, func(dir string) bool {
				return file == dir ||
					strings.HasPrefix(file, dir+"/")
			})
		})
	})
}

func writesOutside(v *view) string {
	why := v.written(func(w shell.Word) bool {
		if !w.Known && !workspace.Pattern(w.Text) {
			return true
		}
		return !v.space.Inside(w.Text)
	})
	if why != "" {
		return why
	}
	return v.command(func(name string, c *shell.Command) bool {
		return name == "ln" && v.linksOut(c) || name == "git" && v.worksOutside(c)
	})
}

// worksOutside reports whether git works in a directory outside the workspace or in a repository whose settings the file
// tools may have written, or makes files there.
func (v *view) worksOutside(c *shell.Command) bool {
	use := v.use(c)
	if slices.ContainsFunc(use.Changes, func(w shell.Word) bool { return w.Known && !v.space.Inside(w.Text) }) {
		return true
	}
	if len(use.Dirs) == 0 {
		return false
	}
	place := v.space.With(use.Dirs)
	return place.Lost() || place.StrangeRepository() != ""
}

// linksOut reports whether ln makes a link to a file outside the workspace, through which others may write.
func (v *view) linksOut(c *shell.Command) bool {
	for _, w := range c.Words[1:] {
		if w.Text != "" && w.Text[0] != '-' && (!w.Known || strings.HasPrefix(w.Text, "..") ||
			!v.space.Inside(w.Text)) {
			return true
		}
	}
	return false
}

// writesStartup finds files that a program executes when it starts.
func writesStartup(v *view) string {
	if why := v.written(func(w shell.Word) bool { return v.starts(w.Text) }); why != "" {
		return why
	}
	return v.command(func(name string, c *shell.Command) bool {
		return v.placedBadly(name, c) != "" ||
			slices.ContainsFunc(v.use(c).Changes, func(w shell.Word) bool { return v.starts(w.Text) })
	})
}

// startsLater finds them among the paths of a tool that writes files.
func startsLater(v *view) string {
	for _, p := range v.paths() {
		if v.starts(p) {
			return "the path " + shown(p)
		}
	}
	return ""
}

// starts reports whether a program may execute the file when it starts, wherever the name is relative to.
func (v *view) starts(file string) bool {
	if strings.ContainsAny(file, "*?[") { // what the beginnings of a pattern match
		for i := range len(file) + 1 {
			if i == len(file) || file[i] == '/' && i > 0 {
				found, _ := v.space.Matches(file[:i])
				if slices.ContainsFunc(found, v.starts) {
					return true
				}
			}
		}
	}
	return slices.ContainsFunc(v.space.Names(file), func(name string) bool { return sensitive.Starts(name) != "" })
}
