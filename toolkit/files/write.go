// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

type writeInput struct {
	Path    string  `json:"path"`
	Content *string `json:"content"`
	Mode    string  `json:"mode"`
}

func (t *Toolset) write(ctx context.Context, in writeInput) (string, error) {
	if in.Content == nil {
		return "", invalid("content", "nothing", `the file's text, "" for an empty file`)
	}
	switch in.Mode {
	case "":
		in.Mode = "overwrite"
	case "create", "overwrite", "append":
	default:
		return "", invalid("mode", fmt.Sprintf("%.40q", in.Mode), `"create", "overwrite" or "append"`)
	}
	if len(*in.Content) > maxFileBytes {
		return "", invalid("content", fmt.Sprintf("%d bytes", len(*in.Content)), fmt.Sprintf("at most %d", maxFileBytes))
	}
	p, err := t.resolve(in.Path)
	if err != nil {
		return "", err
	}
	if err := p.checkWritable(); err != nil {
		return "", err
	}
	unlock, err := t.locks.lock(ctx, p.key(), true)
	if err != nil {
		return "", err
	}
	defer unlock()
	parent, name, err := p.openParent(true)
	if err != nil {
		return "", p.explain(err)
	}
	defer parent.Close()
	done, err := put(ctx, parent, name, []byte(*in.Content), in.Mode)
	if err != nil {
		return "", p.explain(err)
	}
	return fmt.Sprintf("%s: %s\n", p.shown, done), nil
}

// put writes content in one of the modes and tells what it did.
func put(ctx context.Context, parent *os.Root, name string, content []byte, mode string) (string, error) {
	before, err := parent.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("created with %d bytes", len(content)), replace(ctx, parent, name, nil, content)
	case err != nil:
		return "", err
	case mode == "create":
		return "", fs.ErrExist
	}
	if err := regular(before); err != nil {
		return "", err
	}
	if mode == "append" {
		old, info, err := read(ctx, parent, name)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%d bytes appended to %d", len(content), len(old)), replace(ctx, parent, name, info, append(old, content...))
	}
	return fmt.Sprintf("overwritten with %d bytes, before %d", len(content), before.Size()), replace(ctx, parent, name, before, content)
}
