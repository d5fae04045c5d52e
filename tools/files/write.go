// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/toolscope/toolscope/internal/sensitive"
	"github.com/toolscope/toolscope/tools/internal/arg"
)

type writeInput struct {
	Path    string  `json:"path"`
	Content *string `json:"content"`
	Mode    string  `json:"mode"`
}

func (t *Toolset) write(ctx context.Context, in writeInput) (string, error) {
	if in.Content == nil {
		return "", arg.Invalid("content", "nothing", `the file's text, "" for an empty file`)
	}
	switch in.Mode {
	case "":
		in.Mode = "overwrite"
	case "create", "overwrite", "append":
	default:
		return "", arg.Invalid("mode", fmt.Sprintf("%.40q", in.Mode), `"create", "overwrite" or "append"`)
	}
	if len(*in.Content) > maxFileBytes {
		return "", arg.Invalid("content", fmt.Sprintf("%d bytes", len(*in.Content)), fmt.Sprintf("at most %d", maxFileBytes))
	}
	f, err := t.openForWriting(ctx, in.Path, true)
	if err != nil {
		return "", err
	}
	defer f.close()
	done, err := t.put(ctx, f.place, f.parent, f.name, *in.Content, in.Mode)
	if err != nil {
		return "", f.explain(err)
	}
	return fmt.Sprintf("%s: %s\n", f.shown, done), nil
}

// put writes content in one of the modes and tells what it did.
func (t *Toolset) put(ctx context.Context, p place, parent *os.Root, name, content, mode string) (string, error) {
	before, err := parent.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("created with %d bytes", len(content)), t.replace(ctx, p, parent, name, nil, []byte(content))
	case err != nil:
		return "", err
	case mode == "create":
		return "", fs.ErrExist
	}
	if err := regular(before); err != nil {
		return "", err
	}
	if mode == "append" {
		old, info, err := p.root.read(ctx, parent, name)
		if err != nil {
			return "", err
		}
		added, err := suffix(old, content)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%d bytes appended to %d", len(added), len(old)),
			t.replace(ctx, p, parent, name, info, append(old, added...))
	}
	if t.seen.knows(ctx, p) && before.Size() <= maxFileBytes {
		old, info, err := p.root.read(ctx, parent, name)
		if err != nil {
			return "", err
		}
		if err := t.seen.check(ctx, p, old); err != nil {
			return "", err
		}
		before = info
	}
	return fmt.Sprintf("overwritten with %d bytes, before %d", len(content), before.Size()),
		t.replace(ctx, p, parent, name, before, []byte(content))
}

// suffix is text in the encoding and with the line endings of what it is put after;
// as it is after what is no text.
func suffix(content []byte, text string) ([]byte, error) {
	before, e, ok := decode(content)
	if !ok || len(content) == 0 {
		return []byte(text), nil
	}
	added, err := e.encode(endLines(text, before))
	return []byte(strings.TrimPrefix(string(added), marks[e])), err
}

// writable is a place that a tool may write to: its lock is held, and the directory
// that it lies in is open.
type writable struct {
	place
	parent  *os.Root
	name    string // in parent
	release func()
}

// openForWriting resolves a path as the model gave it and opens its place. With
// create, missing directories above it are made. Close it.
func (t *Toolset) openForWriting(ctx context.Context, path string, create bool) (*writable, error) {
	p, err := t.resolve(path)
	if err != nil {
		return nil, err
	}
	if err := t.checkWritable(p); err != nil {
		return nil, err
	}
	release, err := t.hold(ctx, claim{place: p, write: true})
	if err != nil {
		return nil, err
	}
	parent, name, err := p.openParent(create)
	if err != nil {
		release()
		return nil, p.explain(err)
	}
	return &writable{p, parent, name, release}, nil
}

func (w *writable) close() {
	w.parent.Close()
	w.release()
}

// checkWritable refuses read-only roots, the root itself, the trash, and what git executes.
func (t *Toolset) checkWritable(p place) error {
	switch {
	case p.root.ReadOnly:
		return denied(p.shown, "lies in a read-only root")
	case p.path == ".":
		return p.explain(errIsDir)
	case t.trash && (p.path == trashName || t.inTrash(p)):
		return denied(p.shown, "lies in the trash: file_move takes things out of it, nothing else is done there")
	case sensitive.InGit(p.path):
		return denied(p.shown, "lies in .git, whose settings and hooks git executes: use git itself")
	}
	return nil
}
