// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package shell_test

import (
	"math/rand/v2"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/tools/shell"
)

// A nap is a number of seconds that distinguishes the processes of one test from all
// others on the machine.
type nap string

func newNap() nap { return nap(strconv.Itoa(100_000 + rand.IntN(900_000))) }

// command puts the number into a command line.
func (n nap) command(line string) string { return strings.ReplaceAll(line, "NAP", string(n)) }

// sleepers are the processes that sleep so long, by a look at the whole table.
func (n nap) sleepers(t *testing.T) (pids []int) {
	t.Helper()
	out, err := exec.Command("ps", "-eo", "pid=,stat=,args=").Output()
	if err != nil {
		t.Skip("no ps on this machine: ", err)
	}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) > 3 && f[2] == "sleep" && f[3] == string(n) && !strings.HasPrefix(f[1], "Z") {
			pid, err := strconv.Atoi(f[0])
			if err != nil {
				t.Fatal(err)
			}
			pids = append(pids, pid)
		}
	}
	return pids
}

// TestDetached checks that a child that leaves the process group ends with its call.
func TestDetached(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("no setsid on this machine")
	}
	// It leaves the group, the terminal and the output.
	const detach = `setsid sh -c 'trap "" TERM HUP; exec >/dev/null 2>&1 </dev/null; sleep NAP' & sleep 0.2; echo on`
	for _, private := range []bool{false, true} {
		tool, err := shell.New(shell.Options{PIDNamespace: private})
		if err != nil && private {
			t.Logf("no PID namespaces: %v", err)
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		n := newNap()
		out, err := run(t.Context(), tool, n.command(detach))
		if err != nil || !strings.Contains(out, "exit code 0") || !strings.Contains(out, "stdout:\non\n") {
			t.Errorf("namespace %v: got %q and %v", private, out, err)
		}
		if took := time.Since(start); took > 30*time.Second {
			t.Errorf("namespace %v: took %v, want no waiting for the detached process", private, took)
		}
		for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline) && len(n.sleepers(t)) > 0; {
			time.Sleep(10 * time.Millisecond) // the table takes a moment
		}
		if left := n.sleepers(t); len(left) > 0 {
			t.Errorf("namespace %v: processes survived: %v", private, left)
		}
	}
}

// TestUnmarked checks what the mark cannot do, and a namespace can: a child that leaves
// the group with an empty environment.
func TestUnmarked(t *testing.T) {
	tool, err := shell.New(shell.Options{PIDNamespace: true})
	if err != nil {
		t.Skip("no PID namespaces: ", err)
	}
	n := newNap()
	out, err := run(t.Context(), tool, n.command(`env -i setsid sleep NAP >/dev/null 2>&1 & sleep 0.2; echo on; (exit 3)`))
	if err != nil || !strings.Contains(out, "exit code 3") {
		t.Errorf("got %q and %v", out, err)
	}
	if left := n.sleepers(t); len(left) > 0 {
		t.Errorf("processes survived: %v", left)
	}
}

// TestForkStorm lets processes that leave the group breed for a while, in a namespace
// and with a limit on their number.
func TestForkStorm(t *testing.T) {
	tool, err := shell.New(shell.Options{PIDNamespace: true, Timeout: time.Second})
	if err != nil {
		t.Skip("no PID namespaces: ", err)
	}
	n := newNap()
	out, err := run(t.Context(), tool, n.command(`for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do `+
		`setsid sh -c 'setsid sleep NAP & sleep NAP' & done; wait`))
	if err == nil || !strings.Contains(out, "because its time limit of 1s was over") {
		t.Errorf("got %q and %v, want a timeout", out, err)
	}
	if left := n.sleepers(t); len(left) > 0 {
		t.Errorf("processes survived: %v", left)
	}
}

// TestClosedOutput checks that commands that close or shut their own output end as usual.
func TestClosedOutput(t *testing.T) {
	tool := newTool(t, shell.Options{})
	for command, want := range map[string]string{
		"exec >&- 2>&-; exit 4":         "exit code 4",
		"yes | head -1":                 "stdout:\ny\n",
		"trap '' PIPE; yes 2>&1 | true": "exit code 0",
	} {
		if out, err := run(t.Context(), tool, command); err != nil || !strings.Contains(out, want) {
			t.Errorf("%s: got %q and %v, want %q", command, out, err, want)
		}
	}
}

// BenchmarkRun measures a call, most of which is the shell's own start.
func BenchmarkRun(b *testing.B) {
	for name, o := range map[string]shell.Options{"group": {}, "namespace": {PIDNamespace: true}} {
		b.Run(name, func(b *testing.B) {
			tool, err := shell.New(o)
			if err != nil {
				b.Skip(err)
			}
			for b.Loop() {
				if _, err := run(b.Context(), tool, "true"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("bare", func(b *testing.B) {
		for b.Loop() {
			if err := exec.Command("bash", "-c", "true").Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
