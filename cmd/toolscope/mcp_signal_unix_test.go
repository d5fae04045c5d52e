// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// proxiedShell is a proxy before a shell that runs a script, all of it run by words before.
func proxiedShell(t *testing.T, script string, before ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), before[0], append(before[1:], self, "mcp", "--", "sh", "-c", script)...)
	cmd.Env = append(os.Environ(), programEnv+"=toolscope", "XDG_STATE_HOME="+t.TempDir())
	return cmd
}

// A server below nohup is one that ignores SIGHUP, behind a proxy as well. It was killed: the proxy took the signal for
// itself, so that its children had the default again.
func TestProxyBelowNohup(t *testing.T) {
	got := runWith(t, proxiedShell(t, "kill -HUP $$; echo lives", "sh", "-c", `trap "" HUP; exec "$@"`, "sh"), "")
	if got.stdout != "lives\n" || !got.status.Exited() || got.status.ExitStatus() != 0 {
		t.Errorf("got %q, %q and %v, want a server that lives", got.stdout, got.stderr, got.status)
	}
}

// The first process of a container is not ended by a signal that it sends itself, so the exit code tells how its server ended.
// It was 2 after SIGTERM, and came five seconds late after SIGKILL.
func TestProxyThatIsAContainersFirstProcess(t *testing.T) {
	within := []string{"unshare", "--user", "--map-root-user", "--pid", "--fork"}
	if out, err := exec.Command(within[0], append(within[1:], "true")...).CombinedOutput(); err != nil {
		t.Skipf("no namespaces here: %v %s", err, strings.TrimSpace(string(out)))
	}
	for signal, want := range map[string]int{"TERM": 128 + 15, "KILL": 128 + 9} {
		got := runWith(t, proxiedShell(t, "kill -"+signal+" $$", within...), "")
		if !got.status.Exited() || got.status.ExitStatus() != want {
			t.Errorf("%s: got %v and %q, want exit code %d", signal, got.status, got.stderr, want)
		}
	}
}
