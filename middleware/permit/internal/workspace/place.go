// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	maxPlaces  = 32   // directories of one line
	maxMatches = 1000 // files of one pattern
)

// A Place is where the commands of a call run: the directories to which names of files may be relative.
type Place struct {
	*Workspace
	dirs []string
	lost bool // in a directory outside the workspace, or not known
}

// Place is the place of a call that changes no directory.
func (w *Workspace) Place() Place { return Place{Workspace: w, dirs: []string{w.Dir}} }

// Lose notes a change to a directory that is not known.
func (p *Place) Lose() { p.lost = true }

// Lost reports whether a directory is outside the workspace, or not known.
func (p *Place) Lost() bool { return p.lost }

// Start notes the directory that the call itself names.
func (p *Place) Start(dir string) {
	if filepath.IsAbs(dir) && len(p.dirs) == 1 && p.Workspace.Inside(dir) {
		p.dirs = []string{filepath.Clean(dir)}
		return
	}
	p.Enter(dir)
}

// Begin notes that the line begins with a change of the directory, without which the rest does not run. From outside the
// workspace it leads to one that is there, and nothing runs outside.
func (p *Place) Begin(dir string) {
	if info, err := os.Stat(dir); p.out && err == nil && info.IsDir() {
		p.Start(dir)
	}
}

// Enter notes a change of the directory, which may fail, from wherever the line may be.
func (p *Place) Enter(dir string) {
	if dir == "-" && len(p.dirs) > 1 {
		return
	}
	for _, from := range p.dirs {
		to := p.At(from, dir)
		if _, ok := p.Below(to); !ok || len(p.dirs) >= maxPlaces || dir == "-" || strings.HasPrefix(dir, "~") && !home(dir) {
			p.lost = true
			return
		}
		if !slices.Contains(p.dirs, to) {
			p.dirs = append(p.dirs[:len(p.dirs):len(p.dirs)], to)
		}
	}
}

// With is the place of a command that changes the directory for itself.
func (p Place) With(dirs []string) Place {
	for _, dir := range dirs {
		p.Enter(dir)
	}
	return p
}

// Dirs are the directories.
func (p *Place) Dirs() []string { return p.dirs }

// Inside reports whether a file is in the workspace, in whichever of the directories.
func (p *Place) Inside(file string) bool {
	if p.lost && !filepath.IsAbs(file) && !home(file) {
		return false
	}
	for _, dir := range p.dirs {
		if _, ok := p.Below(p.At(dir, file)); !ok {
			return false
		}
	}
	return true
}

// Names are the names that a file may have below a root, with slashes, without links and as written; the
// whole path of a file that lies below none.
func (p *Place) Names(file string) (names []string) {
	for _, dir := range p.dirs {
		at := p.At(dir, file)
		rel, ok := p.Below(at)
		if !ok {
			rel = filepath.ToSlash(at)
		}
		names = append(names, rel)
		for _, root := range p.Roots {
			if written, ok := strings.CutPrefix(at, root); ok && filepath.ToSlash(written) != "/"+rel {
				names = append(names, filepath.ToSlash(written))
			}
		}
	}
	return names
}

// Matches are the files that a pattern of bash matches now; not ok if they cannot be determined.
func (p *Place) Matches(pattern string) (files []string, ok bool) {
	if p.lost || strings.HasPrefix(pattern, "~") || strings.ContainsAny(pattern, "{}()\\") || strings.Contains(pattern, "[:") {
		return nil, false
	}
	pattern = strings.ReplaceAll(pattern, "[!", "[^")
	for _, dir := range p.dirs {
		found, err := filepath.Glob(p.At(dir, pattern))
		if err != nil || len(found) > maxMatches {
			return nil, false
		}
		for _, file := range found {
			if visible(pattern, file) {
				files = append(files, file)
			}
		}
	}
	return files, true
}

// visible reports whether bash takes a file for a match: its * and ? do not match the dot at the beginning of a name.
func visible(pattern, file string) bool {
	for {
		p, f := filepath.Base(pattern), filepath.Base(file)
		if strings.HasPrefix(f, ".") && !strings.HasPrefix(p, ".") {
			return false
		}
		dir := filepath.Dir(pattern)
		if dir == pattern || dir == "." {
			return true
		}
		pattern, file = dir, filepath.Dir(file)
	}
}

// home reports whether a path lies in the user's own home directory.
func home(path string) bool { return path == "~" || strings.HasPrefix(path, "~/") }
