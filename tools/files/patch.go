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

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/internal/arg"
)

type patchInput struct {
	Patch string `json:"patch"`
}

// patched is one file that a patch changes: what was found and what it becomes.
type patched struct {
	place
	part   filePatch
	parent *os.Root
	name   string
	before fs.FileInfo // nil if there is no file yet
	old    []byte
	new    []byte
	notes  []string
	// temporary is the new content under its first name, "" for a deletion.
	temporary string
}

func (t *Toolset) patch(ctx context.Context, in patchInput) (string, error) {
	if len(in.Patch) > maxPatchBytes {
		return "", arg.Invalid("patch", fmt.Sprintf("%d bytes", len(in.Patch)), fmt.Sprintf("at most %d", maxPatchBytes))
	}
	parts, err := parsePatch(in.Patch)
	if err != nil {
		return "", arg.Invalid("patch", "a text that "+err.Error(),
			"a unified diff of text files, with --- and +++ lines before each file's hunks")
	}
	all := make([]*patched, len(parts))
	claims := make([]claim, len(parts))
	taken := make(map[string]bool)
	for i, part := range parts {
		p, err := t.resolve(part.path())
		if err != nil {
			return "", err
		}
		if err := t.checkWritable(p); err != nil {
			return "", err
		}
		if taken[p.key()] {
			return "", arg.Invalid("patch", fmt.Sprintf("%.200q twice", p.shown), "all hunks of a file together")
		}
		taken[p.key()] = true
		all[i], claims[i] = &patched{place: p, part: part}, claim{place: p, write: true}
	}
	release, err := t.hold(ctx, claims...)
	if err != nil {
		return "", err
	}
	defer release()
	defer func() {
		for _, f := range all {
			f.close()
		}
	}()
	for _, f := range all {
		if err := t.prepare(ctx, f); err != nil {
			return "", f.refuse(err)
		}
	}
	return t.apply(ctx, all)
}

// prepare reads the file and finds the place of each hunk.
func (t *Toolset) prepare(ctx context.Context, f *patched) (err error) {
	if f.parent, f.name, err = f.openParent(f.part.creates()); err != nil {
		return err
	}
	content, info, err := f.root.read(ctx, f.parent, f.name)
	switch {
	case f.part.creates() && errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case f.part.creates():
		return fs.ErrExist
	default:
		if err := t.seen.check(ctx, f.place, content); err != nil {
			return err
		}
	}
	text, e, ok := decode(content)
	if !ok {
		return errBinary(content)
	}
	f.before, f.old = info, content
	if text, f.notes, err = f.part.applyTo(text); err != nil {
		return err
	}
	if f.part.deletes() {
		if text != "" {
			return noMatch("would not be empty afterwards, though the patch deletes it")
		}
		return nil
	}
	if f.new, err = e.encode(text); err != nil {
		return err
	}
	if len(f.new) > maxFileBytes {
		return fmt.Errorf("would have %d bytes, more than the %d that are written", len(f.new), maxFileBytes)
	}
	f.temporary, err = stage(f.parent, f.before, f.new)
	return err
}

// apply puts all files in their places. If one cannot be, those before it get their
// old content back.
func (t *Toolset) apply(ctx context.Context, all []*patched) (string, error) {
	if ctx.Err() != nil {
		return "", over(ctx, "before anything was patched")
	}
	for i, f := range all {
		if err := f.install(t); err != nil {
			var lost []string
			for _, done := range all[:i] {
				if done.restore() != nil {
					lost = append(lost, done.shown)
				}
			}
			err = f.refuse(err)
			if len(lost) > 0 {
				err = &toolkit.Error{Kind: toolkit.ErrTool,
					Message: fmt.Sprintf("%s, but %s could not get back the old content", err.Error(),
						strings.Join(lost, ", ")), Cause: err}
			}
			return "", err
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "patched %d files\n", len(all))
	for _, f := range all {
		done := fmt.Sprintf("%d hunks, +%d -%d", len(f.part.hunks), f.part.added(), f.part.removed())
		switch {
		case f.part.deletes():
			done = "the whole file"
			t.seen.forget(ctx, f.place)
		case f.part.creates():
			done = fmt.Sprintf("created with %d bytes", len(f.new))
			fallthrough
		default:
			t.seen.remember(ctx, f.place, f.new)
		}
		fmt.Fprintf(&b, "%s: %s\n", f.shown, done)
		for _, n := range f.notes {
			fmt.Fprintf(&b, "  %s\n", n)
		}
	}
	return b.String(), nil
}

func (f *patched) install(t *Toolset) error {
	if !f.part.deletes() {
		err := install(f.parent, f.temporary, f.name, f.before)
		if err == nil {
			f.temporary = ""
		}
		return err
	}
	if now, err := f.parent.Lstat(f.name); !same(f.before, now, err) {
		return errChanged
	}
	done, err := t.remove(f.place, f.parent, f.name)
	f.notes = append(f.notes, done)
	return err
}

// restore puts back what stood there before, unless it was changed since.
func (f *patched) restore() error {
	if f.before == nil {
		return f.parent.Remove(f.name)
	}
	temporary, err := stage(f.parent, f.before, f.old)
	if err != nil {
		return err
	}
	return f.parent.Rename(temporary, f.name)
}

// close lets go of the directory, and of what was staged and not installed.
func (f *patched) close() {
	if f.parent == nil {
		return
	}
	if f.temporary != "" {
		_ = f.parent.Remove(f.temporary)
	}
	f.parent.Close()
}

// refuse tells that nothing was changed because of f.
func (f *patched) refuse(err error) error {
	err = f.explain(err)
	var known *toolkit.Error
	if errors.As(err, &known) {
		return &toolkit.Error{Kind: known.Kind, Message: known.Message + "; no file was changed", Cause: known.Cause}
	}
	return err
}
