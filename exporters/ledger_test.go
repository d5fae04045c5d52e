// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope/exporters"
)

// even checks that a ledger adds up.
func even(t *testing.T, l exporters.Ledger) {
	t.Helper()
	if out := l.Delivered + l.OnDisk + l.InMemory + l.SampledOut + l.DroppedSpans(); l.Ended+l.Found != out ||
		l.InMemory > l.Ended+l.Found {
		t.Errorf("the ledger is not even: %+v", l)
	}
}

// Under load, with a sampler, a disk that fills up and a destination that comes and goes, no span is
// in two accounts or in none, and in the end every one is where the ledger says.
func TestLedgerIsExact(t *testing.T) {
	complaints(t)
	d := new(spanCounter)
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://"+serveTraces(t, d))
	dir, total := t.TempDir(), uint64(0)
	for _, ahead := range []bool{false, true} {
		o := fast
		o.WriteAhead, o.MaxBytes = ahead, 64<<10
		p := setup(t, exporters.Options{
			SpoolDir: dir, Spool: o, TailSampling: &exporters.TailSampling{Ratio: 0.5},
			Exporters: []sdktrace.SpanExporter{failing{}},
		})
		stop := make(chan struct{})
		var reader, all sync.WaitGroup
		reader.Go(func() {
			for {
				for _, l := range p.Ledger() {
					even(t, l)
				}
				select {
				case <-stop:
					return
				default:
				}
			}
		})
		for range 4 {
			all.Go(func() {
				for range 5_000 {
					record(p, "work")
				}
			})
		}
		all.Wait()
		ending, cancel := context.WithTimeout(t.Context(), time.Minute) // or a busy machine cuts a request off, which arrived
		_ = p.Shutdown(ending)                                          // the exporter that fails may be an error
		cancel()
		close(stop)
		reader.Wait()
		record(p, "late")
		for _, l := range p.Ledger() {
			even(t, l)
			if l.Ended < 40_000 || l.InMemory != 0 || l.SampledOut < 10_000 {
				t.Errorf("got %v", l)
			}
		}
		total += p.Ledger()[0].Delivered
		if got := uint64(d.spans.Load()); got != total {
			t.Errorf("the ledger says that %d spans were delivered, %d arrived", total, got)
		}
		if l := p.Ledger()[1]; l.Delivered != 0 || l.Dropped["failed"] == 0 {
			t.Errorf("an exporter that fails: got %v", l)
		}
	}
}

// failing is an exporter that takes nothing.
type failing struct{}

func (failing) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error {
	return errors.New("no")
}
func (failing) Shutdown(context.Context) error { return nil }

// The ledger is on health, in metrics, and in the log when the program ends. Spans of the process before
// are found.
func TestLedgerIsShown(t *testing.T) {
	complaints(t)
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://"+refused)
	var text bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&text, nil)))
	defer slog.SetDefault(before)
	o := fast
	o.WriteAhead = true
	dir, reader := t.TempDir(), sdkmetric.NewManualReader()
	first := setup(t, exporters.Options{SpoolDir: dir, Spool: o})
	record(first, "first")
	if err := first.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	p := setup(t, exporters.Options{SpoolDir: dir, Spool: o, MetricReaders: []sdkmetric.Reader{reader}})
	record(p, "second")
	const want = "spool: 2 ended, 2 found, 0 delivered, 4 on disk"
	eventually(t, "all is on disk", func() bool { return p.Ledger()[0].String() == want })
	var shown string
	for _, c := range p.Components() {
		if c.Name == "spans to spool" {
			figures, _ := c.Figures.MarshalJSON()
			shown = string(figures)
		}
	}
	if shown != `{"ended":2,"found":2,"delivered":0,"on_disk":4,"in_memory":0,"sampled_out":0}` {
		t.Errorf("health: got %s", shown)
	}
	var all metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	accounts := make(map[string]int64)
	for _, scope := range all.ScopeMetrics {
		for _, one := range scope.Metrics {
			if sum, ok := one.Data.(metricdata.Sum[int64]); ok && one.Name == "toolscope.self.ledger.spans" {
				for _, point := range sum.DataPoints {
					account, _ := point.Attributes.Value("toolscope.self.account")
					accounts[account.AsString()] = point.Value
				}
			}
		}
	}
	if accounts["ended"] != 2 || accounts["found"] != 2 || accounts["on_disk"] != 4 || len(accounts) != 6 {
		t.Errorf("metrics: got %v", accounts)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := p.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	if !strings.Contains(text.String(), "level=INFO msg=\"toolscope: spans to "+want) {
		t.Errorf("the log: got %s", text.String())
	}
}
