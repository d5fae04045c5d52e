// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"strings"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
)

// The buckets of the exponential histograms, as OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION
// sets them: 160 keep percentiles within 4.4 % where durations span 1 ms to 10 s.
const (
	maxBuckets = 160
	maxScale   = 20
)

// exponentialDurations makes exponential histograms of durations that toolscope and the conventions for GenAI and
// MCP name, so that those of many processes can be added up. Only OTLP takes them everywhere: for other
// readers, those of the application included, nothing changes, and neither if the environment names an aggregation.
func exponentialDurations(o *Options) []sdkmetric.Option {
	otlp := get("OTEL_METRICS_EXPORTER") == "" || get("OTEL_METRICS_EXPORTER") == "otlp"
	if !otlp || len(o.MetricReaders) > 0 || get("OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION") != "" {
		return nil
	}
	view := func(i sdkmetric.Instrument) (sdkmetric.Stream, bool) {
		if i.Kind != sdkmetric.InstrumentKindHistogram || i.Unit != "s" || !named(i.Name) {
			return sdkmetric.Stream{}, false
		}
		return sdkmetric.Stream{
			Name: i.Name, Description: i.Description, Unit: i.Unit,
			Aggregation: sdkmetric.AggregationBase2ExponentialHistogram{MaxSize: maxBuckets, MaxScale: maxScale},
		}, true
	}
	return []sdkmetric.Option{sdkmetric.WithView(view)}
}

// named reports whether toolscope or a convention that it follows names a metric.
func named(metric string) bool {
	for _, prefix := range []string{"toolscope.", "gen_ai.", "mcp."} {
		if strings.HasPrefix(metric, prefix) {
			return true
		}
	}
	return false
}
