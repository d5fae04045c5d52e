// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"context"
	"log/slog"
	"slices"

	"go.opentelemetry.io/contrib/bridges/otelslog"
	"go.opentelemetry.io/otel/trace"
)

// LogHandler hands slog's records to [Providers.LoggerProvider], with the ids of the span of
// their context, by OpenTelemetry's own bridge. The name is the instrumentation's, such as the
// import path of who logs. Without [Options].Logs, and for nil providers, records go nowhere.
func (p *Providers) LogHandler(name string) slog.Handler {
	if p == nil || p.LoggerProvider == nil {
		return slog.DiscardHandler
	}
	return otelslog.NewHandler(name, otelslog.WithLoggerProvider(p.LoggerProvider))
}

// CorrelateLogs returns a handler that adds trace_id, span_id and trace_flags to the records that
// are logged with the context of a span, outside of all groups, and hands them to next. So
// a log that goes where it always went tells which trace a line belongs to. The
// names are those that OpenTelemetry gives for logs in other formats
// (https://opentelemetry.io/docs/specs/otel/compatibility/logging_trace_context/). A
// nil next is [slog.DiscardHandler].
func CorrelateLogs(next slog.Handler) slog.Handler {
	if next == nil {
		return slog.DiscardHandler
	}
	return &correlating{next: next}
}

// correlating keeps the groups that were opened to itself, since what next adds to a record
// stands within the groups that it knows of.
type correlating struct {
	next slog.Handler
	open []group // the outermost first
}

// group is one that was opened, with the attributes added since.
type group struct {
	name  string
	attrs []slog.Attr
}

func (h *correlating) Enabled(ctx context.Context, l slog.Level) bool { return h.next.Enabled(ctx, l) }

// Handle adds the span's ids.
func (h *correlating) Handle(ctx context.Context, r slog.Record) error {
	out := r
	if len(h.open) > 0 {
		out = slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
		var attrs []slog.Attr
		r.Attrs(func(a slog.Attr) bool { attrs = append(attrs, a); return true })
		for _, g := range slices.Backward(h.open) {
			attrs = []slog.Attr{slog.GroupAttrs(g.name, slices.Concat(g.attrs, attrs)...)}
		}
		out.AddAttrs(attrs...)
	} else {
		out = r.Clone()
	}
	if sc := trace.SpanContextFromContext(ctx); sc.IsValid() {
		out.AddAttrs(slog.String("trace_id", sc.TraceID().String()), slog.String("span_id", sc.SpanID().String()),
			slog.String("trace_flags", sc.TraceFlags().String()))
	}
	return h.next.Handle(ctx, out)
}

// WithAttrs adds to the innermost group.
func (h *correlating) WithAttrs(attrs []slog.Attr) slog.Handler {
	if len(attrs) == 0 {
		return h
	}
	if len(h.open) == 0 {
		return &correlating{next: h.next.WithAttrs(attrs)}
	}
	open := slices.Clone(h.open)
	last := &open[len(open)-1]
	last.attrs = slices.Concat(last.attrs, attrs)
	return &correlating{h.next, open}
}

// WithGroup opens a group; one without a name is none.
func (h *correlating) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	return &correlating{h.next, append(slices.Clip(h.open), group{name: name})}
}
