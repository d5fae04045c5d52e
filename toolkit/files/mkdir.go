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
	p, err := t.resolve(in.Path)
	if err != nil {
		return "", err
	}
	if err := t.checkWritable(p); err != nil {
		return "", err
	}
	release, err := t.hold(ctx, claim{place: p, write: true})
	if err != nil {
		return "", err
	}
	defer release()
	parent, name, err := p.openParent(true)
	if err != nil {
		return "", p.explain(err)
	}
	defer parent.Close()
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
