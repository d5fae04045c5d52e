// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"
)

type infoInput struct {
	Path string `json:"path"`
}

func (t *Toolset) info(ctx context.Context, in infoInput) (string, error) {
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
	fmt.Fprintf(&b, "real path: %s\ntype: %s\n", printable(p.path), kind(info.Mode()))
	if info.Mode().IsRegular() {
		fmt.Fprintf(&b, "size: %d bytes\n", info.Size())
		b.WriteString(t.describe(ctx, p, info))
	}
	fmt.Fprintf(&b, "mode: %v\nmodified: %s\n", info.Mode().Perm(), info.ModTime().UTC().Format(time.RFC3339))
	if p.root.ReadOnly {
		b.WriteString("root is read-only\n")
	}
	return b.String(), nil
}

// describe tells what a file holds, if it is small enough to be read.
func (t *Toolset) describe(ctx context.Context, p place, info fs.FileInfo) string {
	if info.Size() > maxFileBytes {
		return fmt.Sprintf("content: not looked at, since it has more than %d bytes\n", maxFileBytes)
	}
	content, err := t.content(ctx, p)
	if err != nil {
		return "content: not readable\n"
	}
	text, e, ok := decode(content)
	if !ok {
		return "content: " + binaryKind(content) + "\n"
	}
	ends := ""
	if crlf(text) {
		ends = ", line endings CRLF"
	}
	return fmt.Sprintf("content: text, %d lines, %s%s\n", len(splitLines(text)), e, ends)
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
	return lookAt(parent, name)
}

// lookAt is Lstat that takes a symbolic link for a change: paths are resolved.
func lookAt(parent *os.Root, name string) (fs.FileInfo, error) {
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
