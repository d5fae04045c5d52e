// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package python_test

import (
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/tools/python"
)

// TestWalls checks with programs that no guard looks at what the system keeps them from.
func TestWalls(t *testing.T) {
	tool := newTool(t, python.Options{Level: python.Lenient})
	if _, err := python.New(python.Options{Level: python.Lenient, RequireWalls: true}); err != nil {
		t.Skip("this machine has not all walls: ", err)
	}
	secret := filepath.Join(t.TempDir(), "secret.txt")
	if err := os.WriteFile(secret, []byte("not for agents"), 0o644); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	self := strconv.Itoa(os.Getpid())
	for name, attempt := range map[string]string{
		"read a file":                 "open('" + secret + "').read()",
		"write a file":                "open('" + secret + "', 'w')",
		"write beside it":             "open('" + secret + ".new', 'w')",
		"remove a file":               "os.remove('" + secret + "')",
		"read the home":               "os.listdir(os.path.expanduser('~root'))",
		"read the passwords":          "open('/etc/passwd')",
		"connect":                     "socket.create_connection(('127.0.0.1', " + port + "), 2)",
		"send a datagram":             "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 9))",
		"signal the host":             "os.kill(" + self + ", 0)",
		"read the parent's variables": "open('/proc/" + self + "/environ').read()",
		"run a program of the system": "subprocess.run(['/bin/cat', '" + secret + "'], check=True)",
		"take much memory":            "bytearray(1 << 40)",
		"write a large file":          "[f.write(b'x' * (1 << 20)) for f in [open('big', 'wb')] for _ in range(100)]",
		"raise its own limits": "resource.setrlimit(resource.RLIMIT_AS, (1 << 40, 1 << 40)) if " +
			"os.geteuid() else open('" + secret + "')",
	} {
		out, err := run(t.Context(), tool,
			"import os, socket, subprocess, resource, signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"+
				attempt+"\nprint('ESCAPED')")
		if err != nil || strings.Contains(out, "ESCAPED") || strings.Contains(out, "not for agents") ||
			!strings.HasPrefix(out, "exit code 1 ") {
			t.Errorf("%s: got %v and %s", name, err, out)
		}
	}
	if text, err := os.ReadFile(secret); err != nil || string(text) != "not for agents" {
		t.Errorf("got %q and %v, want the file as it was", text, err)
	}
}

// TestNothingSurvives starts a process that detaches itself and outlives its program.
func TestNothingSurvives(t *testing.T) {
	if _, err := exec.LookPath("ps"); err != nil {
		t.Skip("no ps on this machine")
	}
	tool := newTool(t, python.Options{Level: python.Lenient})
	mark := "orphan" + strconv.Itoa(rand.Int())
	out, err := run(t.Context(), tool, `
import os, sys, time
if os.fork() == 0:
    os.setsid()
    for n in (0, 1, 2): os.close(n)
    os.execv(sys.executable, [sys.executable, "-I", "-S", "-c", "import time; time.sleep(600)", "`+mark+`"])
time.sleep(0.3)
print("abandoned")
`)
	if err != nil || !strings.Contains(out, "abandoned") {
		t.Fatalf("got %v and %s", err, out)
	}
	table, err := exec.Command("ps", "-eo", "pid=,stat=,args=").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(table)) {
		if strings.Contains(line, mark) && !strings.Contains(strings.Fields(line)[1], "Z") {
			t.Errorf("it still runs: %s", line)
		}
	}
}
