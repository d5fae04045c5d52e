// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"bytes"
	"context"
	"os"
	"path"
	"strings"
)

// ignoreNames are the files whose patterns name what people do not want to see, in
// the format of gitignore(5).
var ignoreNames = []string{".gitignore", ".ignore"}

const (
	maxIgnoreBytes = 256 << 10 // of one ignore file that count
	maxIgnoreRules = 10_000    // that count at a time
)

// ignores are the rules in force where a walk is. The last one that matches
// decides. A nil *ignores ignores nothing.
type ignores struct{ rules []ignoreRule }

type ignoreRule struct {
	base     string // the directory of the ignore file, "." for the root
	keep     bool   // the line began with !
	dirsOnly bool   // it ended with /
	glob     []string
}

// match tells whether the path, relative to the root, is ignored. .git always is.
func (i *ignores) match(rel string, dir bool) bool {
	if i == nil {
		return false
	}
	if dir && path.Base(rel) == ".git" {
		return true
	}
	for n := len(i.rules) - 1; n >= 0; n-- {
		if r := &i.rules[n]; r.matches(rel, dir) {
			return !r.keep
		}
	}
	return false
}

func (r *ignoreRule) matches(rel string, dir bool) bool {
	if r.dirsOnly && !dir {
		return false
	}
	if r.base != "." {
		below, ok := strings.CutPrefix(rel, r.base+"/")
		if !ok {
			return false
		}
		rel = below
	}
	return glob(r.glob, strings.Split(rel, "/"))
}

// enter adds the rules of a directory's ignore files, and gives the number of those
// before, for leave.
func (i *ignores) enter(ctx context.Context, r *root, dir *os.Root, base string) (before int) {
	before = len(i.rules)
	for _, name := range ignoreNames {
		f, info, err := r.openFile(dir, name)
		if err != nil {
			continue // none there, or none that may be read
		}
		if info.Size() <= maxIgnoreBytes {
			if content, err := readAll(ctx, f, info.Size()); err == nil {
				i.parse(content, base)
			}
		}
		f.Close()
	}
	return before
}

func (i *ignores) leave(before int) { i.rules = i.rules[:before] }

// parse reads the lines of an ignore file; those that are no patterns are passed
// over, as git does.
func (i *ignores) parse(content []byte, base string) {
	for line := range bytes.SplitSeq(content, []byte("\n")) {
		if r, ok := newIgnoreRule(strings.TrimSuffix(string(line), "\r")); ok && len(i.rules) < maxIgnoreRules {
			r.base = path.Clean(base)
			i.rules = append(i.rules, r)
		}
	}
}

func newIgnoreRule(line string) (r ignoreRule, ok bool) {
	if strings.HasPrefix(line, "#") {
		return r, false
	}
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	line, r.keep = strings.CutPrefix(line, "!")
	line, r.dirsOnly = strings.CutSuffix(line, "/")
	if line == "" {
		return r, false
	}
	line = strings.ReplaceAll(line, "[!", "[^")
	r.glob = strings.Split(strings.TrimPrefix(line, "/"), "/")
	for _, part := range r.glob {
		if _, err := path.Match(part, ""); err != nil {
			return r, false
		}
	}
	if !strings.Contains(line, "/") {
		r.glob = []string{"**", line}
	}
	if n := len(r.glob); n > 1 && r.glob[n-1] == "**" {
		r.glob = append(r.glob, "*") // what lies in it, not itself
	}
	return r, true
}

// rulesAbove gathers the rules of the directories above p.
func (p place) rulesAbove(ctx context.Context) *ignores {
	rules := new(ignores)
	parts := p.parts()
	for n := range parts {
		dir, err := p.open(parts[:n], false)
		if err != nil {
			return rules
		}
		rules.enter(ctx, p.root, dir, path.Join(append([]string{"."}, parts[:n]...)...))
		dir.Close()
	}
	return rules
}
