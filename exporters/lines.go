// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"fmt"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope/exporters/jsonlines"
)

// jsonLines makes the exporters. With an error it returns what it had made before.
func (p *Providers) jsonLines(o *Options) (all []sdktrace.SpanExporter, err error) {
	for i, l := range o.JSONLines {
		e, err := jsonlines.New(l.Dir, l.Options)
		if err != nil {
			return all, fmt.Errorf("exporters: Options.JSONLines[%d]: %w", i, err)
		}
		all = append(all, p.watched(e, "jsonlines"))
	}
	return all, nil
}
