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

	"github.com/toolscope/toolscope/toolkit"
)

var (
	errOutside = errors.New("leads out of its root")
	errChanged = errors.New("was changed meanwhile by another process: look at it again")
	errSpecial = errors.New("is a device, pipe or socket")
	errKernel  = errors.New("lies in a file system of the kernel, such as /proc")
	errLinked  = errors.New("has a hard link elsewhere, perhaps outside of the roots: this host does not let such files be read")
	errStale   = errors.New("was changed by another process since it was read here: read it again before you change it")
	errIsDir   = errors.New("is a directory")
)

// explain gives an error its kind, and a text that names the path as given and
// nothing of the machine's directories.
func (p place) explain(err error) error {
	var known *toolkit.Error
	var at *fs.PathError
	var link *os.LinkError
	kind, text := toolkit.ErrTool, err.Error()
	switch {
	case errors.As(err, &known):
		return err
	case errors.Is(err, errOutside), errors.Is(err, errSpecial), errors.Is(err, errKernel), errors.Is(err, errLinked):
		kind = toolkit.ErrPermissionDenied
	case errors.Is(err, fs.ErrNotExist):
		text = "does not exist"
	case errors.Is(err, fs.ErrExist):
		text = "exists already"
	case errors.Is(err, fs.ErrPermission):
		text = "may not be used by this process"
	case errors.As(err, &at):
		text = at.Err.Error()
	case errors.As(err, &link):
		text = link.Err.Error()
	}
	return &toolkit.Error{Kind: kind, Message: fmt.Sprintf("path %.200q %s", p.shown, text), Cause: err}
}

// open opens the directory below the root that parts lead to. Each directory on the
// way must be the one that stands there, not one that a symbolic link leads to: a link
// that came since the path was resolved is noticed. With create, missing
// directories are made. The caller closes the directory.
func (p place) open(parts []string, create bool) (*os.Root, error) {
	dir, err := p.root.dir.OpenRoot(".")
	if err != nil {
		return nil, err
	}
	for _, part := range parts {
		next, err := p.root.enter(dir, part, create)
		dir.Close()
		if err != nil {
			return nil, err
		}
		dir = next
	}
	return dir, nil
}

// enter opens a directory in parent.
func (r *root) enter(parent *os.Root, name string, create bool) (*os.Root, error) {
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
	opened, err := dir.Stat(".")
	switch {
	case err != nil || !os.SameFile(before, opened):
		err = errChanged
	case device(opened) != r.device:
		err = checkMounted(dir)
	}
	if err != nil {
		dir.Close()
		return nil, err
	}
	return dir, nil
}

// checkMounted refuses a directory of another file system than its root if that is one
// of the kernel's.
func checkMounted(dir *os.Root) error {
	f, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	return checkKernel(f)
}

// openDir opens the directory that p is.
func (p place) openDir() (*os.Root, error) {
	return p.open(p.parts(), false)
}

// parts is the path in parts; none for the root itself.
func (p place) parts() []string {
	if p.path == "." {
		return nil
	}
	return strings.Split(p.path, "/")
}

// openParent opens the directory that p lies in and gives p's name there.
func (p place) openParent(create bool) (*os.Root, string, error) {
	parts := p.parts()
	if len(parts) == 0 {
		return nil, "", errIsDir
	}
	parent, err := p.open(parts[:len(parts)-1], create)
	return parent, path.Base(p.path), err
}

// openFile opens a regular file for reading. The caller closes it.
func (r *root) openFile(parent *os.Root, name string) (*os.File, fs.FileInfo, error) {
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
	info, err := f.Stat()
	switch {
	case err != nil:
	case !os.SameFile(before, info):
		err = errChanged
	case !r.hardLinks && linked(f, info):
		err = errLinked
	case device(info) != r.device:
		err = checkKernel(f)
	}
	if err == nil {
		err = regular(info)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// read reads a regular file of at most maxFileBytes.
func (r *root) read(ctx context.Context, parent *os.Root, name string) ([]byte, fs.FileInfo, error) {
	f, info, err := r.openFile(parent, name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	content, err := readAll(ctx, f, info.Size())
	return content, info, err
}

func readAll(ctx context.Context, f *os.File, size int64) ([]byte, error) {
	if size > maxFileBytes {
		return nil, fmt.Errorf("has %d bytes, more than the %d that are read", size, maxFileBytes)
	}
	if ctx.Err() != nil {
		return nil, over(ctx, "before the file was read")
	}
	var b bytes.Buffer
	b.Grow(int(size) + bytes.MinRead)
	if _, err := b.ReadFrom(io.LimitReader(f, maxFileBytes+1)); err != nil {
		return nil, err
	}
	if b.Len() > maxFileBytes {
		return nil, fmt.Errorf("has more than the %d bytes that are read", maxFileBytes)
	}
	return b.Bytes(), nil
}

// regular refuses what is no regular file.
func regular(info fs.FileInfo) error {
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return errIsDir
	case mode&fs.ModeSymlink != 0:
		return errChanged
	}
	return errSpecial
}
