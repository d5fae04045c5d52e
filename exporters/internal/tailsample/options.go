// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tailsample

import (
	"cmp"
	"fmt"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// Options say which traces are kept besides those that matter, what else matters, and
// how much is held while that is found out. The zero value keeps a tenth.
type Options struct {
	// Ratio is the part of the other traces that is kept, at most 1; 0 is the
	// default, 0.1; below 0 none is kept.
	Ratio float64
	// PerSecond is how many of the other traces are kept a second, on the average of
	// the last ten seconds: the ratio is lowered as they become more. After a
	// quiet time ten seconds' worth may come at once. 0, the default, is no limit.
	// What matters is not limited.
	PerSecond float64
	// FollowParent keeps every trace that a remote parent sampled, whatever the ratio. The
	// default, false, samples them like those that begin here. What a remote parent
	// did not sample is kept only where it matters.
	FollowParent bool

	// Keep says whether a span that ended makes its trace matter, beside what is
	// built in. It is called on the goroutine that ends the span. The default, nil,
	// says no.
	Keep func(sdktrace.ReadOnlySpan) bool
	// Slow is the time beyond which a call of the tool is slower than usual, as the 99th
	// percentile of its calls; 0 if that is not known. It is called for each span of an
	// executed call, on the goroutine that ends it, and must not take long. The
	// default, nil, finds no call slow.
	Slow func(tool string) time.Duration
	// SlowerThan makes every executed call that ran longer matter, whatever is usual for its tool: a
	// lasting slowdown becomes usual. 0, the default, is no such limit.
	SlowerThan time.Duration

	// MaxTraces is how many traces are followed at once; 0 is the default, 8192. The
	// one followed for longest is judged early and forgotten when there are more.
	MaxTraces int
	// MaxSpans is how many spans of one trace are held; 0 is the default, 4096. A
	// trace with more is judged early.
	MaxSpans int
	// MaxBytes is about how many bytes the spans held may take; 0 is the default, 64
	// MiB. The traces held for longest are judged early when there are more.
	MaxBytes int
	// MaxAge is how long spans are held; 0 is the default, 5 minutes. Then their trace
	// is judged early.
	MaxAge time.Duration
	// MaxDecided is how many decisions are remembered for spans that come late; 0 is
	// the default, 16384. The oldest goes first.
	MaxDecided int
}

// orDefault is a copy with the defaults filled in. An error names the field.
func (o Options) orDefault() (Options, error) {
	if !(o.Ratio <= 1) {
		return o, fmt.Errorf("tailsample: Options.Ratio: got %v, want at most 1", o.Ratio)
	}
	if !(o.PerSecond >= 0) {
		return o, fmt.Errorf("tailsample: Options.PerSecond: got %v, want 0 or more", o.PerSecond)
	}
	if o.SlowerThan < 0 {
		return o, fmt.Errorf("tailsample: Options.SlowerThan: got %v, want 0 or more", o.SlowerThan)
	}
	for _, f := range []struct {
		name string
		n    *int
		def  int
	}{{"MaxTraces", &o.MaxTraces, 8192}, {"MaxSpans", &o.MaxSpans, 4096}, {"MaxBytes", &o.MaxBytes, 64 << 20},
		{"MaxDecided", &o.MaxDecided, 16384}} {
		if *f.n < 0 {
			return o, fmt.Errorf("tailsample: Options.%s: got %d, want 0 or more", f.name, *f.n)
		}
		*f.n = cmp.Or(*f.n, f.def)
	}
	if o.MaxAge < 0 {
		return o, fmt.Errorf("tailsample: Options.MaxAge: got %v, want 0 or more", o.MaxAge)
	}
	o.MaxAge = cmp.Or(o.MaxAge, 5*time.Minute)
	o.Ratio = cmp.Or(o.Ratio, 0.1)
	return o, nil
}
