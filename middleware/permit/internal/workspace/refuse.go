// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package workspace

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/toolscope/toolscope/internal/sensitive"
	"github.com/toolscope/toolscope/middleware/permit/internal/shell"
)

var harmlessDevices = shell.NameSet("/dev/null /dev/zero /dev/stdin /dev/stdout /dev/stderr /dev/tty")

const secret = "holds credentials"

// Refuse says why a word of a command must not be a path: it leads out of the workspace, or to credentials; "" if
// it may be one.
func (p *Place) Refuse(w shell.Word) string {
	switch t := w.Text; {
	case w.Pipe || t == "" || t == "-" || w.Known && harmlessDevices[t]:
		return ""
	case w.Known:
		return p.refuseText(t)
	case w.Loose || !Pattern(t):
		return "is computed"
	}
	if c := sensitive.Pattern(w.Text, false); c != "" {
		return "may mean " + c + ", which " + secret
	}
	files, ok := p.Matches(w.Text)
	if !ok {
		return "is a pattern of files that cannot be determined"
	}
	for _, file := range files {
		if why := p.refuseFile(file); why != "" {
			return "means " + file + ", which " + why
		}
	}
	return ""
}

// Pattern reports whether what is not known of a path is only which of the files
// of a directory it is: src/*.go.
func Pattern(s string) bool {
	return s != "" && s[0] != '-' && !strings.Contains(s, "$") && strings.ContainsAny(s, "*?[") && !strings.Contains(s, "..")
}

// refuseText looks at a word, at what stands behind its '=' and ':', and at a path behind an option's letter.
func (p *Place) refuseText(t string) string {
	if why := p.refuseJoined(t); why != "" {
		return why
	}
	if len(t) > 1 && t[0] == '@' && (shell.IsLetter(t[1]) || t[1] == '.' || t[1] == '/') {
		return "may be a file of options"
	}
	if strings.HasPrefix(strings.ToLower(t), "file:") && strings.Contains(t, "%") {
		return "is an encoded address of a file"
	}
	for part := range strings.FieldsFuncSeq(t, func(c rune) bool { return c == '=' || c == ':' || c == ',' }) {
		if strings.HasPrefix(part, "/") && strings.HasPrefix(t, part[1:]) && strings.Contains(t, "://") {
			return "is an address"
		}
		if c := sensitive.Pattern(part, true); c != "" {
			return "may mean " + c + ", which " + secret
		}
		if why := p.refuseFile(strings.TrimLeft(part, "@<(!^")); why != "" {
			return why
		}
	}
	return ""
}

// maxLetters is how many letters of options may stand before a value in the same word.
const maxLetters = 64

// refuseJoined looks at what may be the value of an option in the same word, behind one letter or several: -f.env,
// -0a/proc/self/environ.
func (p *Place) refuseJoined(t string) string {
	if len(t) < 3 || t[0] != '-' || t[1] == '-' {
		return ""
	}
	for i := 2; i < len(t) && (shell.IsLetter(t[i-1]) || shell.IsDigit(t[i-1]) || t[i-1] == '#'); i++ {
		if i > maxLetters {
			return "is an option that is not known"
		}
		if why := p.refuseFile(strings.TrimLeft(t[i:], "=@<")); why != "" {
			return why
		}
	}
	return ""
}

// refuseFile looks at one name, in whichever directory.
func (p *Place) refuseFile(file string) string {
	if file == "" {
		return ""
	}
	if sensitive.Credential(file) != "" {
		return secret
	}
	if strings.HasPrefix(file, "~") && !home(file) || p.lost && !filepath.IsAbs(file) {
		return "lies outside the workspace"
	}
	for _, dir := range p.dirs {
		at := p.At(dir, file)
		if !p.out && !strings.ContainsAny(file, "/~") && file != ".." {
			// A name alone, in a directory that is in the workspace, leads out only if it is a link.
			info, err := os.Lstat(at)
			if (err != nil || info.Mode()&os.ModeSymlink == 0) && dir == p.Dir {
				continue
			}
		}
		switch rel, ok := p.Below(at); {
		case !ok:
			return "lies outside the workspace"
		case sensitive.Credential(rel) != "":
			return secret
		}
	}
	return ""
}

// Opens says which file that must not be read a command may open without naming it. What are those of a profile's
// use, paths the words that are paths; without named, a search is of the current directory.
// only are patterns of the names of the files that are opened; none is all.
func (p *Place) Opens(what []string, paths []shell.Word, named bool, only []string) string {
	tree, repository := Search{Only: only}, false
	searches := false
	for _, w := range what {
		switch w {
		case "tree":
			searches, tree.Hidden = true, true
		case "visible":
			searches = true
		case "links":
			searches, tree.Links = true, true
		case "git", "settings":
			repository = true
		}
	}
	if !searches && !repository {
		return ""
	}
	if p.lost {
		return "in a directory that is not known"
	}
	dirs := p.directories(paths)
	if !named || len(dirs) == 0 && repository {
		dirs = append(dirs, p.dirs...)
	}
	for _, dir := range dirs {
		if searches {
			if found := tree.Secret(dir); found != "" {
				return found
			}
		}
		if repository {
			if found := p.opensRepository(dir, what); found != "" {
				return found
			}
		}
	}
	return ""
}

// opensRepository looks at the repository in which a directory lies. Without one, git compares files.
func (p *Place) opensRepository(dir string, what []string) string {
	git := Repository(dir)
	for _, w := range what {
		switch {
		case w == "git" && git == "":
			if found := (Search{Hidden: true}).Secret(dir); found != "" {
				return found
			}
		case w == "git":
			if found := Tracked(git); found != "" {
				return found
			}
		case w == "settings" && git != "" && HoldsToken(filepath.Join(git, "config")):
			return ".git/config"
		case w == "settings":
			for _, file := range []string{p.Home + "/.gitconfig", p.Home + "/.config/git/config", "/etc/gitconfig"} {
				if HoldsToken(file) {
					return file
				}
			}
		}
	}
	return ""
}

// directories are those among the words, as they are now.
func (p *Place) directories(words []shell.Word) (dirs []string) {
	for _, w := range words {
		if !w.Known {
			files, _ := p.Matches(w.Text)
			for _, file := range files {
				dirs = appendDirectory(dirs, file)
			}
			continue
		}
		for _, dir := range p.dirs {
			dirs = appendDirectory(dirs, p.At(dir, w.Text))
		}
	}
	return dirs
}

func appendDirectory(dirs []string, path string) []string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return append(dirs, path)
	}
	return dirs
}

// Directories are the words that are directories now, for a program of which nothing is known.
func (p *Place) Directories(words []shell.Word) (paths []shell.Word) {
	for _, w := range words {
		if len(p.directories([]shell.Word{w})) > 0 {
			paths = append(paths, w)
		}
	}
	return paths
}
