// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"cmp"
	"fmt"
	"io"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope/exporters/internal/guard"
	"github.com/toolscope/toolscope/exporters/internal/tailsample"
	"github.com/toolscope/toolscope/redact"
)

// Options configure [Setup]. The zero value works. Setup keeps no reference to a slice of it.
type Options struct {
	// ServiceName is service.name for when the environment does not set it
	// (OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES). "" is
	// "unknown_service:" and the name of the executable.
	ServiceName string
	// ServiceVersion is service.version for when OTEL_RESOURCE_ATTRIBUTES does
	// not set it. "" is the main module's version from the build, if it has one.
	ServiceVersion string
	// Attributes are attributes of the resource for when OTEL_RESOURCE_ATTRIBUTES
	// does not set them; nil is none.
	Attributes []attribute.KeyValue

	// Globals makes the providers and the propagator OpenTelemetry's global ones. What the
	// application made global before stays what it is: Setup builds nothing in its place, [Providers]
	// has the application's own, and Flush and Shutdown leave it alone. By default Setup leaves the
	// globals alone.
	Globals bool
	// Propagator is the propagator, whatever OTEL_PROPAGATORS says. nil is what that variable
	// says, and without it W3C trace context and baggage.
	Propagator propagation.TextMapPropagator

	// RingSpans is how many spans the ring keeps; 0 is 4096, below 0 makes no ring. The
	// ring is bounded to 2 KiB for each of them as well, 8 MiB by default: see [NewRing].
	RingSpans int
	// Consoles draw each trace as a tree, within a second after its local root
	// has ended. nil draws nothing, unless OTEL_TRACES_EXPORTER holds "console": then traces are drawn
	// on standard error, since the standard output of many tool servers carries their protocol.
	Consoles []ConsoleOptions
	// SpanProcessors are processors of the application's own; [Providers.Shutdown] shuts them
	// down. A nil one is an error. nil is none.
	SpanProcessors []sdktrace.SpanProcessor
	// TailSampling sends only traces that matter (errors, refusals, loops, panics, slow
	// calls, and what the application flagged) and a part of the others. Spans
	// are recorded all the same, and the ring and the application's own processors see all of them.
	// Where OTEL_TRACES_SAMPLER is set its sampler decides first, and what it
	// leaves out is never seen. A tracer provider that the application made global stays as it is.
	// nil sends everything; a pointer to the zero value keeps a tenth.
	TailSampling *TailSampling
	// Guard is how large what is sent may be: every span is made valid and small enough before it is
	// sent. The zero value is the default limits.
	Guard Limits
	// NoScrub leaves spans that other libraries made as they are. By default their texts pass Redactor
	// before anything else happens to them on the way to a destination, and when the ring is read. The
	// application's own SpanProcessors get all spans as they were made.
	NoScrub bool
	// Redactor redacts the texts of spans that other libraries made; nil is [redact.Default].
	Redactor *redact.Redactor
	// SpoolDir is a directory that keeps on disk what the destination of traces does not take, and
	// from which it is sent later, also after a restart. The exporter's own retries
	// are off then, since the spool's take their place, and what Flush and Shutdown do not deliver is no
	// error if it is on disk. Where traces are sent nowhere, nothing is kept. "" keeps nothing.
	SpoolDir string
	// Spool are the options of the spool; without SpoolDir they are an error. With WriteAhead spans
	// are sent every 50 ms, unless OTEL_BSP_SCHEDULE_DELAY says otherwise. A Timeout of 0
	// is OTEL_EXPORTER_OTLP_TIMEOUT.
	Spool SpoolOptions
	// Exporters are exporters of the application's own that get what is sent, each behind a queue and the
	// guard; [Providers.Shutdown] shuts them down. With SpoolDir, the first of them is the spool's
	// destination if the environment names none. A nil one is an error. nil is none.
	Exporters []sdktrace.SpanExporter
	// JSONLines writes what is sent to files of these directories as well, one OTLP JSON object a
	// line. It needs no endpoint. nil writes none.
	JSONLines []JSONLines

	// Dialects adds the attributes of other conventions to what is sent of tool calls and agents' runs: names
	// among "openinference", "langfuse" and "langsmith". The added values are copies of attributes that toolscope has
	// redacted and truncated. The recorded span, the ring and consoles stay as they are. The environment variable
	// TOOLSCOPE_DIALECTS, a list separated by commas, wins. nil adds none.
	Dialects []string

	// MetricReaders are readers of the application's own, such as a Prometheus exporter;
	// [Providers.Shutdown] shuts them down. A nil one is an error. nil is none.
	MetricReaders []sdkmetric.Reader
	// RuntimeMetrics adds the Go runtime's metrics (go.memory.used, go.goroutine.count and
	// others) by OpenTelemetry's own instrumentation. The default adds none.
	RuntimeMetrics bool

	// Logs makes [Providers.LoggerProvider] send log records where OTEL_LOGS_EXPORTER says: otlp
	// (which is meant if it is not set and there is an endpoint), console (JSON on standard error),
	// none, or a name registered with autoexport. [Providers.LogHandler] is the way there for
	// log/slog. The default sends no logs, whatever the environment says: toolscope does not redact
	// the application's log records.
	Logs bool
	// Events are the events of tool calls that are emitted as log records. Without Logs they are an error. The
	// zero value emits none.
	Events Events
}

// ConsoleOptions are a writer that traces are drawn on, with [WriteTree].
type ConsoleOptions struct {
	// Writer must not be nil. Setup writes to it from one goroutine at a time.
	Writer io.Writer
	// Tree is how a trace is drawn; the zero value works.
	Tree TreeOptions
}

// JSONLines is a directory that spans are written to, one OTLP JSON object a line. Limits that are 0 have
// their default.
type JSONLines struct {
	// Dir is the directory; it is made if it does not exist.
	Dir string
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

// Limits are how much is sent at most. What is 0 has the default.
type Limits struct {
	// Value is how many bytes an attribute's value or a status text may have; the
	// default is 64 KiB.
	Value int
	// Name is how many bytes a name of a span, an event or a scope, or an attribute's
	// key may have; the default is 1 KiB.
	Name int
	// Count is how many attributes, events and links a span may have, each, and how
	// many attributes each of those; the default is 1024.
	Count int
	// Span is how many bytes a span may take; the default is 1 MiB. The values of one
	// that takes more are cut until it does not.
	Span int
	// Batch is how many bytes are sent at once, each of which is in memory twice meanwhile.
	// It is at least Span and 512 KiB, for the resource and the scopes. The default is
	// 1.5 MiB, or what it must be at least, but no more than 3.5 MiB, since gRPC servers
	// take 4 MiB.
	Batch int
}

// SpoolOptions are the options of a spool. What is 0 has its default; below 0 is an error of [Setup].
type SpoolOptions struct {
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

// TailSampling says which traces are kept besides those that matter, what else matters, and
// how much is held while that is found out. The zero value keeps a tenth.
type TailSampling struct {
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

// KeepKey is an attribute with which the application makes a trace matter to tail sampling: set it to
// true on any span of the trace.
const KeepKey = tailsample.KeepKey

// HeadSampler is the sampler for a tracer provider of the application's own that uses
// [Providers.SpanProcessor] with tail sampling: every span is recorded, so that those that matter can be
// found among them. [Setup] gives it to the provider that it makes.
func HeadSampler() sdktrace.Sampler { return tailsample.Head() }

// SetSlow sets [TailSampling].Slow anew, for programs that know it only later: a recorder of statistics is
// made after the providers. It may be called at any time; nil finds no call slow. Without tail sampling it
// does nothing:
//
//	providers.SetSlow(scope.Stats().SlowerThan)
func (p *Providers) SetSlow(slow func(tool string) time.Duration) {
	if p != nil {
		p.sampler.SetSlow(slow)
	}
}

// defaultRing is how many spans the ring keeps by default.
const defaultRing = 4096

// checked returns the options with the defaults in place, or an error that names the first wrong field.
func (o Options) checked() (*Options, error) {
	wrong := func(field, got, want string) (*Options, error) {
		return nil, fmt.Errorf("exporters: Options.%s: got %s, want %s", field, got, want)
	}
	o.RingSpans = cmp.Or(o.RingSpans, defaultRing)
	if o.NoScrub && o.Redactor != nil {
		return wrong("Redactor", "a redactor with NoScrub", "one of them")
	}
	for i, c := range o.Consoles {
		if c.Writer == nil {
			return wrong(fmt.Sprintf("Consoles[%d].Writer", i), "nil", "a writer")
		}
	}
	for i, p := range o.SpanProcessors {
		if p == nil {
			return wrong(fmt.Sprintf("SpanProcessors[%d]", i), "nil", "a processor")
		}
	}
	for i, e := range o.Exporters {
		if e == nil {
			return wrong(fmt.Sprintf("Exporters[%d]", i), "nil", "an exporter")
		}
	}
	for i, r := range o.MetricReaders {
		if r == nil {
			return wrong(fmt.Sprintf("MetricReaders[%d]", i), "nil", "a reader")
		}
	}
	if o.SpoolDir == "" && o.Spool != (SpoolOptions{}) {
		return wrong("SpoolDir", `"" together with Options.Spool`, "a path")
	}
	if o.Events != (Events{}) && !o.Logs {
		return wrong("Logs", "false together with Options.Events", "true")
	}
	if err := o.chooseDialects(); err != nil {
		return nil, err
	}
	if err := guard.Limits(o.Guard).Validate(); err != nil {
		return nil, fmt.Errorf("exporters: Options.Guard: %w", err)
	}
	return &o, nil
}
