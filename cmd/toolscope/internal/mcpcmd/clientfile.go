// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpcmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/mcpclients"
)

// errNoServers says that a file has no servers, as one of a client that has other settings in it.
var errNoServers = errors.New("the file has no servers")

// backupOf is the copy of a file as it was before the first server was wrapped.
func backupOf(path string) string { return path + ".toolscope.bak" }

// changeFile changes a file, whole or not at all. It leaves a copy of it as it was before a server was wrapped, and
// removes the copy when none is. The copy has the client's secrets, so it is the user's alone. Processes that change
// files of one directory wait for each other.
func changeFile(path string, stdout io.Writer, change func(text []byte) ([]byte, error)) error {
	path, err := filepath.EvalSymlinks(path) // the link stays
	if err != nil {
		return err
	}
	unlock, err := lockDir(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer unlock()
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	before, err := mcpclients.ReadFile(path)
	if err != nil {
		return err
	}
	after, err := change(before)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if bytes.Equal(before, after) {
		return errNoServers
	}
	kept, err := keepBackup(path, before)
	if err != nil {
		return err
	}
	if err := replaceFile(path, after, info.Mode().Perm()); err != nil {
		if !anyWrapped(before) {
			err = errors.Join(err, os.Remove(backupOf(path)))
		}
		return err
	}
	if !anyWrapped(after) { // the copy has secrets, and is of no use
		if err := os.Remove(backupOf(path)); err != nil {
			return err
		}
		what := "nothing is wrapped, what else was changed since stays"
		if bytes.Equal(kept, after) {
			what = "as it was before"
		}
		_, err = fmt.Fprintf(stdout, "%s: OK, %s; no backup is left\n", path, what)
		return err
	}
	_, err = fmt.Fprintf(stdout, "%s: OK, changed; backup: %s\n", path, backupOf(path))
	return err
}

// keepBackup keeps a copy of a file, unless there is one of an earlier change while something is wrapped. It
// returns the copy.
func keepBackup(path string, text []byte) ([]byte, error) {
	if anyWrapped(text) {
		kept, err := os.ReadFile(backupOf(path))
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return kept, err
		}
	}
	return text, replaceFile(backupOf(path), text, 0o600)
}

func anyWrapped(text []byte) bool {
	list, err := mcpclients.Servers(text)
	return err == nil && wrappedIn(list)
}

func wrappedIn(list []mcpclients.Server) bool {
	return slices.ContainsFunc(list, func(s mcpclients.Server) bool { return s.Wrapped })
}

// replaceFile puts a file in the place of what is there, whole or not at all.
func replaceFile(path string, text []byte, mode os.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".toolscope-*") // 0600
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(mode), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// dated are the backups of toolscope 0.1, one for each change.
var dated = regexp.MustCompile(`\.[0-9]{8}-[0-9]{6}\.[0-9]{6}\.bak$`)

// backups are the copies of a file.
func backups(path string) (found []string) {
	all, _ := filepath.Glob(globbed(path) + ".*.bak") // the pattern is well formed
	for _, name := range all {
		if rest := name[len(path):]; name == backupOf(path) ||
			dated.MatchString(rest) && len(rest) == len(".20060102-150405.000000.bak") {
			found = append(found, name)
		}
	}
	return found
}

// globbed is a path in which nothing stands for anything else.
func globbed(path string) string {
	return regexp.MustCompile(`[*?\[\\]`).ReplaceAllStringFunc(path, func(s string) string {
		if filepath.Separator == '\\' && s == `\` {
			return s
		}
		return `[` + s + `]`
	})
}
