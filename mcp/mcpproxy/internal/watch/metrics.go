// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/toolscope/toolscope/internal/keys"
	"github.com/toolscope/toolscope/internal/revision"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/wire"
	"github.com/toolscope/toolscope/toolkit"
)

// durations are the conventions' bounds for MCP, in seconds.
var durations = []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300}

// metrics are the proxy's instruments.
type metrics struct {
	operation, session metric.Float64Histogram
	observations       metric.Int64Counter

	mu     sync.Mutex
	cached map[labels]metric.MeasurementOption
}

// labels are what tells the recordings of operations apart.
type labels struct {
	method, name, errorType, code string
	version                       revision.Revision
	http                          bool
	outcome                       toolkit.Outcome // of a call of a tool
}

// maxLabels bounds how many sets of labels are kept ready; others are made anew.
const maxLabels = 4096

// newMetrics makes the instruments; those that could be made stay usable.
func newMetrics(p metric.MeterProvider) (*metrics, error) {
	meter := p.Meter(scopeName)
	m := &metrics{cached: map[labels]metric.MeasurementOption{}}
	var errs [3]error
	m.operation, errs[0] = meter.Float64Histogram("mcp.server.operation.duration", metric.WithUnit("s"),
		metric.WithExplicitBucketBoundaries(durations...),
		metric.WithDescription("MCP request or notification duration as observed on the receiver from the time "+
			"it was received until the result or ack is sent."))
	m.session, errs[1] = meter.Float64Histogram("mcp.server.session.duration", metric.WithUnit("s"),
		metric.WithExplicitBucketBoundaries(durations...),
		metric.WithDescription("The duration of the MCP session as observed on the MCP server."))
	m.observations, errs[2] = meter.Int64Counter("toolscope.mcp.observations", metric.WithUnit("{observation}"),
		metric.WithDescription("What a proxy noticed on the wire, by kind."))
	return m, errors.Join(errs[:]...)
}

// record records an operation once: the same time and error.type as its span.
func (m *metrics) record(ctx context.Context, took time.Duration, l labels) {
	if !m.operation.Enabled(ctx) {
		return
	}
	m.mu.Lock()
	option := m.cached[l]
	if option == nil {
		option = metric.WithAttributeSet(attribute.NewSet(l.attributes()...))
		if len(m.cached) < maxLabels {
			m.cached[l] = option
		}
	}
	m.mu.Unlock()
	m.operation.Record(ctx, max(0, took).Seconds(), option)
}

func (l *labels) attributes() []attribute.KeyValue {
	attrs := append(networkOf(l.http), keys.Side.String(keys.SideProxy))
	add := func(k attribute.Key, v string) {
		if v != "" {
			attrs = append(attrs, k.String(v))
		}
	}
	add(keys.Method, l.method)
	switch l.method {
	case wire.MethodCallTool:
		add(keys.Operation, executeTool)
		add(keys.Outcome, l.outcome.String())
		add(keys.ToolName, l.name)
	case "prompts/get":
		add(keys.PromptName, l.name)
	}
	add(keys.ErrorType, l.errorType)
	add(keys.StatusCode, l.code)
	add(keys.ProtocolVersion, l.version.String())
	return attrs
}

// networkOf describes the transport: HTTP, or pipes.
func networkOf(http bool) []attribute.KeyValue {
	if http {
		return []attribute.KeyValue{keys.Transport.String("tcp"), keys.ProtocolName.String("http")}
	}
	return []attribute.KeyValue{keys.Transport.String("pipe")}
}
