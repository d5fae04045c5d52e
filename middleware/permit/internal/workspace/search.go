// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package workspace

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"github.com/toolscope/toolscope/internal/sensitive"
	"github.com/toolscope/toolscope/middleware/permit/internal/shell"
)

// maxSearched is how many entries of a directory are inspected before a search of it asks.
const maxSearched = 50_000

// A Search is what a program opens of a directory that it searches.
type Search struct {
	Hidden bool     // files whose names begin with a dot, too
	Links  bool     // what symbolic links lead to, too
	Only   []string // patterns of the names of the files that are opened; none is all
}

// Secret returns a file that a search of an absolute path may open and that must not be read; "" if there is none.
func (s Search) Secret(dir string) string {
	left := maxSearched
	return s.find(dir, filepath.Base(dir)+"/", &left)
}

func (s Search) find(dir, rel string, left *int) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "" // a file, or what the program cannot read either
	}
	if *left -= len(entries); *left < 0 {
		return "more files than can be looked at"
	}
	for _, e := range entries {
		name := rel + e.Name()
		switch {
		case !s.Hidden && strings.HasPrefix(e.Name(), "."):
			continue
		case e.Type()&os.ModeSymlink != 0:
			if s.Links {
				return name + ", a link"
			}
			continue
		case e.Name() == ".git" && e.IsDir():
			if s.opens("config") && HoldsToken(filepath.Join(dir, e.Name(), "config")) {
				return name + "/config"
			}
			continue // objects are compressed
		case !e.IsDir() && !s.opens(e.Name()):
		case sensitive.Credential(name) != "" && !sensitive.Fixture(name) && !(e.IsDir() && s.Only != nil):
			return name
		}
		if e.IsDir() {
			if found := s.find(filepath.Join(dir, e.Name()), name+"/", left); found != "" {
				return found
			}
		}
	}
	return ""
}

// opens reports whether a file of this name may be opened. Patterns of more than letters, digits, * and ? count for none.
func (s Search) opens(name string) bool {
	for _, pattern := range s.Only {
		for i := range len(pattern) {
			if c := pattern[i]; !shell.IsLetter(c) && !shell.IsDigit(c) && strings.IndexByte("._-*?", c) < 0 {
				return true
			}
		}
		if ok, err := filepath.Match(pattern, name); ok || err != nil {
			return true
		}
	}
	return s.Only == nil
}

// HoldsToken reports whether settings of git may hold a credential: a password in an address, a header.
func HoldsToken(file string) bool {
	text, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	text = bytes.ToLower(text)
	for _, word := range []string{"extraheader", "password", "token", "secret"} {
		if bytes.Contains(text, []byte(word)) {
			return true
		}
	}
	for rest := text; ; {
		_, behind, ok := bytes.Cut(rest, []byte("://"))
		if !ok {
			return false
		}
		address := behind
		if i := bytes.IndexAny(address, "/\n"); i >= 0 {
			address = address[:i]
		}
		if user, _, ok := bytes.Cut(address, []byte("@")); ok && string(user) != "git" {
			return true
		}
		rest = behind
	}
}
