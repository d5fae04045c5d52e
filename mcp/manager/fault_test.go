// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package manager_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolscope/toolscope/mcp/manager"
	"github.com/toolscope/toolscope/toolkit"
)

func TestAServerKilledInACall(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ran")
	m := open(t, manager.Options{Servers: []manager.Server{child("a", "a", "RAN", file)}})
	before := status(t, m, "a").PID
	_, err := call(t, m, "a__die", "")
	var own *manager.ServerError
	if !errors.As(err, &own) || own.Server != "a" || !own.Sent {
		t.Errorf("got %v, want an error that names the server and says that it was asked", err)
	}
	// The next call finds the server being connected again, and waits.
	wantCall(t, m, "a__echo", "back", "a: back")
	if got := runs(t, file); got != "a" {
		t.Errorf("got the runs %q, want one", got)
	}
	st := status(t, m, "a")
	if st.Connects != 2 || st.PID == before || !strings.Contains(st.LastError, "exit status 7") {
		t.Errorf("got %+v, want one reconnect and the exit code", st)
	}
	if alive(before) {
		t.Errorf("process %d still runs", before)
	}
}

func TestFailoverIsForToolsThatMayRunTwice(t *testing.T) {
	for _, c := range []struct{ tool, want, ran string }{{"die", "", "a"}, {"die_safely", "b survived", "a b"}} {
		t.Run(c.tool, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "ran")
			first := child("first", "a", "RAN", file)
			first.Priority = 1
			m := open(t, manager.Options{SharedNames: true,
				Servers: []manager.Server{child("second", "b", "RAN", file, "SURVIVES", "1"), first}})
			if got := m.Servers(c.tool); len(got) != 2 || got[0] != "first" {
				t.Fatalf("got the servers %q, want both, by priority", got)
			}
			got, err := call(t, m, c.tool, "")
			if got != c.want || (err == nil) != (c.want != "") {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
			eventually(t, "the first server is back", func() bool { return status(t, m, "first").Connects == 2 })
			if got := runs(t, file); got != c.ran {
				t.Errorf("got the runs %q, want %q", got, c.ran)
			}
		})
	}
}

func TestOneThatHangsDelaysNobody(t *testing.T) {
	secret := "ghp" + "_" + strings.Repeat("a1B2", 9)
	hang := child("hang", "hang")
	hang.StartTimeout = 100 * time.Millisecond
	m := prepare(t, manager.Options{Servers: []manager.Server{hang, child("a", "a"), child("exit", "exit", "SAYS", secret)}})
	done := make(chan error, 1)
	go func() { done <- m.Start(context.Background()) }()
	eventually(t, "the other server answers", func() bool { return status(t, m, "a").State == manager.Connected })
	wantCall(t, m, "a__echo", "x", "a: x")
	err := <-done
	if err == nil || !strings.Contains(err.Error(), `"hang": it was not ready within its start timeout`) ||
		strings.Contains(err.Error(), `"a"`) {
		t.Errorf("got %v, want the name of the one that hangs", err)
	}
	if st := status(t, m, "exit"); strings.Contains(st.LastError+err.Error(), secret) ||
		!strings.Contains(st.LastError, "exit status 3") || !strings.Contains(st.LastError, "cannot open the database") {
		t.Errorf("got %+v, want how the process ended and what it said", st)
	}
}

func TestAnAnswerAfterACancellation(t *testing.T) {
	file, until := filepath.Join(t.TempDir(), "ran"), filepath.Join(t.TempDir(), "until")
	m := open(t, manager.Options{Servers: []manager.Server{child("a", "a", "RAN", file, "UNTIL", until)}})
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		eventually(t, "the tool runs", func() bool { return runs(t, file) != "" })
		cancel()
	}()
	_, err := m.Handle(ctx, toolkit.Call{Name: "a__sleep"})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want a cancelled call", err)
	}
	if err := os.WriteFile(until, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the tool answers", func() bool { return runs(t, file) == "a answers" })
	for range 10 { // the answer comes meanwhile, and is dropped
		wantCall(t, m, "a__echo", "x", "a: x")
	}
	st := status(t, m, "a")
	if st.Errors != 0 || st.Connects != 1 {
		t.Errorf("got %+v, want no error of the server's", st)
	}
}

func TestARequestTimeoutIsTheServersFailure(t *testing.T) {
	a := child("a", "a", "UNTIL", filepath.Join(t.TempDir(), "never"))
	a.RequestTimeout = 50 * time.Millisecond
	m := open(t, manager.Options{StopGrace: 100 * time.Millisecond, Servers: []manager.Server{a}})
	_, err := call(t, m, "a__sleep", "")
	if !errors.Is(err, toolkit.ErrTimeout) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want a timeout", err)
	}
	if st := status(t, m, "a"); st.Errors != 1 || st.LastError == "" {
		t.Errorf("got %+v, want one error", st)
	}
}

func TestListsThatChangeWhileCalled(t *testing.T) {
	var mu sync.Mutex
	told := 0
	m := open(t, manager.Options{Servers: []manager.Server{child("a", "a"), web(t, "b", "b", false)}, OnLists: func(string) {
		mu.Lock()
		defer mu.Unlock()
		told++
	}})
	var all sync.WaitGroup
	for _, server := range []string{"a", "b"} {
		for i := range 20 {
			all.Go(func() {
				if got, err := call(t, m, server+"__change", strconv.Itoa(i)); err != nil || got != "changed" {
					t.Errorf("got %q, %v", got, err)
				}
				wantCall(t, m, server+"__echo", "x", server+": x")
			})
		}
	}
	all.Wait()
	for _, server := range []string{"a", "b"} {
		for i := range 20 { // the calls ended in any order, so that a list in between may have the last one without the others
			name := server + "__new_" + strconv.Itoa(i)
			eventually(t, name+" is listed", func() bool { return m.Lookup(name) != nil })
		}
		wantCall(t, m, server+"__new_7", "", "new")
		if st := status(t, m, server); st.Connects != 1 || st.Errors != 0 {
			t.Errorf("got %+v, want one connection and no errors", st)
		}
	}
	// Each when it was connected, and at least once more; a list is in force before it is reported.
	eventually(t, "4 changes or more reported", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return told >= 4
	})
}

func TestNoProcessIsLeft(t *testing.T) {
	for _, end := range []string{"Close", "context", "killed", "Remove", "hangs", "detached"} {
		t.Run(end, func(t *testing.T) {
			if end == "detached" && runtime.GOOS != "linux" {
				t.Skip("what left its group is found on Linux")
			}
			m := prepare(t, manager.Options{StopGrace: 100 * time.Millisecond, Servers: []manager.Server{child("a", "a")}})
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			if err := m.Start(ctx); err != nil {
				t.Fatal(err)
			}
			text, err := call(t, m, "a__child", end)
			if err != nil {
				t.Fatal(err)
			}
			grandchild, err := strconv.Atoi(text)
			if err != nil || !alive(grandchild) {
				t.Fatalf("got the grandchild %q, want one that runs", text)
			}
			pid := status(t, m, "a").PID
			switch end {
			case "Close", "detached":
				if err := m.Close(); err != nil {
					t.Error(err)
				}
			case "context":
				cancel()
				eventually(t, "the manager is closed", func() bool { return status(t, m, "a").State == manager.Disconnected })
			case "Remove":
				if err := m.Remove("a"); err != nil || m.Lookup("a__echo") != nil {
					t.Errorf("got %v, want a server that is gone with its tools", err)
				}
			case "killed", "hangs":
				p, err := os.FindProcess(pid)
				if err != nil {
					t.Fatal(err)
				}
				if end == "hangs" {
					stopProcess(t, p)
					if err := m.Close(); err != nil {
						t.Error(err)
					}
				} else if err := p.Kill(); err != nil {
					t.Fatal(err)
				}
			}
			eventually(t, "both processes have ended", func() bool { return !alive(pid) && !alive(grandchild) })
		})
	}
}

func TestCallsEndWithTheManager(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ran")
	m := open(t, manager.Options{StopGrace: 100 * time.Millisecond,
		Servers: []manager.Server{child("a", "a", "RAN", file, "UNTIL", file+".never")}})
	done := make(chan error, 1)
	go func() {
		_, err := call(t, m, "a__sleep", "")
		done <- err
	}()
	eventually(t, "the tool runs", func() bool { return runs(t, file) != "" })
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	var own *manager.ServerError
	if err := <-done; !errors.As(err, &own) {
		t.Errorf("got %v, want an error of the server", err)
	}
	if _, err := call(t, m, "a__echo", ""); !errors.Is(err, manager.ErrClosed) {
		t.Errorf("got %v, want ErrClosed", err)
	}
	if err := m.Start(context.Background()); !errors.Is(err, manager.ErrClosed) {
		t.Errorf("got %v, want ErrClosed", err)
	}
}

func TestShutdownWaitsForCalls(t *testing.T) {
	file, until := filepath.Join(t.TempDir(), "ran"), filepath.Join(t.TempDir(), "until")
	m := open(t, manager.Options{Servers: []manager.Server{child("a", "a", "RAN", file, "UNTIL", until)}})
	done := make(chan string, 1)
	go func() {
		got, err := call(t, m, "a__sleep", "")
		done <- fmt.Sprint(got, err)
	}()
	eventually(t, "the tool runs", func() bool { return runs(t, file) != "" })
	time.AfterFunc(300*time.Millisecond, func() { _ = os.WriteFile(until, nil, 0o600) })
	if err := m.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
	if got := <-done; got != "late<nil>" {
		t.Errorf("got %q, want the answer", got)
	}
}

// Three servers have the same tool, which must not run twice for a call; they kill
// themselves at random while it is called. Every call comes to its end.
func TestNothingRunsTwiceInAStorm(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ran")
	m := prepare(t, manager.Options{SharedNames: true, Servers: []manager.Server{
		child("a", "x", "RAN", file, "MORTAL", "1"), child("b", "x", "RAN", file, "MORTAL", "1"),
		child("c", "x", "RAN", file, "MORTAL", "1"),
	}})
	_ = m.Start(context.Background()) // some may be dead already
	reconnects := func() (n uint64) {
		for _, s := range m.Status() {
			n += s.Connects - 1
		}
		return n
	}
	deadline := time.Now().Add(30 * time.Second)
	var callers sync.WaitGroup
	var answered atomic.Int32
	for caller := range 8 {
		callers.Go(func() {
			for i := 0; i < 50 || (answered.Load() == 0 || reconnects() == 0) && time.Now().Before(deadline); i++ {
				if got, err := call(t, m, "once", fmt.Sprintf("%d.%d", caller, i)); err == nil && got == "done" {
					answered.Add(1)
				}
			}
		})
	}
	callers.Wait()
	seen := map[string]bool{}
	for _, id := range strings.Fields(runs(t, file)) {
		if seen[id] {
			t.Errorf("the call %s ran twice", id)
		}
		seen[id] = true
	}
	if n := int(answered.Load()); n > len(seen) || n == 0 || reconnects() == 0 {
		t.Errorf("%d calls were answered, %d ran, %d reconnects", n, len(seen), reconnects())
	}
}
