// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package workspace

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/toolscope/toolscope/internal/sensitive"
	"github.com/toolscope/toolscope/middleware/permit/internal/shell"
)

// maxIndex is how large an index of git is read, in bytes.
const maxIndex = 64 << 20

// Repository returns the .git that git uses in a directory; "" if there is none.
func Repository(dir string) string {
	for {
		git := filepath.Join(dir, ".git")
		switch info, err := os.Stat(git); {
		case err == nil && info.IsDir():
			return git
		case err == nil: // a worktree's or a submodule's
			text, _ := os.ReadFile(git)
			to := strings.TrimSpace(strings.TrimPrefix(string(text), "gitdir:"))
			if !filepath.IsAbs(to) {
				to = filepath.Join(dir, to)
			}
			return to
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// StrangeRepository says why git may use settings that the file tools let be written: a directory that looks like a
// bare repository, or a .git that names another directory; "" if it uses a .git, which they leave alone.
func (p *Place) StrangeRepository() string {
	for _, dir := range p.dirs {
		if dir != p.Dir {
			dir = Resolve(dir)
		}
		if why := strangeAt(dir); why != "" {
			return why
		}
	}
	return ""
}

func strangeAt(dir string) string {
	for {
		info, err := os.Lstat(filepath.Join(dir, ".git"))
		switch {
		case err == nil && info.IsDir():
			return ""
		case err == nil && !strings.Contains(filepath.ToSlash(Resolve(Repository(dir))), "/.git/"):
			return "the repository in " + dir + " is named by a file"
		case err == nil:
			return ""
		}
		if _, err := os.Stat(filepath.Join(dir, "HEAD")); err == nil {
			return dir + " looks like a bare repository"
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// head is the last commit, one before it, or a range of such.
var head = regexp.MustCompile(`^(\.{2,3}|(HEAD|@)[~^0-9]*)+$`)

// object is a file of a commit, by its name there.
var object = regexp.MustCompile(`^[A-Za-z0-9_./~^-]+:[A-Za-z0-9_./-]+$`)

// Explicit reports whether the operands of a git command name each file that it opens, in whichever of the directories.
// Those are examined like other paths. The last of them, as many as literal says, stand behind --. Other revisions than
// HEAD may be a blob of any file.
func (p *Place) Explicit(operands []shell.Word, literal int) bool {
	files, objects, commits := 0, 0, 0
	for i, w := range operands {
		behind := i >= len(operands)-literal
		switch {
		case !w.Known:
			return false
		case p.file(w.Text):
			files++
		case !behind && object.MatchString(w.Text):
			objects++
		case behind || !head.MatchString(w.Text):
			return false
		default:
			commits++
		}
	}
	return files > 0 || objects > 0 && commits == 0
}

// file reports whether a name is that of a file, and no pattern of git.
func (p *Place) file(name string) bool {
	if p.lost || strings.ContainsAny(name, `*?[\`) || strings.HasPrefix(name, ":") {
		return false
	}
	return !slices.ContainsFunc(p.dirs, func(dir string) bool {
		info, err := os.Lstat(p.At(dir, name))
		return err != nil || !info.Mode().IsRegular()
	})
}

// Tracked returns a file that a .git tracks and that must not be read; "" if there is none. What earlier
// commits held is not looked at.
func Tracked(git string) string {
	const unknown = "files that cannot be determined"
	info, err := os.Stat(filepath.Join(git, "index"))
	switch {
	case os.IsNotExist(err):
		return ""
	case err != nil || info.Size() > maxIndex:
		return unknown
	}
	text, err := os.ReadFile(filepath.Join(git, "index"))
	if err != nil {
		return unknown
	}
	found, ok := readIndex(text)
	if !ok {
		return unknown
	}
	return found
}

// readIndex looks through the names of an index (https://git-scm.com/docs/index-format). It is not ok if the
// index is of another version, or has entries elsewhere.
func readIndex(text []byte) (found string, ok bool) {
	const head = 12 // bytes
	if len(text) < head || string(text[:4]) != "DIRC" {
		return "", false
	}
	version, count := binary.BigEndian.Uint32(text[4:]), binary.BigEndian.Uint32(text[8:])
	if version < 2 || version > 4 {
		return "", false
	}
	name, rest := "", text[head:]
	for range count {
		if name, rest, ok = readEntry(rest, version, name); !ok {
			return "", false
		}
		if sensitive.Credential(name) != "" && !sensitive.Fixture(name) {
			return name, true
		}
	}
	return "", !bytes.Contains(rest, []byte("link\x00\x00\x00")) // a shared index
}

// readEntry reads the name of an index's next entry, which version 4 writes as a change of the name before. It
// is not ok if the index is of another form, such as with SHA-256.
func readEntry(text []byte, version uint32, before string) (name string, rest []byte, ok bool) {
	const fixed = 62 // bytes of an entry before its name, with SHA-1
	if len(text) < fixed+2 {
		return "", nil, false
	}
	at := fixed
	if version >= 3 && text[fixed-2]&0x40 != 0 { // extended flags
		at += 2
	}
	kept := 0 // bytes of the name before
	if version == 4 {
		cut, n := indexNumber(text[at:])
		if n == 0 || cut > len(before) {
			return "", nil, false
		}
		at, kept = at+n, len(before)-cut
	}
	end := bytes.IndexByte(text[at:], 0)
	if end < 0 {
		return "", nil, false
	}
	name = before[:kept] + string(text[at:at+end])
	if version == 4 {
		at += end + 1
	} else {
		at = (at + end + 8) &^ 7
	}
	length := int(binary.BigEndian.Uint16(text[fixed-2:]) & 0xfff)
	if length < 0xfff && length != len(name) || at > len(text) {
		return "", nil, false
	}
	return name, text[at:], true
}

// indexNumber is a number as version 4 writes it, and its length; 0 if it has no end.
func indexNumber(text []byte) (value, length int) {
	for i, c := range text[:min(len(text), 5)] {
		if value = value<<7 | int(c&0x7f); c < 0x80 {
			return value, i + 1
		}
		value++
	}
	return 0, 0
}
