// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/stats"
)

var update = flag.Bool("update", false, "rewrite examples/deploy/panels.md (make e2e-deploy)")

// built is a program that make e2e-deploy built from its Go module; "" where it was not.
func built(name string) string {
	path := filepath.Join(os.Getenv("TOOLSCOPE_BIN"), name)
	if _, err := os.Stat(path); err != nil || os.Getenv("TOOLSCOPE_BIN") == "" {
		return ""
	}
	return path
}

// A setup is a Prometheus with a configuration of examples/deploy and the flags that it names.
type setup struct {
	name, binary, config, features string
	native                         bool // it stores native histograms
}

const features3 = "exemplar-storage,created-timestamp-zero-ingestion"

// setups are Debian's Prometheus, and the newest where it was built.
func setups(t *testing.T) []setup {
	debian := program(t, "prometheus")
	all := []setup{
		{"2.42, native", debian, "prometheus-2.yml", "exemplar-storage,native-histograms", true},
		{"2.42, classic", debian, "prometheus-2.yml", "exemplar-storage", false},
	}
	if newest := built("prometheus"); newest != "" {
		all = append(all,
			setup{"3.15, native", newest, "prometheus.yml", features3, true},
			setup{"3.15, classic", newest, "prometheus-2.yml", features3, false},
			setup{"3.15, production", newest, "prometheus.production.yml", features3, true})
	}
	return all
}

// window is what the test has for each range of time in a query, which can be six hours.
const window = 10 * time.Second

var (
	ranges  = regexp.MustCompile(`\[(\d+[mhd]|\$__rate_interval)\]`)
	offsets = regexp.MustCompile(`offset \d+[mhd]`)
	holds   = regexp.MustCompile(`(?m)^ +for: \d+[mhd]\n`)
)

func hurry(query string) string {
	w := fmt.Sprintf("%.0fs", window.Seconds())
	return offsets.ReplaceAllString(ranges.ReplaceAllString(query, "["+w+"]"), "offset "+w)
}

// start runs the Prometheus of a setup. Addresses are replaced, and times in the rules are shorter. targets are
// the programs, their OpenTelemetry metrics, and collectors.
func (s *setup) start(t *testing.T, statistics, otel, collectors []string) *prometheus {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(deployDir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	rules := holds.ReplaceAllString(hurry(read("rules/toolscope.rules.yml")), "")
	// The condition of StatisticsNearlyFull is not made true: the recorder's memory is a sum of many bounds.
	rules = strings.Replace(rules, "toolscope_stats_max_bytes > 0.9", "toolscope_stats_max_bytes > 0", 1)
	static := func(addresses []string) string {
		if len(addresses) == 0 {
			return "static_configs: []"
		}
		return `static_configs: [{targets: ["` + strings.Join(addresses, `", "`) + `"]}]`
	}
	config := strings.NewReplacer(
		"rules/toolscope.rules.yml", write("rules.yml", rules),
		"/etc/prometheus/token", write("token", "unused"),
		"interval: 5s", "interval: 1s", "interval: 15s", "interval: 1s",
	).Replace(read(s.config))
	jobs := regexp.MustCompile(`(?s)(static_configs|dns_sd_configs):\n.*?(\n  -|\n  #|\z)`)
	for _, addresses := range [][]string{statistics, otel, nil, collectors} { // one after the other, as they stand
		at := jobs.FindStringSubmatchIndex(config)
		config = config[:at[0]] + static(addresses) + config[at[4]:]
	}
	p := &prometheus{t, freeAddress(t)}
	cmd := exec.Command(s.binary, "--config.file="+write("prometheus.yml", config),
		"--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+p.address,
		"--enable-feature="+s.features)
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("%s:\n%.4000s", s.name, log.String())
		}
	})
	return p
}

// A panel is what a dashboard asks.
type panel struct {
	board, title string
	queries      []string
}

// panels are those of the shipped dashboards, annotations and variables included, with the variables replaced as
// Grafana does it.
func panels(t *testing.T) (all []panel) {
	t.Helper()
	replace := strings.NewReplacer("$instance", ".*", "$tool", ".*", "$agent", ".*", "$side", "agent",
		"$slo", "0.99", "$__range", "20s")
	for _, board := range []string{"toolscope-stats", "toolscope-otel"} {
		text, err := os.ReadFile(filepath.Join("../exporters/grafana", board+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var b struct {
			Annotations struct {
				List []struct{ Name, Expr string }
			}
			Panels []struct {
				Title   string
				Targets []struct{ Expr string }
			}
		}
		if err := json.Unmarshal(text, &b); err != nil {
			t.Fatal(err)
		}
		for _, a := range b.Annotations.List {
			all = append(all, panel{board, "annotation: " + a.Name, []string{hurry(a.Expr)}})
		}
		for _, p := range b.Panels {
			one := panel{board: board, title: p.Title}
			for _, target := range p.Targets {
				one.queries = append(one.queries, hurry(replace.Replace(target.Expr)))
			}
			if len(one.queries) > 0 { // not a row
				all = append(all, one)
			}
		}
	}
	return all
}

// found reports whether a query has a value that can be drawn: a number or a native histogram.
func (p *prometheus) found(query string) bool {
	var answer struct {
		Status string
		Data   struct {
			Result []struct {
				Value     [2]any
				Histogram []any
			}
		}
	}
	if get(p.t, "http://"+p.address+"/api/v1/query?query="+url.QueryEscape(query), &answer) != nil {
		return false
	}
	for _, r := range answer.Data.Result {
		v, err := strconv.ParseFloat(fmt.Sprint(r.Value[1]), 64)
		if len(r.Histogram) > 0 || err == nil && !math.IsNaN(v) && !math.IsInf(v, 0) {
			return true
		}
	}
	return false
}

// alerts are all that are loaded; fired are those that have fired by now, as Prometheus recorded it.
func (p *prometheus) alerts() (all []string, fired map[string]bool) {
	var rules struct {
		Data struct {
			Groups []struct {
				Rules []struct{ Name, Type, LastError string }
			}
		}
	}
	var recorded struct {
		Data struct {
			Result []struct{ Metric map[string]string }
		}
	}
	query := url.QueryEscape(`count by (alertname) (count_over_time(ALERTS{alertstate="firing"}[10m]))`)
	if get(p.t, "http://"+p.address+"/api/v1/rules", &rules) != nil ||
		get(p.t, "http://"+p.address+"/api/v1/query?query="+query, &recorded) != nil {
		return nil, nil
	}
	for _, g := range rules.Data.Groups {
		for _, r := range g.Rules {
			if r.LastError != "" {
				p.t.Errorf("%s: %s", r.Name, r.LastError)
			}
			if r.Type == "alerting" {
				all = append(all, r.Name)
			}
		}
	}
	fired = make(map[string]bool)
	for _, r := range recorded.Data.Result {
		fired[r.Metric["alertname"]] = true
	}
	return all, fired
}

// TestPanels lets each Prometheus scrape a program that does everything, two collectors in trouble and a program
// that is not there, and evaluates all queries of the dashboards and all alerts. Each panel has data and each
// alert fires, whatever form of histograms Prometheus stores.
func TestPanels(t *testing.T) {
	all := setups(t)
	collectors := troubledCollectors(t)
	program := startBusy(t)
	servers := make([]*prometheus, len(all))
	for i := range all {
		servers[i] = all[i].start(t, []string{program.statistics, freeAddress(t)}, program.otel, collectors)
	}
	for _, p := range servers { // twice the window: before it gets worse, and after
		waitFor(t, "a window of calls", func() bool {
			return p.found(`count_over_time(toolscope_calls_total{tool="sudden", outcome="executed"}[2m]) > ` +
				strconv.Itoa(int(window.Seconds())+1))
		})
	}
	program.worse.Store(true)

	queries, table := panels(t), make(map[string][]string) // board and title: of each setup
	for i, p := range servers {
		t.Run(all[i].name, func(t *testing.T) {
			p.t = t
			empty := make(map[string]string) // queries without data yet, and their panels
			for _, q := range queries {
				for _, query := range q.queries {
					empty[query] = q.board + ": " + q.title
				}
			}
			var loaded []string
			var fired map[string]bool
			for deadline := time.Now().Add(90 * time.Second); ; {
				loaded, fired = p.alerts()
				maps.DeleteFunc(empty, func(query, _ string) bool { return p.found(query) })
				if len(empty) == 0 && len(loaded) > 0 && len(fired) == len(loaded) || time.Now().After(deadline) {
					break
				}
				time.Sleep(300 * time.Millisecond) // between two questions to another process
			}
			for query, title := range empty {
				t.Errorf("%s: no data: %s", title, query)
			}
			for _, name := range loaded {
				if !fired[name] {
					t.Errorf("%s: has not fired", name)
				}
			}
			if len(loaded) < 20 {
				t.Errorf("got %d alerts, want all of the file", len(loaded))
			}
			for _, q := range queries {
				key := q.board + " | " + q.title
				table[key] = append(table[key], yes(!slices.ContainsFunc(q.queries, func(query string) bool {
					return empty[query] != ""
				})))
			}
			for _, name := range loaded {
				key := "alert | " + name
				table[key] = append(table[key], yes(fired[name]))
			}
			t.Run("percentiles", func(t *testing.T) { checkP99(t, p, &all[i], program) })
			t.Run("exemplars", func(t *testing.T) { checkExemplars(t, p, queries) })
		})
	}
	checkTable(t, all, table)
}

func yes(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}

// checkP99 compares the panel "p99 by tool" with the summary of the same time.
func checkP99(t *testing.T, p *prometheus, s *setup, program *busyProgram) {
	at := slices.IndexFunc(panels(t), func(q panel) bool { return q.title == "p99 by tool" })
	minute := strings.ReplaceAll(panels(t)[at].queries[0], hurry("[1m]"), "[1m]")
	got, ok := p.number("(" + minute + `) and on (tool) toolscope_in_flight{tool="steady"}`)
	summary := program.scope.Stats().Summary(stats.Window{})
	for i := range summary.Tools {
		tool := &summary.Tools[i]
		if tool.Tool != "steady" {
			continue
		}
		want := tool.P99Ms / 1000
		low, high := want*math.Exp2(-1.0/16-0.002), want*math.Exp2(1.0/16+0.002) // the width of a native bucket
		if !s.native {
			low, high = classicBucket(want)
		}
		t.Logf("steady: p99 of Grafana's query %.4f s, of the summary %.4f s (%+.1f %%)", got, want, 100*(got/want-1))
		if !ok || got < low*0.998 || got > high*1.002 {
			t.Errorf("p99: got %v s (%v), want %v s within %v to %v", got, ok, want, low, high)
		}
		return
	}
	t.Error("the summary has no tool steady")
}

// checkExemplars asks for the exemplars as Grafana does: with the panel's whole query.
func checkExemplars(t *testing.T, p *prometheus, queries []panel) {
	for _, q := range queries {
		if q.board == "toolscope-stats" && (q.title == "Running time" || q.title == "p99 by tool") {
			list := p.exemplars(q.queries[0])
			if len(list) == 0 || len(list[0].Labels["trace_id"]) != 32 {
				t.Errorf("%s: got exemplars %v, want some with a trace_id, which leads to Jaeger", q.title, list)
			}
		}
	}
}

// checkTable compares examples/deploy/panels.md with what was found.
func checkTable(t *testing.T, all []setup, table map[string][]string) {
	var b strings.Builder
	b.WriteString("# Panels and alerts\n\n" +
		"Written by `make e2e-deploy UPDATE=-update`: whether each panel of the dashboards\n" +
		"had data, and each alert fired, with a program that does everything once.\n\n| | Prometheus ")
	for i := range all {
		b.WriteString("| " + all[i].name + " ")
	}
	b.WriteString("|\n| --- | --- " + strings.Repeat("| --- ", len(all)) + "|\n")
	for _, key := range slices.Sorted(maps.Keys(table)) {
		b.WriteString("| " + key + " | " + strings.Join(table[key], " | ") + " |\n")
	}
	path := filepath.Join(deployDir, "panels.md")
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]string) // of the file, by row and version
	var versions []string
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(line, "|\n"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if len(cells) > 2 && versions == nil {
			versions = cells[2:]
		} else if len(cells) == len(versions)+2 {
			for i, version := range versions {
				found[cells[0]+" | "+cells[1]+" | "+version] = cells[2+i]
			}
		}
	}
	for key, row := range table {
		for i, is := range row {
			if at := key + " | " + all[i].name; found[at] != is {
				t.Errorf("%s: %s: got %q, want %q: make e2e-deploy UPDATE=-update", path, at, found[at], is)
			}
		}
	}
}

// troubledCollectors are a collector whose Jaeger is not there and whose queue fills, and one without memory. It
// returns the addresses of their own metrics. Spans are sent to both until the test ends.
func troubledCollectors(t *testing.T) []string {
	binary := built("collector")
	if binary == "" {
		binary = jaegerBinary(t)
	}
	var takers, own []string
	for _, env := range [][]string{
		{"JAEGER=" + freeAddress(t), "QUEUE_BATCHES=4"},
		{"JAEGER=" + freeAddress(t), "MEMORY_MIB=4", "MEMORY_SPIKE_MIB=1"},
	} {
		http, self := freeAddress(t), freeAddress(t)
		deploy(t, binary, "collector.yaml collector-look.yaml", freeAddress(t), append(env, "OTLP_GRPC="+freeAddress(t),
			"OTLP_HTTP="+http, "SPANMETRICS="+freeAddress(t), "SELF_PORT="+self[strings.LastIndex(self, ":")+1:])...)
		takers, own = append(takers, http), append(own, self)
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for n := 0; ; n++ {
			span := fmt.Sprintf(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"%032x","spanId":"%016x",`+
				`"name":"work","kind":1,"startTimeUnixNano":"1","endTimeUnixNano":"2","status":{"code":2}}]}]}]}`, n+1, n+1)
			for _, address := range takers {
				if res, err := http.Post("http://"+address+"/v1/traces", "application/json",
					strings.NewReader(span)); err == nil {
					res.Body.Close()
				}
			}
			select {
			case <-stop:
				return
			case <-time.After(50 * time.Millisecond):
			}
		}
	}()
	t.Cleanup(func() { close(stop); <-stopped })
	return own
}
