// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statsprom

import (
	"errors"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/toolscope/toolscope/internal/histogram"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
)

// maxScrapes is how many scrapes are answered at once.
const maxScrapes = 4

var errNoRecorder = errors.New("statsprom: got a nil *stats.Recorder, want one that stats.New made")

// NewHandler serves the recorder's metrics and no others, for
// [statshttp.Options].Metrics. At most four scrapes are answered at once.
func NewHandler(recorder *stats.Recorder) (http.Handler, error) {
	c, err := NewCollector(recorder)
	if err != nil {
		return nil, err
	}
	registry := prometheus.NewRegistry()
	if err := registry.Register(c); err != nil {
		return nil, err
	}
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{EnableOpenMetrics: true, MaxRequestsInFlight: maxScrapes}), nil
}

// NewCollector makes a collector of the recorder's metrics, for your
// application's registry. It is safe for concurrent use. Each collection reads all that the
// recorder ever counted, which takes milliseconds.
func NewCollector(recorder *stats.Recorder) (prometheus.Collector, error) {
	if recorder == nil {
		return nil, errNoRecorder
	}
	return &collector{recorder}, nil
}

type collector struct{ recorder *stats.Recorder }

// The metrics. Names and labels are the contract with dashboards: see
// exporters/grafana.
var (
	calls    = desc("calls_total", "Calls that ended, by how they came to their end.", "tool", "outcome")
	failures = desc("errors_total", "Calls that ended with an error.", "tool", "error_type")
	run      = desc("run_seconds", "Time inside the tool, of calls that ran.", "tool")
	waits    = desc("waits_total", "Calls that waited, by what for.", "tool", "wait")
	waitTime = desc("wait_seconds_total", "Time that calls waited, by what for.", "tool", "wait")
	inFlight = desc("in_flight", "Calls that have begun and not ended.", "tool")
	streak   = desc("error_streak", "Calls in a row that failed until now.", "tool")
	cost     = desc("cost_total", "Cost of calls as the tools declare it.", "tool")
	policies = desc("policies_total", "Calls of which a policy told this fact.", "tool", "key", "value")
	held     = desc("stats_bytes", "About what the statistics hold in memory.")
	heldMax  = desc("stats_max_bytes", "What the statistics can hold in memory at most.")
)

// columns are the counters of tools that have a metric, by their places in [stats.Counters], whose
// fields name them.
var columns = func() map[int]*prometheus.Desc {
	descs := make(map[int]*prometheus.Desc)
	for i, f := range reflect.VisibleFields(reflect.TypeFor[stats.Counters]()) {
		if name := f.Tag.Get("metric"); name != "" {
			descs[i] = desc(name, f.Tag.Get("help"), "tool")
		}
	}
	return descs
}()

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("toolscope_"+name, help, labels, nil)
}

// Describe sends the descriptions of all metrics.
func (c *collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{calls, failures, run, waits, waitTime, inFlight, streak, cost, policies, held, heldMax} {
		ch <- d
	}
	for _, d := range columns {
		ch <- d
	}
}

// Collect sends what the recorder knows.
func (c *collector) Collect(ch chan<- prometheus.Metric) {
	s := c.recorder.Snapshot(stats.Window{})
	for i := range s.Tools {
		collect(ch, &s.Tools[i])
	}
	limits := c.recorder.Limits()
	gauge(ch, held, float64(limits.Bytes))
	gauge(ch, heldMax, float64(limits.MaxBytes))
}

// collect sends the metrics of a tool. Those of policies are left out until there is
// something to count, but for outcomes and errors, whose rates need their zeros.
func collect(ch chan<- prometheus.Metric, t *stats.ToolSnapshot) {
	tool := label(t.Tool)
	for _, o := range toolkit.Outcomes() {
		counter(ch, calls, float64(t.Outcome(o).Count()), tool, o.String())
	}
	for _, e := range t.ErrorTypes {
		counter(ch, failures, float64(e.Count), tool, label(e.Type))
	}
	ch <- &runTimes{tool: tool, of: (*histogram.Histogram)(t.Executed), exemplars: t.Exemplars}
	histograms := reflect.ValueOf(t.Histograms)
	for i := range histograms.NumField() {
		wait, h := histograms.Type().Field(i).Tag.Get("wait"), histograms.Field(i).Interface().(*stats.Histogram)
		if wait != "" && h.Count() > 0 {
			counter(ch, waits, float64(h.Count()), tool, wait)
			counter(ch, waitTime, h.Sum().Seconds(), tool, wait)
		}
	}
	gauge(ch, inFlight, float64(max(0, t.InFlight)), tool)
	gauge(ch, streak, float64(t.Streak), tool)
	counters := reflect.ValueOf(t.Counters)
	for i, d := range columns {
		optional := strings.Contains(counters.Type().Field(i).Tag.Get("json"), ",omitempty")
		if n := counters.Field(i).Uint(); n > 0 || !optional {
			counter(ch, d, float64(n), tool)
		}
	}
	if t.Cost > 0 {
		counter(ch, cost, t.Cost, tool)
	}
	for _, p := range t.Policies {
		counter(ch, policies, float64(p.Count), tool, label(p.Key), label(p.Value))
	}
}

func counter(ch chan<- prometheus.Metric, d *prometheus.Desc, v float64, labels ...string) {
	send(ch, d, prometheus.CounterValue, v, labels)
}

func gauge(ch chan<- prometheus.Metric, d *prometheus.Desc, v float64, labels ...string) {
	send(ch, d, prometheus.GaugeValue, v, labels)
}

func send(ch chan<- prometheus.Metric, d *prometheus.Desc, kind prometheus.ValueType, v float64, labels []string) {
	m, err := prometheus.NewConstMetric(d, kind, v, labels...)
	if err != nil {
		m = prometheus.NewInvalidMetric(d, err)
	}
	ch <- m
}

// label is a name as the value of a label: as it is where it is plain text, else as a
// quoted Go string. Different names stay different, since only quoted ones have a
// backslash.
func label(name string) string {
	plain := utf8.ValidString(name) && !strings.Contains(name, `\`) &&
		strings.IndexFunc(name, func(r rune) bool { return !unicode.IsGraphic(r) }) < 0
	if plain {
		return name
	}
	return strconv.QuoteToGraphic(name)
}
