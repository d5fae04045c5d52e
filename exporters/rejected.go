// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/toolscope/toolscope/exporters/internal/jsonlines"
)

// RejectedDir is the folder of [Options].SpoolDir that keeps what the destination refused for good, as
// lines of OTLP JSON: at most 16 MiB, the oldest go first. Each line can be sent to an OTLP endpoint over
// HTTP as it is.
const RejectedDir = "rejected"

const rejectedBytes = 16 << 20

// rejected keeps spans that a spool's destination refused for good. The folder is made for the first.
type rejected struct {
	dir string

	mu    sync.Mutex
	files *jsonlines.Exporter
}

func (r *rejected) write(spans []*tracepb.ResourceSpans) (err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.files == nil {
		r.files, err = jsonlines.New(r.dir, jsonlines.Options{
			MaxBytes: rejectedBytes, FileBytes: rejectedBytes / 4, Plain: true})
	}
	if err != nil {
		return err
	}
	return r.files.Write(spans)
}

func (r *rejected) shutdown(ctx context.Context) error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.files == nil {
		return nil
	}
	return r.files.Shutdown(ctx)
}

// forgetRejected removes the session's spans from the folder of a spool.
func (f Forget) forgetRejected(spoolDir string) (ForgetReport, error) {
	dir := filepath.Join(spoolDir, RejectedDir)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return ForgetReport{}, nil
	}
	return f.Spans(dir)
}
