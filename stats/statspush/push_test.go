// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statspush

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
)

// job is set in the environment of the processes that TestJobs starts.
const job = "TOOLSCOPE_TEST_JOB"

func TestMain(m *testing.M) {
	if seed := os.Getenv(job); seed != "" {
		runJob(seed)
	}
	os.Exit(m.Run())
}

// runJob is a process of TestJobs: it makes the calls of its seed, pushes once and ends.
func runJob(seed string) {
	r, err := stats.New(stats.Options{})
	if err == nil {
		n, _ := strconv.Atoi(seed)
		calls(r, uint64(n), jobCalls)
		var p *Push
		if p, err = New(os.Getenv(job+"_URL"), r, Options{Token: os.Getenv(job + "_TOKEN")}); err == nil {
			err = p.Close(context.Background())
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

const jobCalls = 156

// calls makes n calls; the same seed makes the same.
func calls(r *stats.Recorder, seed uint64, n int) {
	random := mathrand.New(mathrand.NewPCG(seed, 1))
	tools := []*toolkit.Definition{{Name: "search"}, {Name: "read"}, {Name: "write"}}
	for range n {
		e := &toolkit.Ended{ResultBytes: 10, Start: time.Now(), End: time.Now()}
		e.Info.Tool = tools[random.IntN(len(tools))]
		e.Disposition.Run = time.Duration(random.ExpFloat64() * 1e8)
		if random.IntN(10) == 0 {
			e.ErrorType, e.Err = "timeout", errors.New("no answer")
		}
		r.Begin(context.Background(), e.Call, &e.Info)
		r.End(context.Background(), e)
	}
}

func newRecorder(t testing.TB, o stats.Options) *stats.Recorder {
	t.Helper()
	r, err := stats.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close(context.Background()) })
	return r
}

// fleet is a receiver that can be replaced while its address stays.
type fleet struct {
	*httptest.Server
	recorder *stats.Recorder
	token    string

	mu       sync.Mutex
	handler  http.Handler
	loseNext bool // the next push is counted, and its answer is lost
}

func newFleet(t testing.TB) *fleet {
	f := &fleet{token: rand.Text()}
	f.use(t, newRecorder(t, stats.Options{}))
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		handler, lose := f.handler, f.loseNext
		f.loseNext = false
		f.mu.Unlock()
		if lose {
			handler.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(f.Close)
	return f
}

// use makes a new receiver, as after a restart.
func (f *fleet) use(t testing.TB, r *stats.Recorder) {
	t.Helper()
	x, err := NewReceiver(r, f.token)
	if err != nil {
		t.Fatal(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.recorder, f.handler = r, x
}

func (f *fleet) push(t testing.TB, r *stats.Recorder) *Push {
	t.Helper()
	p, err := New(f.URL, r, Options{Token: f.token, Every: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close(context.Background()) })
	return p
}

func (f *fleet) calls() uint64 { return f.recorder.Summary(stats.Window{}).Overall.Executed }

// processes is how many TestJobs starts.
const processes = 200

// Processes that end at once: counts are exact, and percentiles those of all calls in one process.
func TestJobs(t *testing.T) {
	f := newFleet(t)
	reference := newRecorder(t, stats.Options{})
	slots := make(chan struct{}, 8)
	var wait sync.WaitGroup
	for i := range processes {
		calls(reference, uint64(i+1), jobCalls)
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			c := exec.Command(os.Args[0])
			c.Env = append(os.Environ(), fmt.Sprint(job, "=", i+1), job+"_URL="+f.URL, job+"_TOKEN="+f.token)
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("process %d: %v: %s", i, err, out)
			}
		})
	}
	wait.Wait()
	got, want := f.recorder.Summary(stats.Window{}).Overall, reference.Summary(stats.Window{}).Overall
	if all := uint64(processes * jobCalls); got.Executed != all || got.Errors != want.Errors {
		t.Errorf("got %d calls and %d errors, want %d and %d", got.Executed, got.Errors, all, want.Errors)
	}
	if got.P99Ms != want.P99Ms || got.P50Ms != want.P50Ms {
		t.Errorf("got p50 %v and p99 %v ms, want %v and %v", got.P50Ms, got.P99Ms, want.P50Ms, want.P99Ms)
	}
	if got.InFlight != 0 {
		t.Errorf("got %d running calls, want none", got.InFlight)
	}
}

// A push whose answer is lost, a repeated one, one that never arrived and a restart of the receiver change no count.
func TestLostAndRepeatedPushes(t *testing.T) {
	f, r := newFleet(t), newRecorder(t, stats.Options{})
	p := f.push(t, r)
	flush := func(want bool) {
		t.Helper()
		if err := p.Flush(t.Context()); (err == nil) != want {
			t.Fatalf("Flush: got %v", err)
		}
	}
	lose := func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.loseNext = true
	}
	calls(r, 1, 10)
	lose()
	flush(false)
	flush(true)
	if n := f.calls(); n != 10 {
		t.Errorf("after a lost answer: got %d calls, want 10", n)
	}
	calls(r, 2, 10)
	flush(true)
	flush(true)
	if n := f.calls(); n != 20 {
		t.Errorf("got %d calls, want 20", n)
	}
	if c := p.Components()[0]; len(c.Problems) != 0 || c.Figures[1].Value != 1 {
		t.Errorf("Components: got %+v", c)
	}
	f.use(t, newRecorder(t, stats.Options{})) // has forgotten everything
	calls(r, 3, 7)
	flush(true)
	if n := f.calls(); n != 7 {
		t.Errorf("after a restart: got %d calls, want the 7 that were not accepted before", n)
	}
	lose()
	if err := p.Close(t.Context()); err == nil {
		t.Error("Close: got no error, want that of the lost answer")
	}
	if n := f.calls(); n != 7 {
		t.Errorf("got %d calls, want 7", n)
	}
}

// A receiver with a directory has its counts after a restart, once.
func TestReceiverWithADirectory(t *testing.T) {
	f, dir := newFleet(t), t.TempDir()
	first := newRecorder(t, stats.Options{Directory: dir})
	f.use(t, first)
	r := newRecorder(t, stats.Options{})
	p := f.push(t, r)
	calls(r, 1, 10)
	if err := p.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.use(t, newRecorder(t, stats.Options{Directory: dir}))
	calls(r, 2, 5)
	if err := p.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := f.calls(); n != 15 {
		t.Errorf("got %d calls, want 15", n)
	}
}

// What a directory brought back to a process was pushed by the process that counted it.
func TestPushOfAProcessWithADirectory(t *testing.T) {
	f, dir := newFleet(t), t.TempDir()
	for range 2 {
		r := newRecorder(t, stats.Options{Directory: dir})
		p := f.push(t, r)
		calls(r, 1, 10)
		if err := errors.Join(p.Close(t.Context()), r.Close(t.Context())); err != nil {
			t.Fatal(err)
		}
	}
	if n := f.calls(); n != 20 {
		t.Errorf("got %d calls, want 20", n)
	}
}

// Only a receiver's answer counts as one.
func TestOtherAnswers(t *testing.T) {
	login := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/moved") {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html>please sign in</html>")
	}))
	defer login.Close()
	f, r := newFleet(t), newRecorder(t, stats.Options{})
	for address, want := range map[string]string{
		login.URL:            "status 200", // a page
		login.URL + "/moved": "status 307",
		f.URL + "/wrong/":    "want 204: is it the address of a receiver",
		f.URL:                "status 401",
	} {
		token := rand.Text()
		if strings.HasSuffix(address, "/wrong/") {
			token = f.token
		}
		p, err := New(address, r, Options{Token: token})
		if err != nil {
			t.Fatal(err)
		}
		err = p.Close(t.Context())
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), token) {
			t.Errorf("%s: got %v, want %s", address, err, want)
		}
		if problems := p.Components()[0].Problems; len(problems) != 1 || !strings.Contains(problems[0], want) {
			t.Errorf("Components: got %q", problems)
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	r := newRecorder(t, stats.Options{})
	good := Options{Token: rand.Text()}
	password := rand.Text()
	for name, test := range map[string]struct {
		address string
		r       *stats.Recorder
		o       Options
		want    string
	}{
		"scheme":   {"ftp://x", r, good, "address: got none that begins with http://"},
		"none":     {"127.0.0.1:9464", r, good, "address: got none that begins with http://"},
		"password": {"http://user:" + password + "@x", r, good, "address: got one with a user"},
		"user":     {"http://" + password + "@x", r, good, "address: got one with a user"},
		"query":    {"http://x?token=" + password, r, good, "address: got one with a query"},
		"fragment": {"http://x#" + password, r, good, "address: got one with a fragment"},
		"token":    {"http://x", r, Options{Token: "short"}, "Options.Token: got 5 bytes"},
		"every":    {"http://x", r, Options{Token: good.Token, Every: time.Millisecond}, "Options.Every: got 1ms"},
		"recorder": {"http://x", nil, good, "recorder: got nil"},
	} {
		_, err := New(test.address, test.r, test.o)
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), password) {
			t.Errorf("%s: got %v, want %s", name, err, test.want)
		}
	}
	if _, err := NewReceiver(r, ""); err == nil {
		t.Error("NewReceiver without a token: got no error")
	}
	if _, err := NewReceiver(nil, good.Token); err == nil {
		t.Error("NewReceiver without a recorder: got no error")
	}
}
