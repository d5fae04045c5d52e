// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/toolscope/toolscope/toolkit"
)

var (
	errOutside = errors.New("leads out of its root")
	errChanged = errors.New("was changed meanwhile by somebody else: look at it again")
	errSpecial = errors.New("is a device, pipe or socket")
)

// explain gives an error its kind, and a text that names the path as given and
// nothing of the host's directories.
func (p place) explain(err error) error {
	var known *toolkit.Error
	var at *fs.PathError
	kind, text := toolkit.ErrTool, err.Error()
	switch {
	case errors.As(err, &known):
		return err
	case errors.Is(err, errOutside), errors.Is(err, errSpecial):
		kind = toolkit.ErrPermissionDenied
	case errors.Is(err, fs.ErrNotExist):
		text = "does not exist"
	case errors.Is(err, fs.ErrExist):
		text = "exists already"
	case errors.Is(err, fs.ErrPermission):
		text = "may not be used by this process"
	case errors.As(err, &at):
		text = at.Err.Error()
	}
	return &toolkit.Error{Kind: kind, Message: fmt.Sprintf("path %.200q %s", p.shown, text), Cause: err}
}

// open opens the directory that p is, or, for a file, the one it lies in. Each
// directory on the way must be the one that stands there, not one that a symbolic link
// leads to: a link that came since the path was resolved is noticed. With create,
// missing directories are made. The caller closes the directory.
func (p place) open(parts []string, create bool) (*os.Root, error) {
	dir, err := p.root.dir.OpenRoot(".")
	if err != nil {
		return nil, err
	}
	for _, part := range parts {
		next, err := openDir(dir, part, create)
		dir.Close()
		if err != nil {
			return nil, err
		}
		dir = next
	}
	return dir, nil
}

func openDir(parent *os.Root, name string, create bool) (*os.Root, error) {
	if create {
		if err := parent.Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	before, err := parent.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !before.IsDir() {
		if before.Mode()&fs.ModeSymlink != 0 {
			return nil, errChanged
		}
		return nil, errors.New("goes through a file as if it were a directory")
	}
	dir, err := parent.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if opened, err := dir.Stat("."); err != nil || !os.SameFile(before, opened) {
		dir.Close()
		return nil, errChanged
	}
	return dir, nil
}

// openDir opens the directory that p is.
func (p place) openDir() (*os.Root, error) {
	if p.path == "." {
		return p.open(nil, false)
	}
	return p.open(strings.Split(p.path, "/"), false)
}

// openParent opens the directory that p lies in and gives p's name there.
func (p place) openParent(create bool) (*os.Root, string, error) {
	if p.path == "." {
		return nil, "", errors.New("is a directory")
	}
	dir, name := path.Split(p.path)
	var parts []string
	if dir != "" {
		parts = strings.Split(strings.TrimSuffix(dir, "/"), "/")
	}
	parent, err := p.open(parts, create)
	return parent, name, err
}

// read reads a regular file of at most maxFileBytes.
func read(ctx context.Context, parent *os.Root, name string) ([]byte, fs.FileInfo, error) {
	before, err := parent.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if err := regular(before); err != nil {
		return nil, nil, err
	}
	// Without blocking, since a pipe may have come in the file's place.
	f, err := parent.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if !os.SameFile(before, info) {
		return nil, nil, errChanged
	}
	if err := regular(info); err != nil {
		return nil, nil, err
	}
	if info.Size() > maxFileBytes {
		return nil, nil, fmt.Errorf("has %d bytes, more than the %d that are read", info.Size(), maxFileBytes)
	}
	if ctx.Err() != nil {
		return nil, nil, over(ctx, "before the file was read")
	}
	var b bytes.Buffer
	b.Grow(int(info.Size()) + bytes.MinRead)
	if _, err := b.ReadFrom(io.LimitReader(f, maxFileBytes+1)); err != nil {
		return nil, nil, err
	}
	if b.Len() > maxFileBytes {
		return nil, nil, fmt.Errorf("has more than the %d bytes that are read", maxFileBytes)
	}
	return b.Bytes(), info, nil
}

// regular refuses what is no regular file.
func regular(info fs.FileInfo) error {
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return errors.New("is a directory")
	case mode&fs.ModeSymlink != 0:
		return errChanged
	}
	return errSpecial
}

// isText tells whether content is UTF-8 text.
func isText(content []byte) bool {
	return bytes.IndexByte(content, 0) < 0 && utf8.Valid(content)
}

func errBinary(size int) error {
	return fmt.Errorf("is binary, %d bytes: only UTF-8 text can be read", size)
}
