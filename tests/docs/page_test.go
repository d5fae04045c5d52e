// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../.."

// block is a fenced code block of a page, or a comment with setup commands or Go declarations.
type block struct {
	page, kind, text string // kind is the word after the fence, or "setup" or "go-declarations"
	line             int
	notRun, varies   string // reasons
	file, exit       string
}

// mark is a comment that steers the tests; its text is all of the comment.
var mark = regexp.MustCompile(`(?s)^<!-- (not run|output varies|exit|file|setup|go)\b:?\s*(.*?)\s*-->$`)

// blocks are those of all pages, by page.
func blocks(t *testing.T) map[string][]block {
	t.Helper()
	all := map[string][]block{}
	files := []string{filepath.Join(root, "README.md")}
	for _, pattern := range []string{"docs/*.md", "docs/design/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		page, err := filepath.Rel(root, file)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.ToSlash(page)] = parsePage(t, filepath.ToSlash(page), string(text))
	}
	return all
}

func parsePage(t *testing.T, page, text string) (all []block) {
	lines := strings.Split(text, "\n")
	next := block{page: page}
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		switch indent := line[:len(line)-len(strings.TrimLeft(line, " "))]; {
		case strings.HasPrefix(line, "<!--"):
			start := i
			for !strings.Contains(lines[i], "-->") {
				i++
			}
			m := mark.FindStringSubmatch(strings.Join(lines[start:i+1], "\n"))
			if m == nil {
				continue
			}
			switch m[1] {
			case "not run":
				next.notRun = m[2]
			case "output varies":
				next.varies = m[2]
			case "exit":
				next.exit = m[2]
			case "file":
				next.file = m[2]
			case "setup":
				all = append(all, block{page: page, kind: "setup", text: m[2] + "\n", line: start + 1})
			case "go":
				all = append(all, block{page: page, kind: "go-declarations", text: m[2] + "\n", line: start + 1})
			}
		case strings.HasPrefix(line[len(indent):], "```"):
			next.kind, next.line = strings.TrimPrefix(line[len(indent):], "```"), i+2
			for i++; i < len(lines) && strings.TrimSpace(lines[i]) != "```"; i++ {
				next.text += strings.TrimPrefix(lines[i], indent) + "\n"
			}
			if next.kind == "" && (strings.HasPrefix(next.text, "$ ") || strings.Contains(next.text, "\n$ ")) {
				t.Errorf("%s:%d: a block of commands: write ```console above it", page, next.line)
			}
			all = append(all, next)
			next = block{page: page}
		case strings.TrimSpace(line) == "":
		default:
			if len(indent) >= 4 && i > 0 && lines[i-1] == "" && (i < 2 || !inList(lines[:i-1])) {
				t.Errorf("%s:%d: an indented block: fence it, so that it is run", page, i+1)
			}
			next = block{page: page} // text ends what a mark is for
		}
	}
	return all
}

// inList reports whether the paragraph before belongs to a list.
func inList(lines []string) bool {
	for i := len(lines) - 1; i >= 0 && lines[i] != ""; i-- {
		if regexp.MustCompile(`^\s*(?:[-*]|\d+\.) `).MatchString(lines[i]) {
			return true
		}
	}
	return false
}

// goCommand is the go command in the root of the repository.
func goCommand(args ...string) *exec.Cmd {
	c := exec.Command("go", args...)
	c.Dir = root
	return c
}
