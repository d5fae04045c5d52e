// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"go.opentelemetry.io/otel/metric/noop"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/toolscope/toolscope/exporters/internal/jsonlines"
	"github.com/toolscope/toolscope/exporters/internal/spool"
)

// A SpoolDir is the directory of a spool ([Options].SpoolDir), looked at from outside. `toolscope spool` is
// its command.
type SpoolDir string

// A SpoolPart is what one process keeps in the directory, or what was rejected.
type SpoolPart struct {
	Name    string    `json:"name"`    // the process's id comes first; [RejectedDir] for what was rejected
	Running bool      `json:"running"` // the process runs, and sends it
	Spans   int       `json:"spans"`
	Failed  int       `json:"failed"` // of these, those that ended with an error
	Bytes   int64     `json:"bytes"`
	Oldest  time.Time `json:"oldest,omitzero"` // when the oldest was written
	Damaged int       `json:"damaged"`         // parts of files that are no records, or lines
	Error   string    `json:"error,omitempty"` // what of it could not be read, and why
}

// check is an error if the directory holds something, and nothing of a spool.
func (d SpoolDir) check() error {
	entries, err := os.ReadDir(string(d))
	if err != nil {
		return err
	}
	if len(entries) > 0 && !slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		return e.IsDir() && (e.Name() == RejectedDir || spool.IsFolder(e.Name()))
	}) {
		return fmt.Errorf("exporters: SpoolDir %q: got a directory with other files, want that of a spool", string(d))
	}
	return nil
}

// List tells what is in the directory. It changes nothing, and processes may use the directory meanwhile. What
// cannot be read is no error, but in its part.
func (d SpoolDir) List() (all []SpoolPart, err error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	parts, err := spool.List(string(d))
	for _, p := range parts {
		part := SpoolPart{p.Name, p.Running, p.Spans, p.Failed, p.Bytes, p.Oldest, p.Damaged, ""}
		if p.Err != nil {
			part.Error = p.Err.Error()
		}
		all = append(all, part)
	}
	if err != nil {
		return all, err
	}
	files, err := d.rejectedFiles()
	if err != nil || len(files) == 0 {
		return all, err
	}
	r := SpoolPart{Name: RejectedDir}
	for _, path := range files {
		if info, err := os.Stat(path); err == nil {
			r.Bytes += info.Size()
			if r.Oldest.IsZero() || info.ModTime().Before(r.Oldest) {
				r.Oldest = info.ModTime()
			}
		}
		bad, err := jsonlines.Read(path, func(spans []*tracepb.ResourceSpans) error {
			for _, s := range spansOf(spans) {
				r.Spans++
				if s.GetStatus().GetCode() == tracepb.Status_STATUS_CODE_ERROR {
					r.Failed++
				}
			}
			return nil
		})
		if r.Damaged += len(bad); err != nil {
			r.Error = err.Error()
		}
	}
	return append(all, r), nil
}

func (d SpoolDir) rejectedFiles() ([]string, error) {
	return jsonlines.Files(filepath.Join(string(d), RejectedDir))
}

func spansOf(all []*tracepb.ResourceSpans) (spans []*tracepb.Span) {
	for _, r := range all {
		for _, s := range r.GetScopeSpans() {
			spans = append(spans, s.GetSpans()...)
		}
	}
	return spans
}

// Show calls line with the spans of the directory, as lines of OTLP JSON: those that wait, or those that
// were rejected. It changes nothing.
func (d SpoolDir) Show(rejected bool, line func(text []byte) error) error {
	show := func(spans []*tracepb.ResourceSpans) error {
		text, err := jsonlines.Lines(spans)
		if err != nil || len(text) == 0 {
			return err
		}
		return line(text)
	}
	if err := d.check(); err != nil {
		return err
	}
	if !rejected {
		return spool.Read(string(d), func(_ spool.Part, spans []*tracepb.ResourceSpans) error { return show(spans) })
	}
	files, err := d.rejectedFiles()
	for _, path := range files {
		_, readErr := jsonlines.Read(path, show)
		err = errors.Join(err, readErr)
	}
	return err
}

// unused is an error if a process uses the directory.
func (d SpoolDir) unused(parts []spool.Part, to string) error {
	if i := slices.IndexFunc(parts, func(p spool.Part) bool { return p.Running }); i >= 0 {
		return fmt.Errorf("%w: %s is that of a running process; end it to %s rejected spans", ErrHeld, parts[i].Name, to)
	}
	return nil
}

// left is an error if a running process has spans in the directory, or a part of it could not be read: Retry
// has not sent those.
func left(parts []spool.Part) error {
	var errs []error
	for _, p := range parts {
		switch {
		case p.Err != nil:
			errs = append(errs, fmt.Errorf("exporters: %s could not be read, and stays: %w", p.Name, p.Err))
		case p.Running && p.Spans > 0:
			errs = append(errs, fmt.Errorf("%w: %d spans in %s are those of a running process, which sends them itself; "+
				"to send them elsewhere, end it first", ErrHeld, p.Spans, p.Name))
		}
	}
	return errors.Join(errs...)
}

// Retry sends what is in the directory to the destination that the environment names: what processes that
// ended left, and what was rejected. What the destination rejects again is kept again. What a running process
// has is left to it; rejected spans are not sent while one runs: see [ErrHeld]. What cannot be read stays, and is an
// error as well. The ledger says what was sent.
func (d SpoolDir) Retry(ctx context.Context) (l Ledger, err error) {
	if err := d.check(); err != nil {
		return l, err
	}
	parts, err := spool.List(string(d))
	if err != nil {
		return l, err
	}
	files, err := d.rejectedFiles()
	if err == nil && len(files) > 0 {
		err = d.unused(parts, "send")
	}
	if err != nil {
		return l, err
	}
	o := Options{SpoolDir: string(d), Spool: SpoolOptions{WriteAhead: true}, RingSpans: -1}
	p, err := setUp(ctx, o, &Providers{MeterProvider: noop.NewMeterProvider()}) // only spans are sent
	if err != nil {
		return l, err
	}
	if p.spool == nil {
		return l, errors.Join(errors.New("exporters: OTEL_EXPORTER_OTLP_ENDPOINT: got none, want where to send the spans"),
			p.Shutdown(ctx))
	}
	errs := []error{left(parts)}
	for _, path := range files {
		errs = append(errs, p.restore(ctx, path))
	}
	errs = append(errs, p.spool.Flush(ctx), p.Shutdown(ctx))
	return p.Ledger()[0], errors.Join(errs...)
}

// restore gives the spans of a file to the spool, and removes them from it: they are among what waits then.
func (p *Providers) restore(ctx context.Context, path string) error {
	restored := false
	bad, err := jsonlines.Read(path, func(spans []*tracepb.ResourceSpans) error {
		restored = true
		return p.spool.Restore(ctx, spans)
	})
	if disk := p.spool.Stats().DiskError; err == nil && restored && disk != "" {
		err = errors.New("the disk takes nothing: " + disk)
	}
	if err == nil && len(bad) == 0 {
		err = os.Remove(path)
	} else if err == nil {
		if err = replaceFile(path, bytes.Join(bad, nil)); err == nil {
			err = fmt.Errorf("%d lines are no spans, and stay", len(bad))
		}
	}
	if err != nil {
		return fmt.Errorf("exporters: %s: %w", filepath.Join(RejectedDir, filepath.Base(path)), err)
	}
	return nil
}

// replaceFile gives a file another content, at once.
func replaceFile(path string, content []byte) error {
	next := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".part")
	if err := os.WriteFile(next, content, 0o600); err != nil {
		return err
	}
	return os.Rename(next, path)
}

// Purge deletes what waits in the directory, or what was rejected, and returns how many spans that were; a line of
// those rejected that cannot be read counts as one. What running processes have is left, which is an error: see
// [ErrHeld]. So is what cannot be opened.
func (d SpoolDir) Purge(ctx context.Context, rejected bool) (spans int, err error) {
	if err := d.check(); err != nil {
		return 0, err
	}
	if !rejected {
		return spool.Purge(ctx, string(d))
	}
	parts, err := spool.List(string(d))
	if err == nil {
		err = d.unused(parts, "delete")
	}
	files, filesErr := d.rejectedFiles()
	if err = errors.Join(err, filesErr); err != nil {
		return 0, err
	}
	var errs []error
	for _, path := range files {
		n := 0
		bad, err := jsonlines.Read(path, func(all []*tracepb.ResourceSpans) error { n += len(spansOf(all)); return nil })
		if err == nil {
			err = os.Remove(path)
		}
		if err == nil {
			spans += n + len(bad)
		}
		errs = append(errs, err)
	}
	return spans, errors.Join(errs...)
}
