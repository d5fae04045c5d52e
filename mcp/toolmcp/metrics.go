// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/toolscope/toolscope/internal/keys"
	"github.com/toolscope/toolscope/internal/revision"
	"github.com/toolscope/toolscope/toolkit"
)

// buckets are the conventions' bounds for MCP, in seconds.
var buckets = []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300}

// The conventions' descriptions.
const (
	sentDuration = "The duration of the MCP request or notification as observed on the sender from the " +
		"time it was sent until the response or ack is received."
	receivedDuration = "MCP request or notification duration as observed on the receiver from the time it was " +
		"received until the result or ack is sent."
)

// metrics are the instruments of one side.
type metrics struct {
	operation, session metric.Float64Histogram
	clean              func(string) string // what a name passes before it leaves
	side               []attribute.KeyValue

	mu     sync.RWMutex
	cached map[labels][]metric.RecordOption
}

// labels are what tells the recordings of one middleware apart; names as they came.
type labels struct {
	method, tool, prompt, errorType, statusCode string

	version revision.Revision

	outcome toolkit.Outcome // of a tools/call

	http bool // as the request's headers say
}

// maxLabels bounds how many sets of labels are kept ready; others are made anew.
const maxLabels = 4096

// newMetrics makes the instruments of "client" or "server"; those that could be made
// stay usable.
func newMetrics(p metric.MeterProvider, side string, clean func(string) string) (*metrics, error) {
	meter := p.Meter(scopeName)
	m := &metrics{clean: clean, cached: map[labels][]metric.RecordOption{}}
	if side == keys.SideServer { // a proxy records the same metrics
		m.side = []attribute.KeyValue{keys.Side.String(side)}
	}
	var errs [2]error
	bounds := metric.WithExplicitBucketBoundaries(buckets...)
	if side == keys.SideServer {
		m.operation, errs[0] = meter.Float64Histogram("mcp.server.operation.duration", bounds, metric.WithUnit("s"),
			metric.WithDescription(receivedDuration))
		m.session, errs[1] = meter.Float64Histogram("mcp.server.session.duration", bounds, metric.WithUnit("s"),
			metric.WithDescription("The duration of the MCP session as observed on the MCP server."))
	} else {
		m.operation, errs[0] = meter.Float64Histogram("mcp.client.operation.duration", bounds, metric.WithUnit("s"),
			metric.WithDescription(sentDuration))
		m.session, errs[1] = meter.Float64Histogram("mcp.client.session.duration", bounds, metric.WithUnit("s"),
			metric.WithDescription("The duration of the MCP session as observed on the MCP client."))
	}
	return m, errors.Join(errs[:]...)
}

// record records an operation once: the same time and error.type as its span.
func (m *metrics) record(ctx context.Context, took time.Duration, l labels, network []attribute.KeyValue) {
	if m.operation.Enabled(ctx) {
		m.operation.Record(ctx, max(0, took).Seconds(), m.options(l, network)...)
	}
}

func (m *metrics) options(l labels, network []attribute.KeyValue) []metric.RecordOption {
	m.mu.RLock()
	options := m.cached[l]
	m.mu.RUnlock()
	if options != nil {
		return options
	}
	attrs := append(l.attributes(network, m.clean), m.side...)
	options = []metric.RecordOption{metric.WithAttributeSet(attribute.NewSet(attrs...))}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.cached) < maxLabels && len(l.tool) <= maxName && len(l.prompt) <= maxName {
		m.cached[l] = options
	}
	return options
}

func (l *labels) attributes(network []attribute.KeyValue, clean func(string) string) []attribute.KeyValue {
	attrs := []attribute.KeyValue{keys.Method.String(l.method)}
	if l.method == methodCallTool {
		attrs = append(attrs, keys.Operation.String("execute_tool"), keys.Outcome.String(l.outcome.String()))
	}
	for _, a := range []attribute.KeyValue{
		keys.ToolName.String(clean(l.tool)), keys.PromptName.String(clean(l.prompt)), keys.ErrorType.String(l.errorType),
		keys.StatusCode.String(l.statusCode), keys.ProtocolVersion.String(l.version.String()),
	} {
		if a.Value.AsString() != "" {
			attrs = append(attrs, a)
		}
	}
	return append(attrs, network...)
}
