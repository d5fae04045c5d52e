// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"golang.org/x/mod/semver"
)

// set writes a version into modules.txt, the requirements of all modules, and the workspaces.
func (l *list) set(version string) error {
	if err := checkVersion(version); err != nil {
		return err
	}
	name := filepath.Join(l.root, listFile)
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	text = regexp.MustCompile(`(?m)^[ \t]*version[ \t]+\S+`).ReplaceAll(text, []byte("version "+version))
	if err := os.WriteFile(name, text, 0o644); err != nil {
		return err
	}
	l.version = version
	for _, m := range l.modules {
		f, err := l.goMod(m)
		if err != nil {
			return err
		}
		for _, r := range f.Require {
			if ours(r.Mod.Path) {
				if err := f.AddRequire(r.Mod.Path, version); err != nil {
					return err
				}
			}
		}
		out, err := f.Format()
		if err != nil {
			return err
		}
		if err := os.WriteFile(l.file(m, "go.mod"), out, 0o644); err != nil {
			return err
		}
	}
	return l.setWorkspaces()
}

const (
	changelog  = "CHANGELOG.md"
	unreleased = "## [Unreleased]"
)

// release makes a commit that is version, with its tags, and its distribution. It pushes nothing.
func (l *list) release(version string) error {
	dirty, err := output(l.root, "git", "status", "--porcelain")
	if err != nil {
		return err
	}
	if dirty != "" {
		return fmt.Errorf("working tree: got changes, want none\n%s", dirty)
	}
	for _, m := range l.modules {
		if _, err := output(l.root, "git", "rev-parse", "-q", "--verify", "refs/tags/"+m.tag(version)); m.released && err == nil {
			return fmt.Errorf("tag %s exists", m.tag(version))
		}
	}
	if semver.Compare(version, l.version) < 0 {
		return fmt.Errorf("version: got %s, want %s or a later one", version, l.version)
	}
	if _, err := l.datedChangelog(version, time.Now()); err != nil {
		return err
	}
	for _, step := range []func() error{
		l.verify, func() error { return l.set(version) }, l.verify, l.consume,
		func() error { return l.writeChangelog(version, time.Now()) },
	} {
		if err := step(); err != nil {
			return fmt.Errorf("%w\nnothing is committed; git checkout . takes back what was changed", err)
		}
	}
	tags, err := l.commitAndTag(version)
	if err != nil {
		return err
	}
	if _, err := l.dist(version, targets); err != nil {
		return fmt.Errorf("%w\ncommitted and tagged; go run ./internal/release dist %s tries again", err, version)
	}
	fmt.Printf("committed and tagged; publish with\n\n    git push --atomic origin HEAD %s\n"+
		"    gh release create %s dist/%s/*\n", strings.Join(tags, " "), version, version)
	return nil
}

// commitAndTag commits the working tree as a version and tags all released modules on that commit.
func (l *list) commitAndTag(version string) (tags []string, err error) {
	if _, err := output(l.root, "git", "commit", "-am", "Release "+version); err != nil {
		return nil, err
	}
	for _, m := range l.modules {
		if !m.released {
			continue
		}
		if _, err := output(l.root, "git", "tag", "-a", "-m", m.path()+" "+version, m.tag(version)); err != nil {
			return nil, err
		}
		tags = append(tags, m.tag(version))
	}
	return tags, nil
}

// writeChangelog writes the changelog of a release.
func (l *list) writeChangelog(version string, now time.Time) error {
	text, err := l.datedChangelog(version, now)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(l.root, changelog), text, 0o644)
}

// datedChangelog is the changelog with what stands under "Unreleased" under the version, and an
// empty "Unreleased" above it.
func (l *list) datedChangelog(version string, now time.Time) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(l.root, changelog))
	if err != nil {
		return nil, err
	}
	before, after, found := strings.Cut(string(text), unreleased+"\n")
	if news, _, _ := strings.Cut(after, "\n## ["); !found || strings.TrimSpace(news) == "" {
		return nil, fmt.Errorf("%s: want a heading %q with what is new below it", changelog, unreleased)
	}
	heading := fmt.Sprintf("## [%s] - %s\n", strings.TrimPrefix(version, "v"), now.UTC().Format(time.DateOnly))
	return []byte(before + unreleased + "\n\n" + heading + after), nil
}
