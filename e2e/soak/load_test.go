// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package soak

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
)

var allTime = stats.Window{}

type input struct {
	N    int    `json:"n"`
	Text string `json:"text,omitempty"`
}

// tools behave as those of real agents do, at their worst.
var tools = []toolkit.Tool{
	toolkit.NewTool(toolkit.Definition{
		Name: "read", Description: "Reads.",
		ReadOnly: toolkit.Yes, Idempotent: toolkit.Yes, Destructive: toolkit.No,
	}, func(ctx context.Context, in input) (string, error) {
		return strings.Repeat("line of a file\n", in.N%200), pause(ctx, time.Duration(in.N%3)*time.Millisecond)
	}),
	toolkit.NewTool(toolkit.Definition{
		Name: "search", Description: "Searches.",
		ReadOnly: toolkit.Yes, Idempotent: toolkit.Yes, Destructive: toolkit.No,
	}, func(ctx context.Context, in input) (string, error) {
		return fmt.Sprint("found ", in.N), pause(ctx, 2*time.Millisecond)
	}),
	toolkit.NewTool(toolkit.Definition{
		Name: "write", Description: "Writes.",
	}, func(context.Context, input) (string, error) { return "ok", nil }),
	toolkit.NewTool(toolkit.Definition{
		Name: "fails", Description: "Fails.",
	}, func(_ context.Context, in input) (string, error) {
		return "", fmt.Errorf("row %d of %q is locked", in.N, in.Text)
	}),
	toolkit.NewTool(toolkit.Definition{
		Name: "flaky", Description: "Fails at times.",
		ReadOnly: toolkit.Yes, Idempotent: toolkit.Yes, Destructive: toolkit.No,
	}, func(_ context.Context, in input) (string, error) {
		if rand.IntN(3) == 0 {
			return "", errors.New("try again")
		}
		return "ok", nil
	}),
	toolkit.NewTool(toolkit.Definition{
		Name: "slow", Description: "Takes too long.",
	}, func(ctx context.Context, in input) (string, error) {
		return "", pause(ctx, time.Hour)
	}),
	toolkit.NewTool(toolkit.Definition{
		Name: "deaf", Description: "Does not heed its context.",
	}, func(context.Context, input) (string, error) {
		time.Sleep(60 * time.Millisecond) // what the tool does
		return "late", nil
	}),
	toolkit.NewTool(toolkit.Definition{
		Name: "panics", Description: "Panics.",
	}, func(_ context.Context, in input) (string, error) { panic(fmt.Sprint("as asked ", in.N)) }),
	toolkit.NewTool(toolkit.Definition{
		Name: "big", Description: "Says much.",
	}, func(context.Context, input) (string, error) { return strings.Repeat("0123456789", 20_000), nil }),
	toolkit.NewTool(toolkit.Definition{
		Name: "risky", Description: "Is dangerous.", Risk: toolkit.RiskHigh,
	}, func(context.Context, input) (string, error) { return "done", nil }),
	toolkit.NewTool(toolkit.Definition{
		Name: "forbidden", Description: "Is not allowed.",
	}, func(context.Context, input) (string, error) { return "no", nil }),
}

// often is how many calls of a hundred are of which tool; the rest is of tools that do not exist.
var often = []struct {
	name  string
	parts int
}{
	{"read", 40}, {"search", 26}, {"write", 4}, {"fails", 5}, {"flaky", 8}, {"slow", 1}, {"deaf", 1},
	{"panics", 3}, {"big", 2}, {"risky", 4}, {"forbidden", 4},
}

func pause(ctx context.Context, d time.Duration) error {
	if d == 0 {
		return nil
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// maxRunning is how many calls run at most at a time: where the machine cannot keep up the rate falls, and
// no queue of goroutines grows that is none of toolscope's.
const maxRunning = 128

// A pacer makes calls come evenly: what a busy machine missed is not made up for, beyond a tenth of a second.
type pacer struct {
	rate float64 // calls a second
	last time.Time
	owed float64
}

// due is how many calls are to be made now.
func (p *pacer) due(now time.Time) int {
	p.owed = min(p.owed+now.Sub(p.last).Seconds()*p.rate, max(1, p.rate/10))
	p.last = now
	n := int(p.owed)
	p.owed -= float64(n)
	return n
}

// load makes calls at the rate, each in a goroutine, and tells how many.
func (h *host) load(ctx context.Context, length time.Duration, rate int, seed uint64) int64 {
	const beats = 200 // a second
	r := rand.New(rand.NewPCG(seed, 7))
	tick := time.NewTicker(time.Second / beats)
	defer tick.Stop()
	var running sync.WaitGroup
	slots := make(chan struct{}, maxRunning)
	start := func(call toolkit.Call, session toolkit.Session, cancelAfter time.Duration) {
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			h.call(ctx, call, session, cancelAfter)
		})
	}
	made := int64(0)
	begun := time.Now()
	told, toldMade := begun, int64(0)
	pace := pacer{rate: float64(rate), last: begun}
	for ; time.Since(begun) < length; <-tick.C {
		for end := made + int64(pace.due(time.Now())); made < end; h.made.Store(made) {
			made++
			call, session, cancelAfter := random(r, made)
			start(call, session, cancelAfter)
			if made%20 == 0 { // a duplicate at the same time
				made++
				call.ID = fmt.Sprint("call_", made)
				start(call, session, cancelAfter)
			}
		}
		if now := time.Now(); now.Sub(told) >= max(10*time.Second, length/10) {
			fmt.Printf("%v: %d calls, %.0f a second\n", now.Sub(begun).Round(time.Second), made,
				float64(made-toldMade)/now.Sub(told).Seconds())
			told, toldMade = now, made
		}
	}
	running.Wait()
	time.Sleep(time.Second) // for tools that were abandoned
	return made
}

// random is a call of a session: there are a hundred at a time, and a new one for every hundredth call.
func random(r *rand.Rand, number int64) (call toolkit.Call, session toolkit.Session, cancelAfter time.Duration) {
	name := fmt.Sprintf("unknown_%d", number)
	for n, i := r.IntN(100), 0; i < len(often); i++ {
		if n -= often[i].parts; n < 0 {
			name = often[i].name
			break
		}
	}
	in := input{N: r.IntN(6)}
	if r.IntN(4) == 0 {
		in.N, in.Text = r.IntN(200), fmt.Sprintf("order %d of user%d@example.org", r.IntN(50), number)
	}
	arguments, _ := json.Marshal(in)
	if r.IntN(200) == 0 {
		arguments = arguments[:len(arguments)/2]
	}
	if r.IntN(50) == 0 {
		cancelAfter = time.Duration(r.IntN(3)) * time.Millisecond
	}
	call = toolkit.Call{ID: fmt.Sprint("call_", number), Name: name, Arguments: arguments}
	return call, toolkit.Session{ID: fmt.Sprint("session-", number/100+r.Int64N(100)), Agent: "soak"}, cancelAfter
}

// call makes one call; it is cancelled after a while unless that is 0.
func (h *host) call(ctx context.Context, call toolkit.Call, session toolkit.Session, cancelAfter time.Duration) {
	ctx = toolkit.WithSession(ctx, session)
	if cancelAfter > 0 {
		limited, cancel := context.WithTimeout(ctx, cancelAfter)
		defer cancel()
		ctx = limited
	}
	_, _ = h.handle(ctx, call) // what comes of it is judged by the counts
}
