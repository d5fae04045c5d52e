// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"runtime/metrics"
	"runtime/pprof"
	"syscall"
	"time"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/bench"
	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/toolkit"
)

// measure is one run in this process. Shutting down, which sends what is left, belongs to
// it.
func measure(ctx context.Context, s settings) error {
	wrap, closeAll := func(tool toolkit.Handler) toolkit.Handler { return tool }, func() error { return nil }
	if s.mode == "wrapped" {
		providers, err := exporters.Setup(ctx, exporters.Options{})
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
		wrap = func(tool toolkit.Handler) toolkit.Handler { return scope.Wrap(tool, toolkit.Lookup(bench.Lookup)) }
		closeAll = func() error {
			if err := scope.Shutdown(ctx); err != nil {
				return err
			}
			return providers.Shutdown(ctx)
		}
	}
	if s.profile != "" {
		out, err := os.Create(s.profile)
		if err != nil {
			return err
		}
		defer out.Close()
		if err := pprof.StartCPUProfile(out); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	f := newFleet(s, wrap)
	begin, used := time.Now(), bench.ProcessorTime()
	calls, err := f.run(ctx)
	took := time.Since(begin)
	if err != nil {
		return err
	}
	if err := closeAll(); err != nil {
		return err
	}
	used = bench.ProcessorTime() - used
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return err
	}
	each := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / float64(calls) }
	fmt.Fprintf(os.Stdout, "BenchmarkAgent/mode=%s \t%d\t%.0f ns/op\t%.0f cpu-ns/op\t%d p99-ns\t%d "+
		"p99-beyond-ns\t%d rss-B\t%.2f gc-%%\n",
		s.mode, calls, each(took), each(used), p99(f.took).Nanoseconds(), p99(f.beyond).Nanoseconds(),
		int64(u.Maxrss)*1024, 100*collecting())
	return nil
}

// collecting is the part of the processor time spent on Go code that went into collecting
// garbage.
func collecting() float64 {
	list := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}, {Name: "/cpu/classes/user:cpu-seconds"}}
	metrics.Read(list)
	gc, user := list[0].Value.Float64(), list[1].Value.Float64()
	return gc / max(gc+user, 1e-9)
}
