// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
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
	Damaged int       `json:"damaged"`         // parts of files that could not be read
}

// List tells what is in the directory. It changes nothing, and processes may use the directory meanwhile.
func (d SpoolDir) List() (all []SpoolPart, err error) {
	parts, err := spool.List(string(d))
	for _, p := range parts {
		all = append(all, SpoolPart{p.Name, p.Running, p.Spans, p.Failed, p.Bytes, p.Oldest, p.Damaged})
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
		if r.Damaged += bad; err != nil {
			return all, err
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
	if !rejected {
		return spool.Read(string(d), show)
	}
	files, err := d.rejectedFiles()
	for _, path := range files {
		if err == nil {
			_, err = jsonlines.Read(path, show)
		}
	}
	return err
}

// unused is an error if a process uses the directory.
func (d SpoolDir) unused(to string) error {
	parts, err := spool.List(string(d))
	if i := slices.IndexFunc(parts, func(p spool.Part) bool { return p.Running }); err == nil && i >= 0 {
		return fmt.Errorf("%w: %s is that of a running process; end it to %s rejected spans", ErrHeld, parts[i].Name, to)
	}
	return err
}

// Retry sends what is in the directory to the destination that the environment names: what processes that
// ended left, and what was rejected. What the destination rejects again is kept again. What a running process
// has is left to it; rejected spans are not sent while one runs: see [ErrHeld]. The ledger says what was sent.
func (d SpoolDir) Retry(ctx context.Context) (l Ledger, err error) {
	if _, err := os.Stat(string(d)); err != nil {
		return l, err
	}
	files, err := d.rejectedFiles()
	if err == nil && len(files) > 0 {
		err = d.unused("send")
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
	for _, path := range files {
		restore := func(spans []*tracepb.ResourceSpans) error { return p.spool.Restore(ctx, spans) }
		_, err = jsonlines.Read(path, restore)
		if disk := p.spool.Stats().DiskError; err == nil && disk != "" {
			err = errors.New("exporters: the disk takes nothing: " + disk)
		}
		if err == nil {
			err = os.Remove(path) // they are among what waits now
		}
		if err != nil {
			break
		}
	}
	err = errors.Join(err, p.spool.Flush(ctx), p.Shutdown(ctx))
	return p.Ledger()[0], err
}

// Purge deletes what waits in the directory, or what was rejected, and returns how many spans that were. What
// running processes have is left, which is an error: see [ErrHeld].
func (d SpoolDir) Purge(ctx context.Context, rejected bool) (spans int, err error) {
	if !rejected {
		return spool.Purge(ctx, string(d))
	}
	files, err := d.rejectedFiles()
	if err == nil {
		err = d.unused("delete")
	}
	for _, path := range files {
		if err == nil {
			_, err = jsonlines.Read(path, func(all []*tracepb.ResourceSpans) error { spans += len(spansOf(all)); return nil })
		}
		if err == nil {
			err = os.Remove(path)
		}
	}
	return spans, err
}
