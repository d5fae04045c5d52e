// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package redis_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/middleware/breaker"
	"github.com/toolscope/toolscope/middleware/budget"
	"github.com/toolscope/toolscope/middleware/dedupe"
	"github.com/toolscope/toolscope/middleware/limit"
	"github.com/toolscope/toolscope/middleware/loop"
	"github.com/toolscope/toolscope/store/redis"
	"github.com/toolscope/toolscope/toolkit"
)

// What the processes of TestFiftyProcesses do. TOOLSCOPE_LONG=1 asks for more of it.
const (
	processes  = 50
	maxCalls   = 100 // in a window
	window     = 200 * time.Millisecond
	flightTime = 500 * time.Millisecond // lease
)

// job is what a process gets.
type job struct {
	Addr, Secret, Dir string
	Process           int
	Keys, Budget      int
	Requests          int // for approval
	Loops             int // calls that repeat; nothing else is done
	Rates             time.Duration
}

// report is what a process did.
type report struct {
	Before, After []int64 // of each call that the rates admitted, nanoseconds
	Asked         int
	Granted       int // by the budget
	Answers       int
	Decided       map[string]bool // calls of all processes that were approved or rejected here
	Approved      map[string]bool // calls of this process, and whether they ran
	Loops         []string        // error.type of each call that repeats
	Wrong         []string
}

// TestMain runs a process of the fleet, if it is one.
func TestMain(m *testing.M) {
	if text := os.Getenv("TOOLSCOPE_TEST_JOB"); text != "" {
		var j job
		if err := json.Unmarshal([]byte(text), &j); err != nil {
			panic(err)
		}
		_ = json.NewEncoder(os.Stdout).Encode(j.work())
		return
	}
	os.Exit(m.Run())
}

func (j job) work() (r report) {
	wrong := func(format string, args ...any) { r.Wrong = append(r.Wrong, fmt.Sprintf(format, args...)) }
	secret, _ := hex.DecodeString(j.Secret)
	store, err := redis.Open(redis.Options{URL: "redis://" + j.Addr, Secrets: [][]byte{secret},
		Timeout: 20 * time.Second, PoolSize: 4})
	if err != nil {
		wrong("%v", err)
		return r
	}
	defer store.Close()
	ctx := toolkit.WithSession(context.Background(), toolkit.Session{Tenant: "acme", ID: "session"})
	if j.Loops > 0 {
		j.repeat(ctx, store, &r, wrong)
		return r
	}
	j.takeRates(ctx, store, &r, wrong)
	for i := range j.Budget {
		accounts := []budget.Account{
			{Name: "tenant", Limits: budget.Limits{Calls: processes * j.Budget / 2}, Idle: time.Hour},
			{Name: "session", Limits: budget.Limits{Calls: processes * j.Budget}, Idle: time.Hour},
		}
		receipt := fmt.Sprint(j.Process, "-", i)
		short, err := store.Ledger().Reserve(ctx, receipt, accounts, 0)
		if err != nil {
			wrong("Reserve: %v", err)
		} else if short == nil {
			r.Granted++
			if err := store.Ledger().Settle(ctx, receipt, accounts, budget.Used{Attempts: 1}); err != nil {
				wrong("Settle: %v", err)
			}
		}
	}
	j.approve(ctx, store, &r, wrong)
	j.fly(ctx, store, &r, wrong)
	return r
}

// repeat makes the same call over and over.
func (j job) repeat(ctx context.Context, store *redis.Store, r *report, wrong func(string, ...any)) {
	p, err := loop.New(loop.Options{Default: loop.Thresholds{Stop: 4}, Histories: store.Histories()})
	if err != nil {
		wrong("%v", err)
		return
	}
	handle := toolkit.Observe(func(string) *toolkit.Definition { return reading }, noSpans{})(p.Wrap(
		func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{Output: "x"}, nil }))
	for range j.Loops {
		_, err := handle(ctx, toolkit.Call{Name: "look_up", Arguments: []byte(`{"question": 1}`)})
		r.Loops = append(r.Loops, toolkit.TypeOf(err))
	}
}

// start runs the job in a process of its own, and returns what it reports.
func (j job) start(t *testing.T) (r report) {
	t.Helper()
	text, _ := json.Marshal(j)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "TOOLSCOPE_TEST_JOB="+string(text))
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range r.Wrong {
		t.Error(w)
	}
	return r
}

// TestProcessesNoticeALoopTogether makes the same call twice in a process, and then in another one.
func TestProcessesNoticeALoopTogether(t *testing.T) {
	j := job{Addr: startServer(t).addr, Secret: hex.EncodeToString(secret()), Loops: 2}
	j.start(t)
	if got := j.start(t).Loops; len(got) != 2 || got[0] == "loop_detected" || got[1] != "loop_detected" {
		t.Errorf("got %q in the second process, want the fourth call stopped", got)
	}
}

// takeRates asks for as many calls as it gets.
func (j job) takeRates(ctx context.Context, store *redis.Store, r *report, wrong func(string, ...any)) {
	asks := []limit.Ask{{Scope: limit.ScopeGlobal, Limit: toolkit.RateLimit{MaxCalls: maxCalls, Window: window}}}
	for end := time.Now().Add(j.Rates); time.Now().Before(end); {
		before := time.Now().UnixNano()
		blocked, after, err := store.Rates().Take(ctx, asks)
		r.Asked++
		switch {
		case err != nil:
			wrong("Take: %v", err)
		case blocked < 0:
			r.Before, r.After = append(r.Before, before), append(r.After, time.Now().UnixNano())
		default:
			<-time.After(min(after, 20*time.Millisecond))
		}
	}
}

// approve makes calls that wait for approval, and decides those of all processes: an odd process approves.
func (j job) approve(ctx context.Context, store *redis.Store, r *report, wrong func(string, ...any)) {
	r.Decided, r.Approved = map[string]bool{}, map[string]bool{}
	p, err := approve.New(approve.Options{Requests: store.Requests(), Askers: []approve.Asker{approve.External()}, WorkDir: "/"})
	if err != nil {
		wrong("%v", err)
		return
	}
	tool := &toolkit.Definition{Name: "send", RequiresApproval: true}
	var mu sync.Mutex
	handle := toolkit.Observe(func(string) *toolkit.Definition { return tool }, noSpans{})(p.Wrap(
		func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
			mu.Lock()
			defer mu.Unlock()
			if r.Approved[call.ID] {
				wrong("call %s ran twice", call.ID)
			}
			r.Approved[call.ID] = true
			return toolkit.Result{}, nil
		}))
	var wg sync.WaitGroup
	for i := range j.Requests {
		wg.Go(func() {
			id := fmt.Sprint(j.Process, "-", i)
			_, err := handle(ctx, toolkit.Call{ID: id, Name: "send", Arguments: []byte(`{}`)})
			mu.Lock()
			defer mu.Unlock()
			if ran := r.Approved[id]; ran != (err == nil) || !ran && toolkit.TypeOf(err) != "approval_denied" {
				wrong("call %s: ran: %t, but got %v", id, ran, err)
			}
			r.Approved[id] = err == nil
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	for round := 0; ; round++ {
		select {
		case <-done:
			return
		case <-time.After(50 * time.Millisecond):
		}
		for _, request := range p.Pending() {
			if own := strings.HasPrefix(request.CallID, fmt.Sprint(j.Process, "-")); own && round < 20 {
				continue
			}
			yes := j.Process%2 == 1
			err := p.Decide(request.ID, request.Digest, approve.Answer{Approved: yes, By: fmt.Sprint("p", j.Process)})
			switch {
			case err == nil:
				r.Decided[request.CallID] = yes
			case !errors.Is(err, approve.ErrClosed):
				wrong("Decide: %v", err)
			}
		}
	}
}

// fly makes the calls that all processes make. Process 0 dies in the first one that it leads; the others begin then.
func (j job) fly(ctx context.Context, store *redis.Store, r *report, wrong func(string, ...any)) {
	runs, err := os.OpenFile(filepath.Join(j.Dir, "runs"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		wrong("%v", err)
		return
	}
	for end := time.Now().Add(time.Minute); j.Process != 0 && time.Now().Before(end); time.Sleep(5 * time.Millisecond) { // polls
		if info, err := runs.Stat(); err == nil && info.Size() > 0 {
			break
		}
	}
	p, err := dedupe.New(dedupe.Options{Flights: store.Flights(), Lease: flightTime, History: time.Minute})
	if err != nil {
		wrong("%v", err)
		return
	}
	tool := &toolkit.Definition{Name: "look_up", ReadOnly: toolkit.Yes}
	handle := toolkit.Observe(func(string) *toolkit.Definition { return tool }, noSpans{})(p.Wrap(
		func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
			_, _ = fmt.Fprintf(runs, "%d %s\n", j.Process, call.Arguments)
			if j.Process == 0 {
				self, _ := os.FindProcess(os.Getpid())
				_ = self.Kill()
				select {}
			}
			<-time.After(20 * time.Millisecond)
			return toolkit.Result{Output: string(call.Arguments)}, nil
		}))
	var wg sync.WaitGroup
	var mu sync.Mutex
	next := make(chan int)
	for range 4 {
		wg.Go(func() {
			for key := range next {
				arguments := fmt.Sprintf(`{"key":%d}`, key)
				res, err := handle(ctx, toolkit.Call{Name: "look_up", Arguments: []byte(arguments)})
				mu.Lock()
				if err != nil || res.Output != arguments {
					wrong("key %d: got %q, %v", key, res.Output, err)
				}
				r.Answers++
				mu.Unlock()
			}
		})
	}
	for i := range j.Keys {
		next <- (i + 7*j.Process) % j.Keys
	}
	close(next)
	wg.Wait()
}

type noSpans struct{}

func (noSpans) Begin(ctx context.Context, _ toolkit.Call, _ *toolkit.CallInfo) context.Context {
	return ctx
}
func (noSpans) Wants(context.Context) bool          { return false }
func (noSpans) End(context.Context, *toolkit.Ended) {}

// TestFiftyProcesses has 50 processes share rates, a budget and flights on one server.
func TestFiftyProcesses(t *testing.T) {
	s := startServer(t)
	j := job{Addr: s.addr, Secret: hex.EncodeToString(secret()), Dir: t.TempDir(), Keys: 80, Budget: 40, Requests: 1,
		Rates: time.Second}
	if os.Getenv("TOOLSCOPE_LONG") == "1" {
		j.Keys, j.Budget, j.Requests, j.Rates = 400, 200, 4, 10*time.Second
	}
	reports := make([]report, processes)
	began := time.Now()
	var wg sync.WaitGroup
	for i := range reports {
		wg.Go(func() {
			j := j
			if j.Process = i; i == 0 {
				j.Budget, j.Requests = 0, 0 // it reports nothing
			}
			text, _ := json.Marshal(j)
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "TOOLSCOPE_TEST_JOB="+string(text), "GOMAXPROCS=1")
			var errors bytes.Buffer
			cmd.Stderr = &errors
			out, err := cmd.Output()
			if i == 0 {
				if err == nil {
					t.Error("process 0: got an end, want it killed")
				}
				return
			}
			if err == nil {
				err = json.Unmarshal(out, &reports[i])
			}
			if err != nil {
				t.Errorf("process %d: %v: %.500s", i, err, errors.String())
			}
		})
	}
	wg.Wait()
	var before, after []int64
	asked, granted, answers := 0, 0, 0
	for i, r := range reports {
		before, after = append(before, r.Before...), append(after, r.After...)
		asked, granted, answers = asked+r.Asked, granted+r.Granted, answers+r.Answers
		for _, w := range r.Wrong {
			t.Errorf("process %d: %s", i, w)
		}
	}
	// The server counted each call between before and after. Of maxCalls+1 calls in a row, the last one came a window
	// after the first one: so did the later bound of the last after the earlier bound of the first.
	slices.Sort(before)
	slices.Sort(after)
	for i := maxCalls; i < len(after); i++ {
		if d := time.Duration(after[i] - before[i-maxCalls]); d < window {
			t.Errorf("got %d calls within %v, want at most %d in %v", maxCalls+1, d, maxCalls, window)
			break
		}
	}
	if least := int(j.Rates/window) * maxCalls / 2; len(after) < least {
		t.Errorf("got %d calls admitted, want at least %d: the limit is too tight", len(after), least)
	}
	if want := processes * j.Budget / 2; granted != want {
		t.Errorf("got %d calls granted, want exactly %d", granted, want)
	}
	decided := map[string]bool{}
	for i, r := range reports {
		for call, yes := range r.Decided {
			if _, twice := decided[call]; twice {
				t.Errorf("call %s was decided twice, the second time by process %d", call, i)
			}
			decided[call] = yes
		}
	}
	for _, r := range reports {
		for call, ran := range r.Approved {
			if yes, ok := decided[call]; !ok || yes != ran {
				t.Errorf("call %s: got it decided: %t, approved: %t, and ran: %t", call, ok, yes, ran)
			}
		}
	}
	if want := (processes - 1) * j.Requests; len(decided) != want {
		t.Errorf("got %d calls decided, want %d", len(decided), want)
	}
	text, err := os.ReadFile(filepath.Join(j.Dir, "runs"))
	if err != nil {
		t.Fatal(err)
	}
	runs, killed := strings.Count(string(text), "\n"), 0
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "0 ") {
			killed++
		}
	}
	if runs != j.Keys+killed || killed < 1 {
		t.Errorf("got %d runs and %d killed, want %d and the killed ones", runs, killed, j.Keys)
	}
	if want := (processes - 1) * j.Keys; answers != want {
		t.Errorf("got %d answers, want %d", answers, want)
	}
	t.Logf("%d processes in %v: rates %d of %d admitted, budget %d of %d granted, %d requests decided once, "+
		"%d answers by %d runs, %d of them killed", processes, time.Since(began).Round(time.Millisecond), len(after),
		asked, granted, processes*j.Budget, len(decided),
		answers, runs, killed)
}

// TestTheServerHoldsNothingReadable plants values and looks for them in all that the server holds.
func TestTheServerHoldsNothingReadable(t *testing.T) {
	s := startServer(t)
	store := open(t, s)
	ctx := toolkit.WithSession(t.Context(), toolkit.Session{Tenant: "acme", ID: "session-one"})
	g := govern(t, store, limit.GoLocal, true)
	for i := range 3 {
		if kind, _ := g.call(t, i); kind != "" {
			t.Fatal(kind)
		}
	}
	writing := func(name string) *toolkit.Definition {
		return &toolkit.Definition{Name: name, Resources: []string{"ledger-file"}, RequiresApproval: name == "send_money"}
	}
	broken, err := breaker.New(breaker.Options{Peers: store.Peers(), MinCalls: 1})
	if err != nil {
		t.Fatal(err)
	}
	failing := toolkit.Observe(writing, noSpans{})(broken.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) {
		return toolkit.Result{}, &toolkit.Error{Kind: toolkit.ErrTimeout, Message: "planted-error"}
	}))
	for range 20 {
		_, _ = failing(ctx, toolkit.Call{Name: "look_up"})
	}
	desk, err := approve.New(approve.Options{Requests: store.Requests(), Askers: []approve.Asker{approve.External()}, Defer: true})
	if err != nil {
		t.Fatal(err)
	}
	asking := toolkit.Observe(writing, noSpans{})(desk.Wrap(g.handle))
	for i := range 3 { // one is open, one approved and not used, one rejected
		arguments := fmt.Sprintf(`{"secret":"planted-%d"}`, i)
		if res, err := asking(ctx, toolkit.Call{Name: "send_money", Arguments: []byte(arguments)}); err != nil || !res.Suspended {
			t.Fatalf("got %+v, %v, want the call suspended", res, err)
		}
	}
	for i, r := range desk.Pending()[1:] {
		if err := desk.Decide(r.ID, r.Digest, approve.Answer{Approved: i == 0, By: "planted-Ann", Note: "planted-note"}); err != nil {
			t.Fatal(err)
		}
	}
	until(t, "each kind of key is there", func() bool { // the breaker tells its peers in the background
		keys, _ := s.admin(t).Keys(t.Context(), "*").Result()
		kinds := map[string]bool{}
		for _, k := range keys {
			kinds[strings.TrimPrefix(k, "{toolscope}:")[:2]] = true
		}
		for _, kind := range strings.Fields("c: e: r: b: d: f: g: q: x: k: h: m: o:") {
			if !kinds[kind] {
				return false
			}
		}
		return true
	})
	dump := s.dump(t)
	for _, planted := range []string{"look_up", "send_money", "acme", "session-one", "question", "answer to", "planted",
		"ledger-file"} {
		if strings.Contains(dump, planted) {
			t.Errorf("the server holds %q", planted)
		}
	}
	// A value that was moved to another key, or changed, is no answer.
	c := s.admin(t)
	keys, _ := c.Keys(t.Context(), "{toolscope}:c:*").Result()
	if len(keys) < 2 {
		t.Fatalf("got %d entries, want some", len(keys))
	}
	moved, _ := c.Get(t.Context(), keys[0]).Bytes()
	c.Set(t.Context(), keys[1], moved, time.Minute)
	changed := bytes.Clone(moved)
	changed[len(changed)-1] ^= 1
	c.Set(t.Context(), keys[0], changed, time.Minute)
	for i := range 3 {
		if kind, _ := g.call(t, i); kind != "" { // and the answer is the tool's
			t.Error(kind)
		}
	}
}
