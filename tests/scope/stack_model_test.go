// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

var (
	stackSeed  = flag.Uint64("stack.seed", 0, "run the stack's model test with this seed only")
	stackSeeds = flag.Uint64("stack.seeds", 40, "how many seeds the stack's model test runs")
)

// TestStack makes calls at random under random policies, through Wrap and through WrapFunc, and
// compares what came of them with what was seen of the tools. Callers overwrite the arguments as
// soon as a call returns, and the results that they got. Time is synctest's: a deadlock or a goroutine that stays
// fails the test, and whatever is not a tool's time is none.
func TestStack(t *testing.T) {
	if *stackSeed > 0 {
		stackTrial(t, *stackSeed, 1000)
		return
	}
	seeds := *stackSeeds
	if testing.Short() {
		seeds = min(seeds, 5)
	}
	for seed := uint64(1); seed <= seeds && !t.Failed(); seed++ {
		callers := 150
		if seed%10 == 0 {
			callers = 2000
		}
		stackTrial(t, seed, callers)
	}
}

func stackTrial(t *testing.T, seed uint64, callers int) {
	synctest.Test(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(seed, 42))
		w := newWorld()
		w.choose(t, r)
		seen := new(tooltest.Recorder)
		scope, err := toolscope.New(toolscope.Options{
			TracerProvider: sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(discard{})),
			Observers:      []toolkit.Observer{seen},
			Policies:       w.policies,
		})
		if err != nil {
			t.Fatal(err)
		}
		form := w.wrap(t, scope, r)
		made := 0
		var all sync.WaitGroup
		for c := range callers {
			caller := w.caller(seed, c)
			made += len(caller.calls)
			all.Go(caller.run)
		}
		all.Wait()
		synctest.Wait()
		time.Sleep(time.Second) // for abandoned calls to end
		synctest.Wait()
		w.checkEnded(made, seen.All(), scope.Stats())
		if err := scope.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if slices.Sort(w.problem); len(w.problem) > 0 {
			t.Errorf("seed %d, %s, %d calls, policies %s: %d wrong, go test -run TestStack -stack.seed %d .", seed, form, made,
				w.names(), len(w.problem), seed)
			for _, p := range w.problem[:min(len(w.problem), 8)] {
				t.Log(p)
			}
		}
	})
}

// caller is an agent: it makes its calls one by one, or as a batch.
type caller struct {
	world *world
	ctx   context.Context
	pause time.Duration
	batch bool
	calls []toolkit.Call
	limit []time.Duration // of the calls made one by one; below 0 is a cancellation, 0 is none
}

func (w *world) caller(seed uint64, number int) *caller {
	r := rand.New(rand.NewPCG(seed, uint64(number)))
	c := &caller{world: w, ctx: context.Background(), pause: time.Duration(r.IntN(200)) * time.Millisecond, batch: r.IntN(3) == 0}
	if r.IntN(10) > 0 {
		c.ctx = toolkit.WithSession(c.ctx, toolkit.Session{Tenant: either(r, "a", "b"), ID: either(r, "1", "2", "3"),
			Agent: either(r, "", "x"), Turn: r.IntN(3)})
	}
	for i := range 1 + r.IntN(4) {
		call := toolkit.Call{ID: fmt.Sprintf("%d.%d", number, i), Name: either(r, worldTools...).Name, Arguments: randomArguments(r)}
		if r.IntN(20) == 0 && i > 0 {
			call.Name, call.Arguments = c.calls[0].Name, c.calls[0].Arguments
		}
		c.calls = append(c.calls, call)
		limit := time.Duration(0)
		if r.IntN(4) == 0 {
			limit = time.Duration(r.IntN(60)-30) * time.Millisecond
		}
		c.limit = append(c.limit, limit)
	}
	return c
}

// randomArguments are some that duplicates have as well, in any encoding.
func randomArguments(r *rand.Rand) []byte {
	do := either(r, "ok", "ok", "ok", "soft", "error", "panic", "exit", "block", "suspend", "big", "flaky", "nest", "same")
	n := fmt.Sprint(r.IntN(6))
	if r.IntN(5) == 0 {
		n = `"` + n + `"` // to be repaired
	}
	members := []string{fmt.Sprintf(`"do":%q`, do), `"n": ` + n, `"project":"evil"`, `"Project" : "evil"`}[:2+r.IntN(3)]
	r.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	text := "{"
	for i, m := range members {
		if i > 0 {
			text += either(r, ",", " , ")
		}
		text += m
	}
	return []byte(text + "}")
}

func (c *caller) run() {
	time.Sleep(c.pause) // callers begin at different times: the schedule is part of the model
	if c.batch {
		e := toolkit.Executor{Handler: c.world.handle, Tools: c.world.registry.Lookup}
		calls := slices.Clone(c.calls)
		for i := range calls {
			calls[i].Arguments = slices.Clone(calls[i].Arguments)
		}
		for i, a := range e.Execute(c.ctx, calls...) {
			scribble(calls[i].Arguments)
			if a.CallID != c.calls[i].ID {
				c.world.wrong("the answer to %s is marked %s", c.calls[i].ID, a.CallID)
			}
			c.world.check(c.ctx, c.calls[i], a.Result, nil)
		}
		return
	}
	for i, call := range c.calls {
		c.one(call, c.limit[i])
	}
}

// one makes a call in a goroutine that the tool may end.
func (c *caller) one(call toolkit.Call, limit time.Duration) {
	ctx, cancel := context.WithCancelCause(c.ctx)
	defer cancel(nil)
	switch {
	case limit > 0:
		timed, stop := context.WithTimeout(ctx, limit)
		defer stop()
		ctx = timed
	case limit < 0:
		defer time.AfterFunc(-limit, func() { cancel(errors.New("enough")) }).Stop()
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer func() {
			if v := recover(); v != nil && v != "as asked" {
				c.world.wrong("call %s: panic %v", call.ID, v)
			}
		}()
		used := call
		used.Arguments = slices.Clone(call.Arguments)
		defer scribble(used.Arguments)
		res, err := c.world.handle(ctx, used)
		scribble(used.Arguments)
		c.world.check(c.ctx, call, res, err)
	}()
	<-ended
}
