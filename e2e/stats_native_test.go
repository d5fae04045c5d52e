// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/exporters/statsprom"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/stats/statshttp"
	"github.com/toolscope/toolscope/toolkit"
)

// thousands serves a recorder with 20,000 calls of each of three tools, whose
// running times are spread in different ways.
func thousands(t *testing.T) (*stats.Recorder, string) {
	t.Helper()
	r, err := stats.New(stats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close(context.Background()) })
	rng := rand.New(rand.NewPCG(4, 2))
	spreads := map[string]func() float64{
		"log_normal": func() float64 { return math.Exp(rng.NormFloat64()*1.3 - 4) },
		"bimodal": func() float64 {
			if rng.IntN(50) == 0 {
				return 9 + rng.Float64()
			}
			return 90e-6 + rng.Float64()*40e-6
		},
		"even": func() float64 { return 0.02 + 3*rng.Float64() },
	}
	for name, seconds := range spreads {
		tool := &toolkit.Definition{Name: name}
		for i := range 20_000 {
			now := time.Now()
			e := &toolkit.Ended{
				Info:        toolkit.CallInfo{Tool: tool},
				Disposition: toolkit.Disposition{Run: time.Duration(seconds() * 1e9)},
				Start:       now,
				End:         now,
			}
			e.Info.Span = toolkit.SpanRef{
				TraceID: [16]byte{name[0], byte(i), byte(i >> 8)},
				SpanID:  [8]byte{name[0], byte(i), byte(i >> 8)},
				Sampled: i%10 == 0,
			}
			r.Begin(context.Background(), e.Call, &e.Info)
			r.End(context.Background(), e)
		}
	}
	h, err := statshttp.NewHandler(r, statshttp.Options{Metrics: statsprom.NewHandler})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return r, strings.TrimPrefix(server.URL, "http://")
}

// TestPrometheusAgrees lets a real Prometheus scrape thousands of calls, as native
// histograms and as classic ones, and compares what histogram_quantile makes of
// them with the recorder's percentiles: they differ by the width of the bucket at
// most.
func TestPrometheusAgrees(t *testing.T) {
	binary := program(t, "prometheus")
	recorder, target := thousands(t)
	summary := recorder.Summary(stats.Window{})
	for _, c := range []struct {
		name     string
		flags    []string
		quantile string                            // of a tool
		within   func(want, got float64) (ok bool) // in seconds
		exemplar string
	}{
		{
			"native", []string{"--enable-feature=native-histograms,exemplar-storage"},
			`histogram_quantile(%v, toolscope_run_seconds{tool=%q})`,
			// 16 buckets to a doubling, and 0.1 % of our own.
			func(want, got float64) bool { return math.Abs(math.Log2(got/want)) <= 1.0/16+0.002 },
			`toolscope_run_seconds{tool=%q}`,
		},
		{
			"classic", []string{"--enable-feature=exemplar-storage"},
			`histogram_quantile(%v, sum by (le) (toolscope_run_seconds_bucket{tool=%q}))`,
			func(want, got float64) bool {
				low, high := classicBucket(want)
				return low*0.998 <= got && got <= high*1.002
			},
			`toolscope_run_seconds_bucket{tool=%q}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := scrape(t, binary, target, c.flags...)
			var calls float64
			server.wait(t, func() (ok bool) {
				calls, ok = server.number("sum(toolscope_calls_total)")
				return ok
			})
			if calls != float64(summary.Overall.Calls) || calls != 60_000 {
				t.Errorf("Prometheus has %v calls, the summary %d", calls, summary.Overall.Calls)
			}
			for i := range summary.Tools {
				tool := &summary.Tools[i]
				for q, ms := range map[float64]float64{0.5: tool.P50Ms, 0.95: tool.P95Ms, 0.99: tool.P99Ms} {
					query := fmt.Sprintf(c.quantile, q, tool.Tool)
					got, ok := server.number(query)
					if !ok || !c.within(ms/1000, got) {
						t.Errorf(
							"%s: got %v s (%v), toolscope says %v s: further than the bucket is wide",
							query,
							got,
							ok,
							ms/1000,
						)
					}
					t.Logf(
						"%s p%v: toolscope %.6f s, Prometheus %.6f s (%+.2f %%)",
						tool.Tool,
						q*100,
						ms/1000,
						got,
						100*(got/(ms/1000)-1),
					)
				}
				var list []exemplar
				server.wait(t, func() bool {
					list = server.exemplars(fmt.Sprintf(c.exemplar, tool.Tool))
					return len(list) > 0
				})
				for _, e := range list {
					id, err := hex.DecodeString(e.Labels["trace_id"])
					if err != nil || len(id) != 16 || id[0] != tool.Tool[0] || len(e.Labels["span_id"]) != 16 ||
						e.Value <= 0 {
						t.Errorf("%s: got exemplar %+v, want the trace of one of its calls", tool.Tool, e)
					}
				}
				t.Logf("%s: %d exemplars", tool.Tool, len(list))
			}
		})
	}
}

// classicBucket is the classic bucket that a time falls into, in seconds.
func classicBucket(seconds float64) (low, high float64) {
	for _, bound := range []float64{
		1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 1e-2, 2.5e-2, 5e-2, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100,
	} {
		if seconds <= bound {
			return low, bound
		}
		low = bound
	}
	return low, math.Inf(1)
}
