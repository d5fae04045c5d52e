// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

// prefix is the path of the root module, and the beginning of all others'.
const prefix = "github.com/toolscope/toolscope"

const listFile = "modules.txt"

// A member is a module of the repository.
type member struct {
	dir      string // relative to the root, with slashes; "." is the root
	released bool
}

func (m member) path() string { return path.Join(prefix, m.dir) }

// tag is what git names a version of the module.
func (m member) tag(version string) string { return path.Join(m.dir, version) }

// list is modules.txt.
type list struct {
	root    string
	version string
	modules []member
}

// readList reads modules.txt: a line "version V", and for each module "released DIR" or
// "unreleased DIR". Empty lines, and from # on, are comments.
func readList(root string) (*list, error) {
	text, err := os.ReadFile(filepath.Join(root, listFile))
	if err != nil {
		return nil, err
	}
	l := &list{root: root}
	for i, line := range strings.Split(string(text), "\n") {
		line, _, _ = strings.Cut(line, "#")
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0:
		case len(fields) == 2 && fields[0] == "version" && semver.IsValid(fields[1]):
			l.version = fields[1]
		case len(fields) == 2 && (fields[0] == "released" || fields[0] == "unreleased"):
			l.modules = append(l.modules, member{fields[1], fields[0] == "released"})
		default:
			return nil, fmt.Errorf("%s:%d: got %q, want version V, released DIR or unreleased DIR", listFile, i+1, line)
		}
	}
	if l.version == "" || len(l.modules) == 0 {
		return nil, fmt.Errorf("%s: want a version and modules", listFile)
	}
	return l, nil
}

// file is the path of a module's file on this system.
func (l *list) file(m member, name string) string {
	return filepath.Join(l.root, filepath.FromSlash(m.dir), name)
}

// goMod reads a module's go.mod.
func (l *list) goMod(m member) (*modfile.File, error) {
	name := l.file(m, "go.mod")
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return modfile.Parse(name, text, nil)
}

// ours reports whether a module path is of this repository.
func ours(p string) bool { return p == prefix || strings.HasPrefix(p, prefix+"/") }
