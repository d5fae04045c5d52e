// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/toolscope/toolscope/internal/sensitive"
)

// The limits of the tools.
const (
	maxFileBytes   = 10 << 20  // of a file that is read, searched, edited or written
	maxAnswerBytes = 256 << 10 // of the lines that file_read shows
	maxListed      = 1000      // entries that file_list shows
	defaultFound   = 100       // results of file_search
	maxFound       = 1000
	maxVisited     = 100_000 // entries that one call looks at
	maxLineBytes   = 300     // of a line that file_search shows
	defaultDepth   = 3       // of file_list
	maxDepth       = 50
	maxEdits       = 100     // of one file_edit
	maxPatchBytes  = 1 << 20 // of one file_patch
	maxPatched     = 100     // files of one file_patch
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

// Options say where and how the tools work. There must be a root.
type Options struct {
	Roots []Root
	// Trash makes file_delete move things to the directory .trash of their root, from
	// where file_move takes them back. The tools change nothing else in there, and
	// it is never emptied. The default deletes for good.
	Trash bool
	// HardLinks allows reading files that have further names. The default refuses
	// them, since the other name may lie outside of the roots, and which it is cannot be
	// asked. Such files are never written through, whatever is set here.
	HardLinks bool
	// Refuse are globs of files and directories that are refused like credentials:
	// "*.pem" anywhere, or "deploy/**/secret*" below each root. Case does not count.
	Refuse []string
}

// Toolset is the tools over the roots. It is safe for concurrent use. A nil
// *Toolset has no tools and closes without error.
type Toolset struct {
	roots []*root
	trash bool
	locks lockTable
	seen  seenTable
}

type root struct {
	Root
	dir *os.Root
	// slashed is the directory's path without symbolic links, with slashes, whose parts
	// count when credentials are looked for; given is the one of the options.
	slashed, given string
	device         uint64
	hardLinks      bool
	refused        []pattern
}

// New opens the roots. It fails if one is no directory, lies in a credential
// folder or a file system of the kernel, or has a name that is missing, malformed
// or taken, and if a glob of Refuse is none.
func New(o Options) (_ *Toolset, err error) {
	if len(o.Roots) == 0 {
		return nil, errors.New("files: Options.Roots: got none, want at least one")
	}
	refused := make([]pattern, len(o.Refuse))
	for i, glob := range o.Refuse {
		if refused[i], err = newPattern(strings.ToLower(glob)); err != nil {
			return nil, fmt.Errorf("files: Options.Refuse[%d]: %q %w, want a glob such as *.pem", i, glob, err)
		}
	}
	t := &Toolset{trash: o.Trash}
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
		switch {
		case !validName(r.Name) || r.Name == "" && len(o.Roots) > 1:
			return nil, wrong("Name", fmt.Sprintf("%q", r.Name), `letters, digits, "-" and "_"`)
		case taken[r.Name]:
			return nil, wrong("Name", fmt.Sprintf("%q again", r.Name), "a name that no other root has")
		case r.Path == "":
			return nil, wrong("Path", `""`, "a directory")
		}
		taken[r.Name] = true
		opened, err := openRoot(r)
		if err != nil {
			return nil, fmt.Errorf("files: Options.Roots[%d].Path: %w", i, err)
		}
		opened.hardLinks, opened.refused = o.HardLinks, refused
		t.roots = append(t.roots, opened)
	}
	return t, nil
}

func openRoot(given Root) (_ *root, err error) {
	abs, err := filepath.Abs(given.Path)
	if err != nil {
		return nil, err
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return nil, err
	}
	if c := sensitive.Credential(filepath.ToSlash(real)); c != "" {
		return nil, fmt.Errorf("got a directory in %s, want one that holds no credentials", c)
	}
	dir, err := os.OpenRoot(real)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			dir.Close()
		}
	}()
	info, err := dir.Stat(".")
	if err != nil {
		return nil, err
	}
	if err := checkMounted(dir); err != nil {
		return nil, fmt.Errorf("got a directory that %w, want another", err)
	}
	return &root{Root: given, dir: dir, slashed: filepath.ToSlash(real), given: filepath.ToSlash(abs), device: device(info)}, nil
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

func validName(name string) bool {
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == ""
}
