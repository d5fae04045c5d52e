// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package process

import (
	"bufio"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// tree starts a shell with a child; it gives the child's number.
func tree(t *testing.T, script string) (*Tree, int) {
	t.Helper()
	from, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.Env, cmd.Stdout = []string{"PATH=" + os.Getenv("PATH")}, to
	tree, err := StartTree(cmd, Walls{})
	to.Close()
	if err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(from).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	return tree, pid
}

// gone waits until a process has ended; who waits for it may be slow.
func gone(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		state, err := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
		if err != nil || strings.HasPrefix(strings.TrimSpace(string(state)), "Z") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("process %d still runs: %s", pid, state)
		}
	}
}

func TestATreeEndsWithItsDescendants(t *testing.T) {
	for name, end := range map[string]func(*Tree){"killed": (*Tree).Kill, "terminated": (*Tree).Terminate} {
		t.Run(name, func(t *testing.T) {
			tree, child := tree(t, "sleep 60 & echo $!; wait")
			if tree.State() != "" || syscall.Kill(tree.PID(), 0) != nil {
				t.Errorf("got %q, want a process that runs", tree.State())
			}
			end(tree)
			<-tree.Done()
			gone(t, child)
			if tree.State() == "" {
				t.Error("got no state of a process that has ended")
			}
		})
	}
}

func TestWhatATreeLeavesBehindIsKilled(t *testing.T) {
	tree, child := tree(t, "sleep 60 & echo $!; exit 3")
	<-tree.Done()
	if got := tree.State(); got != "exit status 3" {
		t.Errorf("got %q", got)
	}
	tree.Kill()
	gone(t, child)
	tree.Kill() // the number may be another's now: nothing happens
}

func TestATreeThatDoesNotStart(t *testing.T) {
	if _, err := StartTree(exec.Command("no/such/program"), Walls{}); err == nil {
		t.Error("got no error")
	}
}
