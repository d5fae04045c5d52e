// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/toolscope/toolscope/internal/sensitive"
	"github.com/toolscope/toolscope/middleware/permit/internal/shell"
)

var harmlessDevices = shell.NameSet("/dev/null /dev/zero /dev/stdin /dev/stdout /dev/stderr /dev/tty")

// maxMatches is how many files a pattern of a command that a rule allows may match.
const maxMatches = 1000

// pathsOutside says which of the words leads out of the workspace, or to credentials; "" if none.
func (v *view) pathsOutside(words []shell.Word) string {
	for _, w := range words {
		if why := v.pathOutside(w); why != "" {
			return shown(w.Text) + " " + why
		}
	}
	return ""
}

func (v *view) pathOutside(w shell.Word) string {
	switch t := w.Text; {
	case w.Pipe || t == "" || t == "-":
		return ""
	case w.Known && harmlessDevices[t]:
		return ""
	case w.Known:
		return v.partsOutside(t)
	case w.Loose || !innerPattern(t) || strings.HasPrefix(t, "/") || strings.HasPrefix(t, "~") || v.moved || len(v.dirs) > 0:
		return "is computed"
	default:
		return v.matchesOutside(t)
	}
}

// matchesOutside looks at the files that a pattern matches now.
func (v *view) matchesOutside(pattern string) string {
	files, err := filepath.Glob(filepath.Join(v.rules.space.Dir, pattern))
	if err != nil || len(files) > maxMatches {
		return "is a pattern of too many files, or of none"
	}
	for _, file := range files {
		if why := v.partsOutside(file); why != "" {
			return why
		}
	}
	return ""
}

// partsOutside looks at a word, at what stands behind its '=' and ':', and at a path behind an option's letter.
func (v *view) partsOutside(t string) string {
	if strings.HasPrefix(t, "-") {
		if i := strings.IndexAny(t, "/~."); i > 0 && i <= 2 {
			t = t[i:]
		}
	}
	if len(t) > 1 && t[0] == '@' && (shell.IsLetter(t[1]) || t[1] == '.' || t[1] == '/') {
		return "may be a file of options"
	}
	if strings.HasPrefix(strings.ToLower(t), "file:") && strings.Contains(t, "%") {
		return "is an encoded address of a file"
	}
	for part := range strings.FieldsFuncSeq(t, func(c rune) bool { return c == '=' || c == ':' || c == ',' }) {
		if sensitive.Credential(part) != "" {
			return "holds credentials"
		}
		if strings.HasPrefix(part, "/") && strings.HasPrefix(t, part[1:]) && strings.Contains(t, "://") {
			return "is an address"
		}
		if v.leadsOut(part) {
			return "lies outside the workspace"
		}
	}
	return ""
}

// leadsOut reports whether a path leads out of the workspace. A name without a slash does only if it is a link.
func (v *view) leadsOut(file string) bool {
	if v.moved || strings.HasPrefix(file, "~") && file != "~" && !strings.HasPrefix(file, "~/") {
		return true // of another user's home
	}
	if !strings.ContainsAny(file, "/~") && file != ".." && len(v.dirs) == 0 {
		info, err := os.Lstat(v.rules.space.Dir + "/" + file)
		if err != nil || info.Mode()&os.ModeSymlink == 0 {
			return false
		}
	}
	return !v.inside(file)
}
