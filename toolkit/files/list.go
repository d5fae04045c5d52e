// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"
)

type listInput struct {
	Path  string `json:"path"`
	Depth *int   `json:"depth"`
}

func (t *Toolset) list(ctx context.Context, in listInput) (string, error) {
	depth := defaultDepth
	if in.Depth != nil {
		depth = *in.Depth
	}
	if depth < 1 || depth > maxDepth {
		return "", invalid("depth", fmt.Sprint(depth), fmt.Sprintf("1 to %d", maxDepth))
	}
	p, err := t.resolve(in.Path)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	listed, note := 0, ""
	err = p.walk(ctx, func(rel string, e fs.DirEntry) error {
		if listed == maxListed {
			note = fmt.Sprintf("only the first %d entries are shown: list a directory below, or with less depth\n", maxListed)
			return fs.SkipAll
		}
		listed++
		level := strings.Count(rel, "/")
		b.WriteString(strings.Repeat("  ", level) + entry(e))
		if e.IsDir() && (level+1 >= depth || credential(e.Name()) != "") {
			b.WriteString(" (not opened)")
		}
		b.WriteByte('\n')
		if e.IsDir() && level+1 >= depth {
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		return "", p.explain(err)
	}
	if listed == 0 {
		return "empty directory\n", nil
	}
	return b.String() + note, nil
}

// entry shows a name and, with a mark as `ls -F` has it, what it is.
func entry(e fs.DirEntry) string {
	name := strings.ToValidUTF8(e.Name(), "\uFFFD")
	if strings.ContainsAny(name, "\n\r\t\x1b") {
		name = fmt.Sprintf("%q", name)
	}
	switch mode := e.Type(); {
	case mode.IsDir():
		return name + "/"
	case mode&fs.ModeSymlink != 0:
		return name + "@"
	case mode.IsRegular():
		return name
	}
	return name + " (special)"
}

// walk visits what lies below a directory, in order of names, and follows no
// symbolic links. Credential folders are visited but not opened.
func (p place) walk(ctx context.Context, visit func(rel string, e fs.DirEntry) error) error {
	dir, err := p.openDir()
	if err != nil {
		return err
	}
	defer dir.Close()
	return fs.WalkDir(dir.FS(), ".", func(rel string, e fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return over(ctx, "while it went through the files")
		}
		if rel == "." {
			return err
		}
		if err != nil {
			return nil // a directory that may not be read has been visited already
		}
		err = visit(rel, e)
		if err == nil && e.IsDir() && credential(path.Join(p.path, rel)) != "" {
			return fs.SkipDir
		}
		return err
	})
}

type infoInput struct {
	Path string `json:"path"`
}

func (t *Toolset) info(_ context.Context, in infoInput) (string, error) {
	p, err := t.resolve(in.Path)
	if err != nil {
		return "", err
	}
	info, err := p.stat()
	if err != nil {
		return "", p.explain(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "path: %s\n", p.shown)
	if p.root.Name != "" {
		fmt.Fprintf(&b, "root: %s\n", p.root.Name)
	}
	fmt.Fprintf(&b, "real path: %s\ntype: %s\n", p.path, kind(info.Mode()))
	if info.Mode().IsRegular() {
		fmt.Fprintf(&b, "size: %d bytes\n", info.Size())
	}
	fmt.Fprintf(&b, "mode: %v\nmodified: %s\n", info.Mode().Perm(), info.ModTime().UTC().Format(time.RFC3339))
	if p.root.ReadOnly {
		b.WriteString("root is read-only\n")
	}
	return b.String(), nil
}

// stat looks at what p is without opening it.
func (p place) stat() (fs.FileInfo, error) {
	if p.path == "." {
		return p.root.dir.Stat(".")
	}
	parent, name, err := p.openParent(false)
	if err != nil {
		return nil, err
	}
	defer parent.Close()
	info, err := parent.Lstat(name)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		err = errChanged
	}
	return info, err
}

func kind(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "directory"
	case mode.IsRegular():
		return "file"
	case mode&fs.ModeNamedPipe != 0:
		return "named pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	}
	return "device"
}

// checkWritable refuses read-only roots.
func (p place) checkWritable() error {
	if p.root.ReadOnly {
		return denied(p.shown, "lies in a read-only root")
	}
	if p.path == "." {
		return p.explain(errors.New("is a directory"))
	}
	return nil
}
