// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"cmp"
	"fmt"
	"time"
)

// Options are a spool's. What is 0 has its default; below 0 is an error of [New].
type Options struct {
	// WriteAhead writes every batch to the disk before it is sent. Without it, only what
	// the destination does not take at once is written.
	WriteAhead bool
	// Sync makes the system write each batch to the device (fsync) before it counts as
	// kept. Without it, what is kept survives the end of the process, however it ends, but not a
	// loss of power.
	Sync bool
	// MaxBytes is how large the directory may get; 256 MiB, and at least 64 KiB. At the limit the
	// oldest spans that did not fail go first, and those that failed only when there are no
	// others. Several processes share it: who holds more than an equal share makes room.
	// They learn of each other's bytes once a second, and may exceed it by what they
	// write in that time.
	MaxBytes int64
	// MaxAge is how long spans are kept; 24 hours.
	MaxAge time.Duration
	// MaxMemory is how many bytes of spans are kept in memory while the disk takes none; 8 MiB. What
	// comes on top is refused.
	MaxMemory int64
	// Patience is how long a batch that is not written ahead may take to be sent before it
	// is written; 200 ms. The request goes on: if it succeeds, the batch is not sent again.
	Patience time.Duration
	// Timeout is how long one request may take; 10 s. A client of OpenTelemetry's has a
	// timeout of its own besides (OTEL_EXPORTER_OTLP_TIMEOUT).
	Timeout time.Duration
	// MinBackoff and MaxBackoff are the time between two requests when the destination
	// fails: the first doubled after each failure up to the second, less a random part up to half of
	// it; 500 ms and 5 s. What the destination asks for is waited for, up to 5 minutes. Where
	// the configuration is at fault, such as credentials or the address, it is six times MaxBackoff,
	// at most 30 s.
	MinBackoff, MaxBackoff time.Duration
}

const minBytes = 64 << 10

// complete checks the options and fills in the defaults.
func (o Options) complete() (*Options, error) {
	for _, d := range []struct {
		name     string
		value    *time.Duration
		standard time.Duration
	}{
		{"MaxAge", &o.MaxAge, 24 * time.Hour}, {"Patience", &o.Patience, 200 * time.Millisecond},
		{"Timeout", &o.Timeout, 10 * time.Second},
		{"MinBackoff", &o.MinBackoff, 500 * time.Millisecond}, {"MaxBackoff", &o.MaxBackoff, 5 * time.Second},
	} {
		if *d.value < 0 {
			return nil, fmt.Errorf("spool: Options.%s: got %v, want a positive duration, or 0 for %v", d.name,
				*d.value, d.standard)
		}
		*d.value = cmp.Or(*d.value, d.standard)
	}
	for _, n := range []struct {
		name            string
		value           *int64
		least, standard int64
	}{{"MaxBytes", &o.MaxBytes, minBytes, 256 << 20}, {"MaxMemory", &o.MaxMemory, 1, 8 << 20}} {
		*n.value = cmp.Or(*n.value, n.standard)
		if *n.value < n.least {
			return nil, fmt.Errorf("spool: Options.%s: got %d, want at least %d bytes, or 0 for %d", n.name, *n.value,
				n.least, n.standard)
		}
	}
	if o.MinBackoff > o.MaxBackoff {
		return nil, fmt.Errorf("spool: Options.MinBackoff: got %v, want at most MaxBackoff, %v", o.MinBackoff, o.MaxBackoff)
	}
	return &o, nil
}
