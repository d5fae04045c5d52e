// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"strings"
)

// tidy runs go mod tidy in each module, with -e: tests of other modules' tests may need modules
// that cannot be had, and nothing here needs them. What is missing otherwise, building tells.
func (l *list) tidy() error {
	s, err := l.sandbox(false)
	if err != nil {
		return err
	}
	defer s.close()
	for _, m := range l.modules {
		fmt.Println("tidy", m.dir)
		if _, err := s.run(l.file(m, ""), "go", "mod", "tidy", "-e"); err != nil {
			return err
		}
		if err := l.forgetOwnSums(m); err != nil {
			return err
		}
	}
	return nil
}

// forgetOwnSums deletes the lines of the repository's own modules from a module's go.sum: they
// would change with every commit, and the workspace does not need them.
func (l *list) forgetOwnSums(m member) error {
	name := l.file(m, "go.sum")
	text, err := os.ReadFile(name)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	var kept []string
	for line := range strings.Lines(string(text)) {
		if p, _, _ := strings.Cut(line, " "); !ours(p) {
			kept = append(kept, line)
		}
	}
	return os.WriteFile(name, []byte(strings.Join(kept, "")), 0o644)
}
