// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The limits of the tools.
const (
	maxFileBytes   = 10 << 20  // of a file that is read, searched, edited or written
	maxAnswerBytes = 256 << 10 // of the lines that file_read shows
	maxListed      = 1000      // entries that file_list shows
	maxFound       = 100       // results of file_search
	maxVisited     = 100_000   // entries that file_search looks at
	maxLineBytes   = 300       // of a line that file_search shows
	defaultDepth   = 3         // of file_list
	maxDepth       = 50
)

// Root is a directory that the tools may work in.
type Root struct {
	// Name is how paths name the root ("name:path"): letters, digits, "-", "_".
	// It may be "" if there is only one.
	Name string
	// Path is the directory. It is opened by [New]: if it is moved later, the tools
	// follow it.
	Path string
	// ReadOnly refuses writing.
	ReadOnly bool
}

// Options are the roots; there must be at least one.
type Options struct {
	Roots []Root
}

// Toolset is the tools over the roots. It is safe for concurrent use. A nil
// *Toolset has no tools and closes without error.
type Toolset struct {
	roots []*root
	locks lockTable
}

type root struct {
	Root
	dir *os.Root
	// real is the directory's path without symbolic links, whose parts count
	// when credentials are looked for.
	real string
}

// New opens the roots. It fails if one is no directory, lies in a credential
// folder, or has a name that is missing, malformed or taken.
func New(o Options) (_ *Toolset, err error) {
	if len(o.Roots) == 0 {
		return nil, errors.New("files: Options.Roots: got none, want at least one")
	}
	t := &Toolset{}
	defer func() {
		if err != nil {
			t.Close()
		}
	}()
	taken := make(map[string]bool)
	for i, r := range o.Roots {
		wrong := func(field, got, want string) error {
			return fmt.Errorf("files: Options.Roots[%d].%s: got %s, want %s", i, field, got, want)
		}
		if !validName(r.Name) || r.Name == "" && len(o.Roots) > 1 {
			return nil, wrong("Name", fmt.Sprintf("%q", r.Name), `letters, digits, "-" and "_"`)
		}
		if taken[r.Name] {
			return nil, wrong("Name", fmt.Sprintf("%q again", r.Name), "a name that no other root has")
		}
		taken[r.Name] = true
		if r.Path == "" {
			return nil, wrong("Path", `""`, "a directory")
		}
		real, err := realPath(r.Path)
		if err != nil {
			return nil, fmt.Errorf("files: Options.Roots[%d].Path: %w", i, err)
		}
		if c := credential(real); c != "" {
			return nil, wrong("Path", "a directory in "+c, "one that holds no credentials")
		}
		dir, err := os.OpenRoot(real)
		if err != nil {
			return nil, fmt.Errorf("files: Options.Roots[%d].Path: %w", i, err)
		}
		t.roots = append(t.roots, &root{Root: r, dir: dir, real: real})
	}
	return t, nil
}

// Close closes the roots; later calls of the tools fail.
func (t *Toolset) Close() error {
	if t == nil {
		return nil
	}
	var errs []error
	for _, r := range t.roots {
		errs = append(errs, r.dir.Close())
	}
	return errors.Join(errs...)
}

func realPath(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

func validName(name string) bool {
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == ""
}
