// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package hostile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/toolkit"
)

// A hostileCase is a way to misbehave, and the end of it.
type hostileCase struct {
	name   string
	manner manner
	spool  bool
	// disk and mend do something to the spool's directory; nil does nothing.
	disk, mend func(dir string) error
	silent     bool // what happens is no fault that there is anything to say of
}

func cases() []hostileCase {
	list := []hostileCase{
		{name: "healthy", silent: true},
		{name: "healthy, spool", spool: true, silent: true},
	}
	for _, kept := range []bool{false, true} {
		with := ""
		if kept {
			with = ", spool"
		}
		list = append(list,
			hostileCase{name: "refuses" + with, manner: manner{refuse: true}, spool: kept},
			hostileCase{name: "accepts, never answers" + with, manner: manner{mute: true}, spool: kept},
			hostileCase{name: "answers after a minute" + with, manner: manner{wait: time.Minute}, spool: kept},
			hostileCase{name: "closes mid-stream" + with, manner: manner{cut: 2000}, spool: kept},
			hostileCase{name: "speaks another protocol" + with, manner: manner{garbage: true}, spool: kept},
		)
	}
	for c := codes.Canceled; c <= codes.Unauthenticated; c++ {
		list = append(list, hostileCase{name: "gRPC " + c.String() + ", spool", manner: manner{code: c}, spool: true})
	}
	if os.Getuid() != 0 { // whom permissions do not stop
		list = append(list, hostileCase{name: "refuses, read-only disk", manner: manner{refuse: true}, spool: true,
			disk: func(dir string) error {
				return os.Chmod(
					dir, 0o500,
				)
			}, mend: func(dir string) error { return os.Chmod(dir, 0o700) }})
	}
	return append(
		list,
		hostileCase{
			name: "refuses, spool deleted while running", manner: manner{refuse: true}, spool: true,
			disk: os.RemoveAll,
		},
	)
}

// result is what came of a case.
type result struct {
	p999, healthy time.Duration
	heapMiB       float64
	said          string // the first problem that was reported
	recovered     bool
}

// agent is a program whose spans go to a destination.
type agent struct {
	providers *exporters.Providers
	scope     *toolscope.Scope
	handle    toolkit.Handler
	to        *destination
}

func newAgent(ctx context.Context, dir string) (*agent, error) {
	to, err := newDestination()
	if err != nil {
		return nil, err
	}
	for name, value := range map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": "http://" + to.address, "OTEL_METRICS_EXPORTER": "none",
		"OTEL_BSP_SCHEDULE_DELAY": "100", "OTEL_EXPORTER_OTLP_TIMEOUT": "1000",
	} {
		if err := os.Setenv(name, value); err != nil {
			return nil, err
		}
	}
	options := exporters.Options{ServiceName: "hostile"}
	if dir != "" {
		options.SpoolDir = dir
		options.Spool = exporters.SpoolOptions{
			MaxBytes: 8 << 20, MaxMemory: 2 << 20, MaxBackoff: time.Second, Timeout: time.Second, Patience: 200 * time.Millisecond,
		}
	}
	providers, err := exporters.Setup(ctx, options)
	if err != nil {
		return nil, err
	}
	scope, err := toolscope.New(toolscope.Options{
		TracerProvider: providers.TracerProvider,
		MeterProvider:  providers.MeterProvider,
	})
	if err != nil {
		return nil, err
	}
	registry := new(toolkit.Registry)
	err = registry.Register(toolkit.NewTool(toolkit.Definition{
		Name: "look", Description: "Looks.",
	}, func(_ context.Context, in struct{ N int }) (string, error) {
		return strings.Repeat("what was seen ", in.N%40), nil
	}))
	return &agent{providers, scope, scope.WrapRegistry(registry), to}, err
}

func (a *agent) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	err := a.scope.Shutdown(ctx)
	_ = a.providers.Shutdown(ctx) // what a hostile destination did not take is an error
	a.to.close()
	return err
}

// call makes one call and tells how long it took.
func (a *agent) call(ctx context.Context, n int) time.Duration {
	arguments := json.RawMessage(fmt.Sprintf(`{"N":%d}`, n))
	begun := time.Now()
	_, _ = a.handle(ctx, toolkit.Call{ID: fmt.Sprint(n), Name: "look", Arguments: arguments})
	return time.Since(begun)
}

// reportedProblem is the first problem that the providers report.
func (a *agent) reportedProblem() string {
	for _, c := range a.providers.Components() {
		if len(c.Problems) > 0 {
			return c.Name + ": " + c.Problems[0]
		}
	}
	return ""
}

// run measures the case beside a healthy destination.
func (c *hostileCase) run(ctx context.Context, length time.Duration) (r result, err error) {
	dir := ""
	if c.spool {
		if dir, err = os.MkdirTemp("", "hostile"); err != nil {
			return r, err
		}
		defer os.RemoveAll(dir)
		dir = filepath.Join(dir, "spool")
	}
	well, err := newAgent(ctx, "")
	if err != nil {
		return r, err
	}
	ill, err := newAgent(ctx, dir)
	if err != nil {
		return r, err
	}
	ill.to.be(c.manner)
	before := heap()
	var slow, fine []time.Duration
	begun, upset := time.Now(), c.disk == nil
	for n := 0; time.Since(begun) < length || r.said == "" && !c.silent && time.Since(begun) < length+10*time.Second; n++ {
		if !upset && time.Since(begun) > length/4 {
			upset = true
			if err := c.disk(dir); err != nil {
				return r, err
			}
		}
		fine = append(fine, well.call(ctx, n))
		slow = append(slow, ill.call(ctx, n))
		if n%100 == 0 && r.said == "" {
			r.said = ill.reportedProblem()
		}
		time.Sleep(time.Millisecond) // the load is 1,000 calls a second
	}
	r.p999, r.healthy, r.heapMiB = permille999(slow), permille999(fine), heap()-before
	r.recovered, err = c.recovers(ctx, ill, dir)
	return r, errors.Join(err, well.close(ctx), ill.close(ctx))
}

// recovers reports whether new spans come once all is well again, within half a minute.
func (c *hostileCase) recovers(ctx context.Context, a *agent, dir string) (bool, error) {
	if c.mend != nil {
		if err := c.mend(dir); err != nil {
			return false, err
		}
	}
	a.to.be(manner{})
	had := a.to.spans.Load()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		a.call(ctx, 1)
		if a.to.spans.Load() > had {
			return true, nil
		}
	}
	return false, nil
}

func permille999(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)*999/1000]
}

// heap is what lives, in MiB.
func heap() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / (1 << 20)
}
