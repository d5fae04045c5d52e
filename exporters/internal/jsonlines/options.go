// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package jsonlines

import (
	"cmp"
	"fmt"
	"time"
)

// Options are the limits of an [Exporter]. What is 0 has its default.
type Options struct {
	// FileBytes is the size at which a file is set aside and a new one begun; 64 MiB. A single
	// batch may make it larger.
	FileBytes int64
	// FileAge is the age at which a file is set aside, when a batch comes; 1 hour.
	FileAge time.Duration
	// MaxFiles, MaxBytes and MaxAge bound what the directory holds, of all processes
	// together: 1000 files, 1 GiB, and 7 days since a file was last written. The oldest go
	// first; the file that this process writes never goes.
	MaxFiles int
	MaxBytes int64
	MaxAge   time.Duration
	// Plain leaves files that are set aside as they are; the default compresses them
	// with gzip.
	Plain bool
}

// Stats is what became of an exporter's spans and files.
type Stats struct {
	Spans   uint64 // written
	Failed  uint64 // not written: the disk refused them, or they were no valid OTLP
	Bytes   uint64 // written, before compression
	Files   uint64 // begun
	Removed uint64 // files removed to keep the limits
	// Err is the latest error of writing, compressing or removing; nil when the
	// latest batch was written.
	Err error
}

// complete puts defaults in and says which field is wrong.
func (o Options) complete() (Options, error) {
	for _, f := range []struct {
		name string
		got  int64
	}{
		{"FileBytes", o.FileBytes}, {"FileAge", int64(o.FileAge)}, {"MaxFiles", int64(o.MaxFiles)},
		{"MaxBytes", o.MaxBytes}, {"MaxAge", int64(o.MaxAge)},
	} {
		if f.got < 0 {
			return o, fmt.Errorf("jsonlines: Options.%s: got %d, want 0 or more", f.name, f.got)
		}
	}
	o.FileBytes = cmp.Or(o.FileBytes, 64<<20)
	o.FileAge = cmp.Or(o.FileAge, time.Hour)
	o.MaxFiles = cmp.Or(o.MaxFiles, 1000)
	o.MaxBytes = cmp.Or(o.MaxBytes, 1<<30)
	o.MaxAge = cmp.Or(o.MaxAge, 7*24*time.Hour)
	return o, nil
}
