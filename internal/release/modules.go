// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
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
	goLine   string // of its go.mod, if a dependency needs a newer one than the root module's; else ""
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

// checkVersion is an error for what cannot be a version of all modules: from v2 on, paths of
// modules would have to end in it.
func checkVersion(version string) error {
	if !semver.IsValid(version) || semver.Canonical(version) != version || semver.Compare(semver.Major(version), "v1") > 0 {
		return fmt.Errorf("version: got %q, want one as v0.1.0 or v1.2.3-rc.1, below v2", version)
	}
	return nil
}

// files lists files of the repository that match patterns of git, without ignored ones, as paths
// with slashes.
func files(root string, patterns ...string) ([]string, error) {
	names, err := output(root, "git", append([]string{"ls-files", "-z", "-co", "--exclude-standard", "--"}, patterns...)...)
	if err != nil || names == "" {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(names, "\x00"), "\x00"), nil
}

// readList reads modules.txt: one line "version V", and for each module "released DIR" or
// "unreleased DIR", with "goVERSION" behind it where a dependency needs a newer Go than the root
// module. Empty lines, and from # on, are comments.
func readList(root string) (*list, error) {
	text, err := os.ReadFile(filepath.Join(root, listFile))
	if err != nil {
		return nil, err
	}
	l := &list{root: root}
	for i, line := range strings.Split(string(text), "\n") {
		line, _, _ = strings.Cut(line, "#")
		fields := strings.Fields(line)
		goLine := ""
		if len(fields) == 3 && modfile.GoVersionRE.MatchString(strings.TrimPrefix(fields[2], "go")) {
			goLine, fields = strings.TrimPrefix(fields[2], "go"), fields[:2]
		}
		switch {
		case len(fields) == 0:
		case len(fields) == 2 && fields[0] == "version" && l.version == "" && checkVersion(fields[1]) == nil:
			l.version = fields[1]
		case len(fields) == 2 && (fields[0] == "released" || fields[0] == "unreleased"):
			if slices.ContainsFunc(l.modules, func(m member) bool { return m.dir == fields[1] }) {
				return nil, fmt.Errorf("%s:%d: got %s a second time, want it once", listFile, i+1, fields[1])
			}
			l.modules = append(l.modules, member{dir: fields[1], released: fields[0] == "released", goLine: goLine})
		default:
			return nil, fmt.Errorf("%s:%d: got %q, want version V, released DIR or unreleased DIR", listFile, i+1, line)
		}
	}
	if l.version == "" || len(l.modules) == 0 || l.modules[0] != (member{dir: ".", released: true}) {
		return nil, fmt.Errorf(`%s: want a version, and modules of which "released ." is the first`, listFile)
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
