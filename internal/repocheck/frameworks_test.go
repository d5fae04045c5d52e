// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package repocheck_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestFrameworksTable checks that the table of docs/frameworks.md is what the adapters' conformance
// tests have found. Rewrite it with -update.
func TestFrameworksTable(t *testing.T) {
	const page, begin, end = "docs/frameworks.md", "<!-- frameworks table -->\n", "<!-- end of table -->"
	text := string(read(t, page))
	before, rest, ok := strings.Cut(text, begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s: want the marks %q and %q", page, begin, end)
	}
	want := before + begin + "\n" + conformance(t) + "\n" + end + after
	if text == want {
		return
	}
	if !*update {
		t.Fatalf("%s is not what the adapters' conformance.txt say: go test ./internal/repocheck -run "+
			"TestFrameworksTable -update", page)
	}
	if err := os.WriteFile(filepath.Join(root, page), []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// conformance is the table of all adapters, and why they cannot pass a row.
func conformance(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "adapters", "*", "conformance.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("got %d conformance.txt (%v)", len(files), err)
	}
	var names, rows []string
	cells, reasons := map[string]string{}, ""
	for _, file := range files {
		name := filepath.Base(filepath.Dir(file))
		names = append(names, name)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			row, says, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			if !ok {
				t.Fatalf("%s: %q has no tab", file, line)
			}
			if len(names) == 1 {
				rows = append(rows, row)
			}
			cells[row+name] = "yes"
			if reason, cannot := strings.CutPrefix(says, "no: "); cannot {
				cells[row+name] = "–"
				reasons += fmt.Sprintf("- `%s`, %s: %s.\n", name, row, reason)
			}
		}
	}
	table := "| row | " + strings.Join(names, " | ") + " |\n|" + strings.Repeat(" --- |", len(names)+1) + "\n"
	for _, row := range rows {
		table += "| " + row
		for _, name := range names {
			table += " | " + cells[row+name]
		}
		table += " |\n"
	}
	table += "| modules added |"
	for _, name := range names {
		table += fmt.Sprintf(" %d |", len(modulesAdded(t, name)))
	}
	return table + "\n\n" + reasons
}

// modulesAdded are the modules that an adapter's go.mod has and the framework's own has not: what the
// adapter adds to the list of a program that uses the framework.
func modulesAdded(t *testing.T, name string) (added []string) {
	t.Helper()
	direct, all := requirements(t, "adapters/"+name)
	framework := direct[slices.IndexFunc(direct, func(path string) bool {
		return !strings.HasPrefix(path, module) && !strings.HasPrefix(path, "go.opentelemetry.io/")
	})]
	dir := filepath.Join(root, "adapters", name)
	out, err := exec.Command("go", "-C", dir, "list", "-m", "-f", "{{.GoMod}}", framework).Output()
	if err != nil {
		t.Fatalf("%s: %v", framework, err)
	}
	text, err := os.ReadFile(strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range all {
		if path != framework && !strings.Contains(string(text), path+" v") {
			added = append(added, path)
		}
	}
	return added
}
