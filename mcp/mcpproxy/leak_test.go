// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package mcpproxy_test

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/mcp/mcpproxy"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
)

// eachWay uses a watcher that passes bytes on as they come, and one that looks at frames first; before are
// the goroutines that were there before it.
func eachWay(t *testing.T, use func(w *mcpproxy.Watcher, before goleak.Option)) {
	t.Helper()
	pass := middleware.At(middleware.StagePermit, func(next toolkit.Handler) toolkit.Handler { return next })
	for _, policies := range [][]middleware.Policy{nil, {pass}} {
		scope, err := toolscope.New(toolscope.Options{Policies: policies})
		if err != nil {
			t.Fatal(err)
		}
		before := goleak.IgnoreCurrent()
		w, err := mcpproxy.New(scope, mcpproxy.Options{})
		if err != nil {
			t.Fatal(err)
		}
		use(w, before)
		if err := scope.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// A proxy that has ended leaves no goroutine, even if its client never closes its end.
func TestNothingIsLeft(t *testing.T) {
	eachWay(t, func(w *mcpproxy.Watcher, before goleak.Option) {
		stdin, client, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		var out [2]*os.File
		for i := range out {
			if out[i], err = os.OpenFile(os.DevNull, os.O_WRONLY, 0); err != nil {
				t.Fatal(err)
			}
		}
		exit, err := w.Run(
			mcpproxy.Command{Path: "/bin/sh", Args: []string{"sh", "-c", "exit 3"}, Stdin: stdin, Stdout: out[0], Stderr: out[1]},
		)
		if err != nil || exit.Code != 3 {
			t.Errorf("got %+v and %v, want code 3", exit, err)
		}
		w.Close()
		// who reads the client looks now and then
		for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
			err := goleak.Find(before)
			if err == nil {
				break
			}
			if time.Now().After(deadline) {
				t.Fatal(err)
			}
		}
	})
}

// A process that a server started may outlive it, hold its input, and read nothing of what is being sent.
func TestInputThatIsNotRead(t *testing.T) {
	eachWay(t, func(w *mcpproxy.Watcher, _ goleak.Option) {
		stdin, client, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		answers, stdout, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		stderr, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			defer client.Close()
			fmt.Fprintf(
				client,
				`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"text":"%s"}}}`+"\n",
				strings.Repeat("x", 4<<20),
			)
		}()
		exits := make(chan mcpproxy.Exit, 1)
		go func() {
			script := "exec 3<&0; sleep 600 <&3 >/dev/null 2>&1 & echo $!; read -r -n 1 begun; exit 3"
			exit, err := w.Run(
				mcpproxy.Command{
					Path:   "/bin/bash",
					Args:   []string{"bash", "-c", script},
					Stdin:  stdin,
					Stdout: stdout,
					Stderr: stderr,
				},
			)
			if err != nil {
				t.Error(err)
			}
			w.Close()
			exits <- exit
		}()
		var pid int
		if _, err := fmt.Fscan(answers, &pid); err != nil {
			t.Fatal(err)
		}
		select {
		case exit := <-exits:
			if exit.Code != 3 {
				t.Errorf("got %+v, want code 3", exit)
			}
		case <-time.After(time.Minute):
			t.Error("the proxy waits for who reads nothing")
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil { // who was left, and still held the input
			t.Error(err)
		}
	})
}
