// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package jsonlines

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
)

// abandoned is how long a file of another process must have been quiet to be taken for
// one that no process writes to. Should that process write again after all, it sees that
// its file is gone and begins a new one.
const abandoned = time.Hour

// tidy compresses what is set aside and removes what is beyond the limits, in a
// goroutine that ends when it is done. The lock is held.
func (f *files) tidy() {
	if f.tidying != nil {
		f.again = true
		return
	}
	done := make(chan struct{})
	f.tidying = done
	go func() {
		defer close(done)
		for more := true; more; {
			f.tidyOnce()
			f.mu.Lock()
			more = f.again && f.stopped.Err() == nil
			f.again = false
			if !more {
				f.tidying = nil
			}
			f.mu.Unlock()
		}
	}()
}

func (f *files) tidyOnce() {
	f.mu.Lock()
	own := ""
	if f.file != nil {
		own = filepath.Base(f.file.Name())
	}
	aside := f.aside
	f.aside = make(map[string]bool)
	f.mu.Unlock()
	var errs []error
	found, err := f.list()
	errs = append(errs, err)
	for _, info := range found {
		name := info.Name()
		quiet := f.now().Sub(info.ModTime()) > abandoned && name != own
		if !f.options.Plain && strings.HasSuffix(name, suffix) && (aside[name] || quiet) {
			errs = append(errs, f.compress(f.stopped, name))
		}
	}
	removed, err := f.prune(own)
	err = errors.Join(append(errs, err)...)
	f.mu.Lock()
	f.stats.Removed += removed
	if err != nil {
		f.stats.Err = err
	}
	f.mu.Unlock()
	if err != nil {
		otel.Handle(fmt.Errorf("jsonlines: tidying: %w", err))
	}
}

// list is what the directory holds, the oldest first.
func (f *files) list() ([]os.FileInfo, error) {
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return nil, ignoreMissing(err) // the next batch makes it anew
	}
	var found []os.FileInfo
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "."+prefix) && strings.HasSuffix(e.Name(), unfinished) {
			f.removeAbandoned(e)
		}
		if !strings.HasPrefix(e.Name(), prefix) ||
			!strings.HasSuffix(e.Name(), suffix) && !strings.HasSuffix(e.Name(), compressed) {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			found = append(found, info)
		}
	}
	slices.SortFunc(found, func(a, b os.FileInfo) int { return strings.Compare(a.Name(), b.Name()) })
	return found, nil
}

// removeAbandoned removes what a process that died was making.
func (f *files) removeAbandoned(e os.DirEntry) {
	if info, err := e.Info(); err == nil && f.now().Sub(info.ModTime()) > abandoned {
		_ = os.Remove(filepath.Join(f.dir, e.Name()))
	}
}

// prune removes the oldest files beyond the limits, but not the one being written.
func (f *files) prune(own string) (removed uint64, err error) {
	found, err := f.list()
	total := int64(0)
	for _, info := range found {
		total += info.Size()
	}
	oldest := f.now().Add(-f.options.MaxAge)
	left := len(found)
	var errs []error
	for _, info := range found {
		if info.Name() == own || left <= f.options.MaxFiles && total <= f.options.MaxBytes && info.ModTime().After(oldest) {
			continue
		}
		if err := os.Remove(filepath.Join(f.dir, info.Name())); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
			continue
		}
		total -= info.Size()
		left--
		removed++
	}
	return removed, errors.Join(append(errs, err)...)
}

// compress replaces a file by a compressed one, unless it changed meanwhile: then it stays for a
// later time. A crash
// leaves an unfinished file, which is not looked at, or both: then the next one replaces it.
func (f *files) compress(ctx context.Context, name string) (err error) {
	path := filepath.Join(f.dir, name)
	from, err := os.Open(path)
	if err != nil {
		return ignoreMissing(err)
	}
	defer from.Close()
	before, err := from.Stat()
	if err != nil {
		return err
	}
	part := filepath.Join(f.dir, "."+name+unfinished)
	to, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(part)
		}
	}()
	zip := gzip.NewWriter(to)
	zip.ModTime = before.ModTime()
	_, err = io.Copy(zip, cancelled{ctx, from})
	if err = errors.Join(err, zip.Close(), to.Sync(), to.Close(), from.Close()); err != nil {
		if ctx.Err() != nil {
			_ = os.Remove(part)
			return nil // a later process does it
		}
		return err
	}
	// It was written to, or a session was removed from it.
	if after, statErr := os.Stat(path); statErr != nil || after.Size() != before.Size() ||
		!after.ModTime().Equal(before.ModTime()) {
		_ = os.Remove(part)
		return nil
	}
	if err := os.Chtimes(part, time.Time{}, before.ModTime()); err != nil { // its age is that of its spans
		return err
	}
	if err := os.Rename(part, strings.TrimSuffix(path, suffix)+compressed); err != nil {
		return err
	}
	return ignoreMissing(os.Remove(path))
}

func ignoreMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// cancelled is a reader that ends with its context.
type cancelled struct {
	ctx  context.Context
	from io.Reader
}

func (c cancelled) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.from.Read(p)
}
