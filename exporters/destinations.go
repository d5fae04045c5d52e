// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"context"
	"fmt"
	"strings"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope/exporters/internal/jsonlines"
	"github.com/toolscope/toolscope/exporters/internal/spool"
)

// A destination makes the exporters of one kind that the environment and the options ask for. With an
// error it returns what it had made before.
type destination func(*Providers, context.Context, *Options) ([]sdktrace.SpanExporter, error)

// added are the destinations that options add, whether or not a configuration file says where else
// spans go. An exporter that is not among those of OTEL_TRACES_EXPORTER is a constructor and a row here: its
// queue, guard, metrics, health and shutdown follow.
var added = []destination{(*Providers).jsonLines, (*Providers).given}

// makeExporters makes the exporters of all destinations, and shuts them down if one of them cannot be
// made: they have sent nothing.
func (p *Providers) makeExporters(ctx context.Context, o *Options,
	all ...destination) (exporters []sdktrace.SpanExporter, err error) {
	for _, make := range all {
		made, err := make(p, ctx, o)
		exporters = append(exporters, made...)
		if err != nil {
			shutAll(ctx, exporters)
			return nil, err
		}
	}
	return exporters, nil
}

func shutAll(ctx context.Context, exporters []sdktrace.SpanExporter) {
	for _, e := range exporters {
		_ = e.Shutdown(ctx) // it has sent nothing
	}
}

// jsonLines makes the exporters of [Options].JSONLines.
func (p *Providers) jsonLines(_ context.Context, o *Options) (all []sdktrace.SpanExporter, err error) {
	for i, l := range o.JSONLines {
		e, err := jsonlines.New(l.Dir, jsonlines.Options{
			FileBytes: l.FileBytes, FileAge: l.FileAge, MaxFiles: l.MaxFiles, MaxBytes: l.MaxBytes, MaxAge: l.MaxAge,
			Plain: l.Plain,
		})
		if err != nil {
			return all, fmt.Errorf("exporters: Options.JSONLines[%d]: %w", i, err)
		}
		all = append(all, p.watched(e, "jsonlines"))
	}
	return all, nil
}

// given are the application's own, [Options].Exporters.
func (p *Providers) given(_ context.Context, o *Options) (all []sdktrace.SpanExporter, err error) {
	for _, e := range o.Exporters {
		kept, err := p.custom(o, e)
		if err != nil {
			return append(all, e), err
		}
		all = append(all, kept)
	}
	return all, nil
}

// custom watches an exporter that is not made here, behind the spool if that has no other destination.
func (p *Providers) custom(o *Options, e sdktrace.SpanExporter) (sdktrace.SpanExporter, error) {
	kind := strings.TrimPrefix(fmt.Sprintf("%T", e), "*")
	if o.SpoolDir == "" || p.spool != nil {
		return p.watched(e, kind), nil
	}
	return p.spooled(o, spool.Around(e), kind, timeoutOf("TRACES"))
}
