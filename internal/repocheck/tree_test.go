// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package repocheck_test

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// root is the repository's directory.
var root = filepath.Join("..", "..")

// skipped are directories that are no part of the sources.
var skipped = []string{".git", "bin", "dist", "node_modules"}

// ignored gives the patterns of .gitignore: build output in the folder is no part of it either.
func ignored(t *testing.T) func(path string) bool {
	t.Helper()
	patterns := strings.Fields(string(read(t, ".gitignore")))
	return func(file string) bool {
		return slices.ContainsFunc(patterns, func(pattern string) bool {
			name := path.Base(file)
			if rooted, ok := strings.CutPrefix(pattern, "/"); ok {
				pattern, name = rooted, file
			}
			matches, err := path.Match(pattern, name)
			if err != nil {
				t.Fatalf(".gitignore: %s: %v", pattern, err)
			}
			return matches
		})
	}
}

// walked are the files of the repository. Tests that rewrite files create none that another test reads.
var walked []string

// walk visits every regular file of the repository by its slash-separated path.
func walk(t *testing.T, visit func(path string)) {
	t.Helper()
	if walked == nil {
		walked = tree(t)
	}
	for _, path := range walked {
		visit(path)
	}
}

// tree lists every regular file of the repository.
func tree(t *testing.T) (files []string) {
	t.Helper()
	ignored := ignored(t)
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains(skipped, d.Name()) {
			return filepath.SkipDir
		}
		if d.Type().IsRegular() {
			rel, err := filepath.Rel(root, file)
			if err != nil {
				return err
			}
			if rel = filepath.ToSlash(rel); !ignored(rel) {
				files = append(files, rel)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// read returns a file with Unix line endings.
func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
}

func TestEveryGoFileHasTheLicenceHeader(t *testing.T) {
	const header = "// Copyright The toolscope Authors\n// SPDX-License-Identifier: Apache-2.0\n\n"
	walk(t, func(path string) {
		if strings.HasSuffix(path, ".go") && !bytes.HasPrefix(read(t, path), []byte(header)) {
			t.Errorf("%s: want it to begin with\n%s", path, header)
		}
	})
}

// forbidden are texts that must not stand in any file. They are written so that
// this file does not contain them.
var forbidden = []struct {
	what    string
	pattern *regexp.Regexp
}{
	{"a path of one machine", regexp.MustCompile(`/wo[r]k/(main|shared|\.[lm]i)|/tm[p]/brief|/(home|Users)/[a-z]+/(go|src)/`)},
	{"a GitHub token", regexp.MustCompile("gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{60}")},
	{"an AWS key id", regexp.MustCompile("(AKIA|ASIA)[0-9A-Z]{16}")},
	{"a Google API key", regexp.MustCompile("AIza[0-9A-Za-z_-]{35}")},
	{"a Slack token", regexp.MustCompile("xox[abprs]-[0-9A-Za-z-]{20}")},
	{"a model vendor's key", regexp.MustCompile("sk-(ant-|proj-)?[A-Za-z0-9_-]{40}")},
	{"a JSON web token", regexp.MustCompile(`eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`)},
	{"a private key", regexp.MustCompile("-----BEGIN [A-Z ]*PRIVATE KEY-----")},
}

func TestNothingOfAMachineAndNoTokenLookalikes(t *testing.T) {
	walk(t, func(path string) {
		text := read(t, path)
		for _, f := range forbidden {
			if at := f.pattern.FindIndex(text); at != nil {
				line := 1 + bytes.Count(text[:at[0]], []byte("\n"))
				t.Errorf("%s:%d: looks like %s; make such values up from parts when a test runs", path, line, f.what)
			}
		}
	})
}

// The patterns find what they are for, made up here from parts.
func TestForbiddenPatternsFind(t *testing.T) {
	a := strings.Repeat("aB3", 20)
	for _, f := range forbidden {
		text := map[string]string{
			"a path of one machine": "/work" + "/main/go.mod",
			"a GitHub token":        "ghp" + "_" + a[:36],
			"an AWS key id":         "AKIA" + strings.Repeat("Q7", 8),
			"a Google API key":      "AIza" + a[:35],
			"a Slack token":         "xoxb" + "-" + a[:30],
			"a model vendor's key":  "sk-" + "ant-" + a[:40],
			"a JSON web token":      "eyJ" + a[:20] + ".eyJ" + a[:20] + "." + a[:20],
			"a private key":         "-----BEGIN RSA " + "PRIVATE KEY-----",
		}[f.what]
		if text == "" || !f.pattern.MatchString(text) {
			t.Errorf("%s: the pattern does not find %q", f.what, text)
		}
	}
}
