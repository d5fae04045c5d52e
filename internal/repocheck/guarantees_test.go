// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package repocheck

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestGuaranteesNameTests checks that each test which docs/guarantees.md and guarantees-systems.md name exists.
func TestGuaranteesNameTests(t *testing.T) {
	text, err := os.ReadFile("../../docs/guarantees.md")
	if err != nil {
		t.Fatal(err)
	}
	systems, err := os.ReadFile("../../docs/guarantees-systems.md")
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, systems...)
	exist := map[string]bool{} // names, and names with the folders of their packages
	function := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	err = filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, m := range function.FindAllSubmatch(source, -1) {
			exist[string(m[1])] = true
			exist[filepath.ToSlash(filepath.Dir(path))+" "+string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	listed := regexp.MustCompile("((?:`Test\\w+`(?:, )?)+) \\(([\\w/]+)\\)").FindAllStringSubmatch(string(systems), -1)
	for _, m := range listed {
		for _, name := range strings.Split(m[1], ", ") {
			if !exist["../../"+m[2]+" "+strings.Trim(name, "`")] {
				t.Errorf("docs/guarantees-systems.md: the package %s has no test %s", m[2], name)
			}
		}
	}
	if rows := strings.Count(string(systems), "`Test"); len(listed) < rows/3 {
		t.Errorf("got %d lists of tests with their package for %d tests, want each test with its package", len(listed), rows)
	}
	named := regexp.MustCompile("`((?:Test|Fuzz)\\w+)`").FindAllSubmatch(text, -1)
	if len(named) < 20 {
		t.Errorf("got %d names of tests, want a test for each promise", len(named))
	}
	for _, m := range named {
		if !exist[string(m[1])] {
			t.Errorf("a page of guarantees names %s, which does not exist", m[1])
		}
	}
}
