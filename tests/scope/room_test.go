// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"context"
	"runtime"
	"runtime/debug"
	"testing"
	"unsafe"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/toolkit"
)

// roomBytes is the core's constant of that name.
const roomBytes = 5 << 10

// TestRoom: the room that is made on a call's stack is about what observing it takes, from where
// the call comes in to where a span processor is called and an application's callback of redaction is
// asked, which are as deep as it gets. Frames differ by platform and compiler.
func TestRoom(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector's frames are larger")
	}
	// The collector would move a stack that is larger than it has to be; what it is just at comes to its end.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	runtime.GC()
	var entered, deepest uintptr
	here := func() { deepest = min(deepest, address()) }
	redactor, err := redact.New(redact.Options{
		Callback: func(redact.Match) (redact.Action, string) { here(); return redact.Mask, "" }})
	if err != nil {
		t.Fatal(err)
	}
	tracers := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(ending{here}))
	scope, err := toolscope.New(toolscope.Options{TracerProvider: tracers, Redactor: redactor})
	if err != nil {
		t.Fatal(err)
	}
	handler := scope.Wrap(benchHandler, toolkit.Lookup(benchLookup))
	done := make(chan struct{})
	go func() {
		defer close(done)
		deep(64) // the stack is as large as it will be
		entered, deepest = address(), ^uintptr(0)
		_, _ = handler(context.Background(), benchCall)
	}()
	<-done
	if taken := entered - deepest; taken > roomBytes*5/4 || taken < roomBytes/2 {
		t.Errorf("observing a call takes %d bytes of its stack, and there is room made for %d: want about as much", taken, roomBytes)
	}
}

// address is where the caller's stack ends, about.
//
//go:noinline
func address() uintptr {
	var here byte
	return uintptr(unsafe.Pointer(&here))
}

// deep takes n KiB of the stack.
//
//go:noinline
func deep(n int) byte {
	var room [1 << 10]byte
	room[n] = 1
	if n == 0 {
		return room[0]
	}
	return deep(n-1) + room[n]
}

// ending calls a function when a span has ended.
type ending struct{ told func() }

func (ending) OnStart(context.Context, sdktrace.ReadWriteSpan) {}
func (e ending) OnEnd(sdktrace.ReadOnlySpan)                   { e.told() }
func (ending) Shutdown(context.Context) error                  { return nil }
func (ending) ForceFlush(context.Context) error                { return nil }
