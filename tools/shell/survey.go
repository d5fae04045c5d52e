// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"os"
	"path/filepath"

	"github.com/toolscope/toolscope/internal/sensitive"
)

// maxSurveyed is how many entries of a workspace are inspected for each command. What is left is neither read nor written.
const maxSurveyed = 200_000

// surveyed are the largest parts of a directory that may be read, and written: rights of the kernel's are for a
// directory with all below, so one that holds a protected file is taken apart.
type surveyed struct {
	read, write []string
	left        int // entries that may still be looked at
	git         bool
}

// survey looks for what holds credentials or is executed when a program starts. With git, the .git of the directory
// may be written as a whole, since git makes files next to its settings; the profiles see to it that git does not change those.
func survey(dir string, git bool) *surveyed {
	s := &surveyed{left: maxSurveyed, git: git}
	clean, unlocked := s.look(dir, "")
	if clean {
		s.read = append(s.read, dir)
	}
	if unlocked {
		s.write = append(s.write, dir)
	}
	return s
}

// look reports whether all of a directory may be read, and written. If not, it lists the parts that may.
func (s *surveyed) look(dir, rel string) (clean, unlocked bool) {
	if s.left <= 0 {
		return false, false
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false, false
	}
	s.left -= len(entries)
	clean, unlocked = true, true
	type part struct {
		path            string
		clean, unlocked bool
	}
	parts := make([]part, 0, len(entries))
	for _, e := range entries {
		p := part{path: filepath.Join(dir, e.Name())}
		name := rel + e.Name()
		switch {
		case e.Type()&os.ModeSymlink != 0: // its target has rights of its own
			continue
		case name == ".git" || name == ".git/config":
			p.clean, p.unlocked = true, s.git && name == ".git" // git reads its settings
		case sensitive.Credential(name) != "" && !sensitive.Fixture(rel):
		case e.IsDir() && sensitive.Starts(name) == "":
			p.clean, p.unlocked = s.look(p.path, name+"/")
		default:
			p.clean, p.unlocked = true, sensitive.Starts(name) == ""
		}
		clean, unlocked = clean && p.clean, unlocked && p.unlocked
		parts = append(parts, p)
	}
	for _, p := range parts {
		if p.clean && !clean {
			s.read = append(s.read, p.path)
		}
		if p.unlocked && !unlocked {
			s.write = append(s.write, p.path)
		}
	}
	return clean, unlocked
}
