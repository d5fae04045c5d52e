// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statsprom

import (
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
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
func NewHandler(recorder *stats.Recorder) (http.Handler, error) { return newHandler(recorder, nil) }

// WithHealth is [NewHandler] for metrics that also tell what the sources report of their components, such as
// the ledger of spans of exporters.Providers:
//
//	statshttp.Options{Metrics: statsprom.WithHealth(providers)}
//
// A handler of package statshttp, such as that of toolscope.Scope, adds all that its /healthz reports: policies and their
// shared stores, too.
func WithHealth(sources ...stats.HealthSource) func(*stats.Recorder) (http.Handler, error) {
	return func(recorder *stats.Recorder) (http.Handler, error) {
		h := &health{sources: slices.Clone(sources)}
		handler, err := newHandler(recorder, h)
		if err != nil {
			return nil, err
		}
		return &withHealth{handler, h}, nil
	}
}

// withHealth is a handler that also tells what sources report.
type withHealth struct {
	http.Handler
	health *health
}

// AddHealth adds a source. Package statshttp calls it.
func (h *withHealth) AddHealth(source stats.HealthSource) { h.health.addSource(source) }

// newHandler makes a handler of the recorder's metrics, and of those of h unless it is nil.
func newHandler(recorder *stats.Recorder, h *health) (http.Handler, error) {
	c, err := NewCollector(recorder)
	if err != nil {
		return nil, err
	}
	registry := prometheus.NewRegistry()
	all := []prometheus.Collector{c}
	if h != nil {
		all = append(all, h)
	}
	for _, c := range all {
		if err := registry.Register(c); err != nil {
			return nil, err
		}
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
	sink := &sink{ch, s.From}
	for i := range s.Tools {
		sink.collect(&s.Tools[i])
	}
	limits := c.recorder.Limits()
	sink.gauge(held, float64(limits.Bytes))
	sink.gauge(heldMax, float64(limits.MaxBytes))
}

// A sink takes the metrics of a collection.
type sink struct {
	ch      chan<- prometheus.Metric
	created time.Time // when all counters were 0
}

// collect sends the metrics of a tool. Those of policies are left out until there is
// something to count, but for outcomes and errors, whose rates need their zeros.
func (s *sink) collect(t *stats.ToolSnapshot) {
	tool := label(t.Tool)
	for _, o := range toolkit.Outcomes() {
		s.counter(calls, float64(t.Outcome(o).Count()), tool, o.String())
	}
	for _, e := range t.ErrorTypes {
		s.counter(failures, float64(e.Count), tool, label(e.Type))
	}
	s.ch <- &runTimes{tool: tool, created: s.created, of: (*histogram.Histogram)(t.Executed), exemplars: t.Exemplars}
	histograms := reflect.ValueOf(t.Histograms)
	for i := range histograms.NumField() {
		wait, h := histograms.Type().Field(i).Tag.Get("wait"), histograms.Field(i).Interface().(*stats.Histogram)
		if wait != "" && h.Count() > 0 {
			s.counter(waits, float64(h.Count()), tool, wait)
			s.counter(waitTime, h.Sum().Seconds(), tool, wait)
		}
	}
	s.gauge(inFlight, float64(max(0, t.InFlight)), tool)
	s.gauge(streak, float64(t.Streak), tool)
	counters := reflect.ValueOf(t.Counters)
	for i, d := range columns {
		optional := strings.Contains(counters.Type().Field(i).Tag.Get("json"), ",omitempty")
		if n := counters.Field(i).Uint(); n > 0 || !optional {
			s.counter(d, float64(n), tool)
		}
	}
	if t.Cost > 0 {
		s.counter(cost, t.Cost, tool)
	}
	for _, p := range t.Policies {
		s.counter(policies, float64(p.Count), tool, label(p.Key), label(p.Value))
	}
}

func (s *sink) counter(d *prometheus.Desc, v float64, labels ...string) {
	m, err := prometheus.NewConstMetricWithCreatedTimestamp(d, prometheus.CounterValue, v, s.created, labels...)
	s.send(d, m, err)
}

func (s *sink) gauge(d *prometheus.Desc, v float64, labels ...string) {
	m, err := prometheus.NewConstMetric(d, prometheus.GaugeValue, v, labels...)
	s.send(d, m, err)
}

func (s *sink) send(d *prometheus.Desc, m prometheus.Metric, err error) {
	if err != nil {
		m = prometheus.NewInvalidMetric(d, err)
	}
	s.ch <- m
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
