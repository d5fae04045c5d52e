// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolscope/toolscope/internal/sensitive"
	"github.com/toolscope/toolscope/middleware/permit/internal/outputs"
	"github.com/toolscope/toolscope/middleware/permit/internal/shell"
)

// placed is a command that copies, moves or links files, as far as its words say where to.
type placed struct {
	view    *view
	to      []shell.Word // what the command writes
	from    []shell.Word // all operands
	parents bool         // the directories of a name are made, too
	whole   bool         // a directory with all below, or a link, is taken as it is
	links   bool         // links are made to the operands
	left    int          // how many files of directories may still be inspected
}

// placedBadly says what a command puts in the place of a file that programs execute when they start, or links to one or to
// the outside: a name of its own, or one below a directory that it copies; "" if nothing.
func (v *view) placedBadly(name string, c *shell.Command) string {
	p := placed{view: v, left: maxPlaced}
	switch name {
	case "ln", "link":
		p.links, p.whole = true, true
	case "mv", "rsync":
		p.whole = true
	case "cp", "install":
	default:
		return ""
	}
	p.to = outputs.Writes(&shell.Line{Commands: []shell.Command{*c}})
	into := false // an option may say where to
	for _, w := range c.Words[1:] {
		into = into || name != "rsync" && strings.HasPrefix(w.Text, "-") && strings.Contains(w.Text, "t")
		switch t := w.Text; {
		case t == "" || t[0] != '-':
			p.from = append(p.from, w)
		case strings.HasPrefix(t, "--"):
			p.parents = p.parents || strings.HasPrefix(t, "--par")
			p.whole = true
			p.links = p.links || strings.HasPrefix(t, "--l") || strings.HasPrefix(t, "--sy")
		case name == "cp":
			p.whole = p.whole || strings.ContainsAny(t, "adlPrRs")
			p.links = p.links || strings.ContainsAny(t, "ls")
		}
	}
	if n := len(p.from); n > 1 && !into {
		p.from = p.from[:n-1] // what is behind them is where they go
	}
	for _, w := range p.from {
		files := []string{w.Text}
		if !w.Known {
			files, _ = v.space.Matches(w.Text)
		}
		if slices.ContainsFunc(files, p.bad) {
			return shown(w.Text)
		}
	}
	return ""
}

// bad reports whether one of the files ends up in a bad place.
func (p *placed) bad(file string) bool {
	v := p.view
	if p.whole && (v.starts(file) || p.holdsBad(file)) {
		return true
	}
	for _, w := range p.to {
		to := w.Text
		if base := path.Base(file); base != "." && base != ".." && v.starts(to+"/"+base) || p.parents && v.starts(to+"/"+file) {
			return true
		}
		target, isLink := file, p.links
		if !isLink && p.whole {
			for _, dir := range v.space.Dirs() {
				if text, err := os.Readlink(v.space.At(dir, file)); err == nil {
					target, isLink = text, true
				}
			}
		}
		if isLink && target != "" && target[0] != '/' && target[0] != '~' &&
			(p.leads(to+"/"+target) || p.leads(path.Dir(to)+"/"+target)) {
			return true
		}
	}
	return false
}

// leads reports whether a link to a file leads to what programs execute, or out.
func (p *placed) leads(file string) bool { return p.view.starts(file) || !p.view.space.Inside(file) }

// maxPlaced is how many files of the directories are inspected before copying them asks.
const maxPlaced = 20_000

// holdsBad reports whether there is a bad file, or a link to the outside, below a directory.
func (p *placed) holdsBad(dir string) bool {
	for _, from := range p.view.space.Dirs() {
		root := p.view.space.At(from, dir)
		if info, err := os.Stat(root); err != nil || !info.IsDir() {
			continue
		}
		found := false
		_ = filepath.WalkDir(root, func(file string, e os.DirEntry, err error) error {
			p.left--
			rel, _ := filepath.Rel(root, file)
			found = p.left < 0 || err == nil && (sensitive.Starts(filepath.ToSlash(rel)) != "" ||
				e.Type()&os.ModeSymlink != 0 && p.leads(file))
			if found {
				return filepath.SkipAll
			}
			return nil
		})
		if found {
			return true
		}
	}
	return false
}
