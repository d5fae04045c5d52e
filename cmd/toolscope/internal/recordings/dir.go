// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package recordings

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/toolscope/toolscope/internal/display"
)

// Variable names the environment variable that says where recordings are kept: a directory, or "off".
const Variable = "TOOLSCOPE_RECORD"

// The bounds of the directory.
const (
	MaxAge   = 30 * 24 * time.Hour
	MaxBytes = 256 << 20
	maxFile  = 16 << 20 // bytes, of which a recording has four at most
)

// Dir is where recordings are kept, "" if they are turned off.
func Dir() (string, error) {
	switch dir := os.Getenv(Variable); {
	case dir == "off":
		return "", nil
	case filepath.IsAbs(dir):
		return dir, nil
	case dir != "":
		return "", fmt.Errorf("%s: got %.80q, want an absolute path or off", Variable, dir)
	}
	dir, err := StateDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "sessions"), nil
}

// StateDir is where toolscope keeps what it writes for later commands.
func StateDir() (string, error) {
	dir := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(dir) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("got no $XDG_STATE_HOME and no home directory: %w", err)
		}
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "toolscope"), nil
}

// A File is a recording, with the files that rotation has renamed.
type File struct {
	Name  string // without the directory and the ending
	Paths []string
	Bytes int64
	Last  time.Time // when something was written last
}

const ending = ".jsonl"

// ours reports whether a name is one that recordings get. Others' files in the directory are left alone.
func ours(name string) bool {
	began, rest, found := strings.Cut(name, "-")
	_, err := time.Parse(nameTime, began)
	last := rest[strings.LastIndexByte(rest, '-')+1:]
	return found && err == nil && len(last) == 6 && strings.Trim(last, "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// nameTime is the time in a name.
const nameTime = "20060102T150405Z"

// List is what a directory has, the latest first.
func List(dir string) ([]File, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	byName := map[string]*File{}
	for _, e := range entries {
		name, rest, found := strings.Cut(e.Name(), ending)
		info, err := e.Info()
		if !found || !ours(name) || err != nil || !info.Mode().IsRegular() || rest != "" && (len(rest) != 2 || rest[0] != '.') {
			continue
		}
		f := byName[name]
		if f == nil {
			f = &File{Name: name}
			byName[name] = f
		}
		f.Paths = append(f.Paths, filepath.Join(dir, e.Name()))
		f.Bytes += info.Size()
		if info.ModTime().After(f.Last) {
			f.Last = info.ModTime()
		}
	}
	list := make([]File, 0, len(byName))
	for _, f := range byName {
		// NAME.jsonl.3 is the oldest, NAME.jsonl the latest.
		slices.SortFunc(f.Paths, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(b, a)) })
		list = append(list, *f)
	}
	slices.SortFunc(list, func(a, b File) int { return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(a.Name, b.Name)) })
	return list, nil
}

// Find is the recording that a name or its beginning means; "latest" is the latest one.
func Find(dir, name string) (File, error) {
	list, err := List(dir)
	if err != nil {
		return File{}, err
	}
	var found []File
	for _, f := range list {
		if f.Name == name || name == "latest" {
			return f, nil
		}
		if strings.HasPrefix(f.Name, name) {
			found = append(found, f)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return File{}, fmt.Errorf("%.80q: got the beginning of %d recordings, want that of one", name, len(found))
	}
	return File{}, fmt.Errorf("%.80q: got no such recording in %s, want one of 'toolscope sessions list'", name, dir)
}

// Paths are the files that a name means: a file, or else a recording of the directory, the oldest first.
func Paths(name string) ([]string, error) {
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("%s: got a directory, want a file", name)
	case err == nil:
		return []string{name}, nil
	case !errors.Is(err, fs.ErrNotExist) || filepath.Base(name) != name || filepath.Ext(name) != "":
		return nil, err
	}
	dir, dirErr := Dir()
	switch {
	case dirErr != nil:
		return nil, err
	case dir == "":
		return nil, fmt.Errorf("%w; no recording has this name: they are turned off (%s=off)", err, Variable)
	}
	f, dirErr := Find(dir, name)
	if dirErr != nil {
		return nil, fmt.Errorf("%w; %w", err, dirErr)
	}
	return f.Paths, nil
}

// FullName is the name of the recording that a name means, such as "latest", for outputs that are read later. It is name
// itself for a file, for standard input, and where no recording is meant.
func FullName(name string) string {
	if paths, err := Paths(name); err == nil && !slices.Contains(paths, name) {
		name, _, _ = strings.Cut(filepath.Base(paths[0]), ending)
	}
	return name
}

// TornLine is the notice of a last line of that many bytes that is not complete: its writer was killed.
func TornLine(bytes int) string {
	return "the last line is cut: " + display.Number(uint64(bytes), "byte") + " left out"
}

// Limits are what a directory may hold.
type Limits struct {
	Age   time.Duration
	Bytes int64
}

// Prune removes the oldest recordings until the limits hold, and returns them. dry removes nothing.
func Prune(dir string, limits Limits, now time.Time, dry bool) (removed []File, err error) {
	list, err := List(dir)
	if err != nil {
		return nil, err
	}
	var total int64
	for _, f := range list {
		if total += f.Bytes; total <= limits.Bytes && now.Sub(f.Last) <= limits.Age {
			continue
		}
		for _, path := range f.Paths {
			if dry {
				break
			}
			if e := os.Remove(path); e != nil && !errors.Is(e, fs.ErrNotExist) {
				err = errors.Join(err, e)
			}
		}
		removed = append(removed, f)
		total -= f.Bytes
	}
	return removed, err
}
