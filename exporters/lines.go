// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"fmt"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope/exporters/jsonlines"
)

// WithJSONLines writes what is sent to files of a directory as well, one OTLP JSON object a line:
// see package jsonlines. It needs no endpoint. The default writes none.
func WithJSONLines(dir string, o jsonlines.Options) Option {
	return func(c *config) error { c.lines = append(c.lines, jsonLines{dir, o}); return nil }
}

// jsonLines is what [WithJSONLines] was given.
type jsonLines struct {
	dir     string
	options jsonlines.Options
}

// jsonLines makes the exporters. With an error it returns what it had made before.
func (p *Providers) jsonLines(c *config) (all []sdktrace.SpanExporter, err error) {
	for _, l := range c.lines {
		e, err := jsonlines.New(l.dir, l.options)
		if err != nil {
			return all, fmt.Errorf("exporters: WithJSONLines: %w", err)
		}
		all = append(all, p.watched(e, "jsonlines"))
	}
	return all, nil
}
