// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/goleak"

	"github.com/toolscope/toolscope/exporters"
)

// The tests begin with an environment without OTEL_*, in any environment.
func TestMain(m *testing.M) {
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "OTEL_") {
			os.Unsetenv(name)
		}
	}
	goleak.VerifyTestMain(m)
}

// noMoreGoroutines waits until there are no more than before: what another test left may begin
// one, which ends.
func noMoreGoroutines(t *testing.T, before int) {
	t.Helper()
	until(t, fmt.Sprintf("no more goroutines than the %d before", before),
		func() bool { return runtime.NumGoroutine() <= before })
}

// setup is Setup, shut down when the test ends.
func setup(t testing.TB, o exporters.Options) *exporters.Providers {
	t.Helper()
	p, err := exporters.Setup(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		_ = p.Shutdown(ctx) // the test itself looks at what it returns
	})
	return p
}

// record makes a span of that name with a child of the same name and "/child".
func record(p *exporters.Providers, name string) trace.TraceID {
	tracer := p.TracerProvider.Tracer("test")
	ctx, root := tracer.Start(context.Background(), name)
	_, child := tracer.Start(ctx, name+"/child")
	child.End()
	root.End()
	return root.SpanContext().TraceID()
}

// complaints takes OpenTelemetry's error handler for the test, and returns the messages it
// got so far.
func complaints(t *testing.T) func() []string {
	var mu sync.Mutex
	var got []string
	before := otel.GetErrorHandler()
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, err.Error())
	}))
	t.Cleanup(func() { otel.SetErrorHandler(before) })
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(got)
	}
}

// silent is the address of a server that accepts connections and never answers.
func silent(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var open []net.Conn
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open = append(open, c)
			mu.Unlock()
		}
	}()
	t.Cleanup(func() {
		l.Close()
		<-done
		for _, c := range open {
			c.Close()
		}
	})
	return l.Addr().String()
}

// refused is an address without a listener.
const refused = "127.0.0.1:1"

// vacant is an address without a listener until the test does: systems give no such
// port to those who ask for any.
func vacant(t *testing.T) string {
	t.Helper()
	for range 100 {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 20_000+rand.IntN(10_000)))
		if err == nil {
			defer l.Close()
			return l.Addr().String()
		}
	}
	t.Fatal("got no port, want one of 10,000")
	return ""
}
