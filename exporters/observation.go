// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"os"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"

	"github.com/toolscope/toolscope/stats"
)

// A part is what spans pass or are kept in: a queue, an exporter, the sampler, the spool, the ring.
type part interface {
	component() stats.Component
	observe(*observation)
}

// slowExport is how long an export may take before it is a problem.
const slowExport = 5 * time.Second

func figure[N int | int64 | uint64 | float64](name string, n N) stats.Figure {
	return stats.Figure{Name: name, Value: float64(n)}
}

// scopeName is the name of the instrumentation scope of the metrics about exporting.
const scopeName = "github.com/toolscope/toolscope/exporters"

// batcherType is otel.component.type of our batcher. The conventions' own value for a
// batching processor is the SDK's.
const batcherType = scopeName + ".Batcher"

// component are the attributes of a component.
func component(kind, name string) []attribute.KeyValue {
	return []attribute.KeyValue{semconv.OTelComponentTypeKey.String(kind), semconv.OTelComponentName(name)}
}

// withErrorType is base with error.type, unless that is "".
func withErrorType(base []attribute.KeyValue, kind string) []attribute.KeyValue {
	if kind == "" {
		return base
	}
	return append(base[:len(base):len(base)], semconv.ErrorTypeKey.String(kind))
}

// sdkObserves reports whether the OTLP exporters tell these metrics themselves.
func sdkObserves() bool { return strings.EqualFold(os.Getenv("OTEL_GO_X_OBSERVABILITY"), "true") }

// instruments are those that are asked for their values.
type instruments struct {
	queue, capacity, inflight metric.Int64Observable
	processed, exported       metric.Int64Observable
	sampled, held             metric.Int64Observable
	mended, scrubbed          metric.Int64Observable
	size, waiting, dropped    metric.Int64Observable // of the spool
	ledger, lost              metric.Int64Observable
}

// An observation observes the instruments' values once.
type observation struct {
	*instruments
	to metric.Observer
}

// addValue observes a value with attributes and, unless it is "", error.type.
func (o *observation) addValue(what metric.Int64Observable, n int64, base []attribute.KeyValue, errorType string) {
	o.to.ObserveInt64(what, n, metric.WithAttributes(withErrorType(base, errorType)...))
}
