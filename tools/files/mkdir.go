// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
)

type mkdirInput struct {
	Path string `json:"path"`
}

func (t *Toolset) mkdir(ctx context.Context, in mkdirInput) (string, error) {
	f, err := t.openForWriting(ctx, in.Path, true)
	if err != nil {
		return "", err
	}
	defer f.close()
	p, parent, name := f.place, f.parent, f.name
	switch err := parent.Mkdir(name, 0o777); {
	case err == nil:
		return fmt.Sprintf("%s: directory created\n", p.shown), nil
	case !errors.Is(err, fs.ErrExist):
		return "", p.explain(err)
	}
	info, err := lookAt(parent, name)
	if err == nil && !info.IsDir() {
		err = errors.New("exists already, and is no directory")
	}
	if err != nil {
		return "", p.explain(err)
	}
	return fmt.Sprintf("%s: the directory exists already\n", p.shown), nil
}
