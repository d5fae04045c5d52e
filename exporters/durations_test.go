// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters_test

import (
	"net/http/httptest"
	"testing"

	"go.opentelemetry.io/otel/metric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	metricscollector "go.opentelemetry.io/proto/otlp/collector/metrics/v1"

	"github.com/toolscope/toolscope/exporters"
)

// Over OTLP the durations that toolscope and the conventions name are exponential histograms; others, and those that the
// environment or a reader of the host decides on, are not.
func TestDurationsAreExponential(t *testing.T) {
	const aggregation = "OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION"
	for name, c := range map[string]struct {
		environment string
		readers     []sdkmetric.Reader
		want        map[string]bool
	}{
		"default": {"", nil, map[string]bool{
			"gen_ai.execute_tool.duration": true, "toolscope.tool.run.duration": true, "mcp.client.operation.duration": true,
			"http.server.request.duration": false,
		}},
		"environment": {"explicit_bucket_histogram", nil, map[string]bool{"gen_ai.execute_tool.duration": false}},
		"a reader of the host": {"", []sdkmetric.Reader{sdkmetric.NewManualReader()}, map[string]bool{
			"gen_ai.execute_tool.duration": false,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			i := new(inbox)
			server := httptest.NewServer(i)
			defer server.Close()
			t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
			t.Setenv(aggregation, c.environment)
			p := setup(t, exporters.Options{MetricReaders: c.readers})
			for metricName := range c.want {
				h, err := p.MeterProvider.Meter("test").Float64Histogram(metricName, metric.WithUnit("s"))
				if err != nil {
					t.Fatal(err)
				}
				h.Record(t.Context(), 0.25)
			}
			if err := p.Shutdown(t.Context()); err != nil {
				t.Fatal(err)
			}
			var r metricscollector.ExportMetricsServiceRequest
			i.decode(t, "/v1/metrics", &r)
			got := map[string]bool{}
			for _, scope := range r.ResourceMetrics[0].ScopeMetrics {
				for _, m := range scope.Metrics {
					got[m.Name] = m.GetExponentialHistogram() != nil
				}
			}
			for metricName, want := range c.want {
				if exponential, sent := got[metricName]; !sent || exponential != want {
					t.Errorf("%s: got sent %v, exponential %v, want %v", metricName, sent, exponential, want)
				}
			}
		})
	}
}
