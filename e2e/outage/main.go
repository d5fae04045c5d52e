// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Outage is the program that the outage test runs and kills: an agent that makes calls without
// a pause, whose spans go to the OTLP endpoint of the environment by way of a spool. It
// writes each ended span to a separate file before any exporter receives it: the test looks
// for these spans later. On SIGTERM it sends the waiting spans and exits.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

func main() {
	dir := flag.String("spool", "", "the directory of the spool")
	journal := flag.String("journal", "", "the file that ended spans are written down in")
	every := flag.Duration("every", 5*time.Millisecond, "the time from one call to the next")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *dir, *journal, *every); err != nil {
		fmt.Fprintln(os.Stderr, "outage:", err)
		os.Exit(1)
	}
}

// callsPerTurn is how many calls each trace has.
const callsPerTurn = 20

func run(ctx context.Context, dir, path string, every time.Duration) error {
	j, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer j.Close()
	book := &journalist{file: j}
	providers, err := exporters.Setup(ctx, exporters.Options{
		ServiceName:    "outage",
		SpanProcessors: []sdktrace.SpanProcessor{book},
		SpoolDir:       dir, Spool: exporters.SpoolOptions{WriteAhead: true, MaxBackoff: 2 * time.Second},
	})
	if err != nil {
		return err
	}
	scope, err := toolscope.New(toolscope.Options{
		TracerProvider: providers.TracerProvider,
		MeterProvider:  providers.MeterProvider,
	})
	if err != nil {
		return err
	}
	registry := new(toolkit.Registry)
	err = registry.Register(toolkit.NewTool(toolkit.Definition{
		Name: "look", Description: "Looks.",
	}, func(_ context.Context, in struct{ N int }) (string, error) {
		if in.N%10 == 0 {
			return "", errors.New("nothing to see")
		}
		return fmt.Sprint("seen ", in.N), nil
	}))
	if err != nil {
		return err
	}
	handle := scope.WrapRegistry(registry)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for n := 0; ctx.Err() == nil; {
		turn, agent := scope.StartAgent(context.WithoutCancel(ctx), tracing.Agent{Name: "agent", Session: "s"})
		for range callsPerTurn {
			n++
			_, _ = handle(turn, toolkit.Call{ID: fmt.Sprint(n), Name: "look", Arguments: json.RawMessage(fmt.Sprintf(`{"N":%d}`, n))})
			<-tick.C
		}
		agent.End(nil)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
	defer cancel()
	return errors.Join(scope.Shutdown(ctx), providers.Shutdown(ctx), book.check(providers.Ledger()[0]))
}

// journalist writes down each span that ends: when, and its ids.
type journalist struct {
	file  *os.File
	spans atomic.Uint64
}

// check is an error if the ledger does not account for each span that was written down, or has lost one.
func (j *journalist) check(l exporters.Ledger) error {
	if n := j.spans.Load(); l.Ended != n || l.InMemory+l.DroppedSpans() > 0 || l.Ended+l.Found != l.Delivered+l.OnDisk {
		return fmt.Errorf("%d spans ended; the ledger is %+v, want each delivered or on disk", n, l)
	}
	return nil
}

func (j *journalist) OnStart(context.Context, sdktrace.ReadWriteSpan) {}
func (j *journalist) OnEnd(s sdktrace.ReadOnlySpan) {
	j.spans.Add(1)
	_, err := fmt.Fprintf(j.file, "%d %s %s\n", time.Now().UnixNano(), s.SpanContext().TraceID(), s.SpanContext().SpanID())
	if err != nil {
		panic(err) // then the test would prove nothing
	}
}
func (j *journalist) Shutdown(context.Context) error   { return nil }
func (j *journalist) ForceFlush(context.Context) error { return nil }
