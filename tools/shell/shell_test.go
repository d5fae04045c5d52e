// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package shell_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/shell"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newTool(t *testing.T, o shell.Options) toolkit.Tool {
	t.Helper()
	tool, err := shell.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

func run(ctx context.Context, tool toolkit.Tool, command string) (string, error) {
	res, err := tool.Handle(ctx, toolkit.Call{Name: "shell_run", Arguments: []byte(`{"command":` + strconv.Quote(command) + `}`)})
	return res.Output, err
}

func TestCommands(t *testing.T) {
	t.Setenv("SOME_CREDENTIAL", "must not be seen")
	dir := t.TempDir()
	tool := newTool(t, shell.Options{Dir: dir, Env: []string{"COLOUR=green"}})
	tests := []struct {
		name, command string
		want, never   []string
	}{
		{"success", "echo hello", []string{"exit code 0 after ", "stdout:\nhello\n"}, []string{"stderr"}},
		{"failure is output", "echo oops >&2; exit 3", []string{"exit code 3 after ", "stderr:\noops\n"}, []string{"stdout"}},
		{"both streams", "echo a; echo b >&2", []string{"stdout:\na\n", "stderr:\nb\n"}, nil},
		{"no newline at the end", "printf x", []string{"stdout:\nx\n"}, nil},
		{"unknown command", "nosuchprogram", []string{"exit code 127", "nosuchprogram"}, nil},
		{"syntax error", "if", []string{"exit code 2", "stderr:\n"}, nil},
		{"work directory", "pwd -P; cd /", []string{filepath.Base(dir)}, nil},
		{"clean environment", "env", []string{"COLOUR=green", "PATH="}, []string{"SOME_CREDENTIAL"}},
		{"no input", "cat; echo done", []string{"stdout:\ndone\n"}, nil},
		{"signal", "kill -SEGV $$", []string{"ended by signal: segmentation fault"}, nil},
		{"starts with a dash", "-x", []string{"exit code 127"}, nil},
		{"invalid UTF-8", `printf 'a\377b'`, []string{"a\uFFFDb"}, nil},
		{"background", "sleep 60 & echo started",
			[]string{"exit code 0", "processes left in the background were ended", "started"}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out, err := run(t.Context(), tool, test.command)
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range test.want {
				if !strings.Contains(out, w) {
					t.Errorf("got %q, want %q in it", out, w)
				}
			}
			for _, n := range test.never {
				if strings.Contains(out, n) {
					t.Errorf("got %q, want no %q in it", out, n)
				}
			}
		})
	}
}

// atLast calls f with limits that double, until it reports that the limit was long enough: how
// soon a process says something is the machine's to say.
func atLast(t *testing.T, f func(limit time.Duration) bool) {
	t.Helper()
	for limit := 400 * time.Millisecond; limit < 20*time.Second; limit *= 2 {
		if f(limit) {
			return
		}
	}
	t.Error("nothing was said in good time")
}

// TestKilled checks that a whole family that ignores SIGTERM ends with its time.
func TestKilled(t *testing.T) {
	const family = `trap '' TERM; (trap '' TERM; sleep 300 & echo "child $!"; wait) & sleep 0.1; echo "shell $$"; wait; sleep 300`
	tests := []struct {
		name string
		own  bool // the limit is the tool's own
		ctx  func(context.Context, time.Duration) (context.Context, context.CancelFunc)
		kind error
		says string
	}{
		{"own limit", true, func(ctx context.Context, _ time.Duration) (context.Context, context.CancelFunc) {
			return context.WithCancel(ctx)
		}, toolkit.ErrTimeout, "because its time limit of %v was over"},
		{"caller's deadline", false, context.WithTimeout, toolkit.ErrTimeout, "because the caller's deadline passed"},
		{"caller cancels", false, func(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(limit, cancel)
			return ctx, cancel
		}, toolkit.ErrCanceled, "because the caller cancelled the call"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			atLast(t, func(limit time.Duration) bool {
				ctx, cancel := test.ctx(t.Context(), limit)
				defer cancel()
				o, says := shell.Options{Timeout: time.Minute}, test.says
				if test.own {
					o.Timeout, says = limit, fmt.Sprintf(says, limit)
				}
				start := time.Now()
				out, err := run(ctx, newTool(t, o), family)
				if err != nil && strings.Contains(err.Error(), "did not start") { // the time was over before that
					return false
				}
				if took := time.Since(start); took > limit+30*time.Second {
					t.Errorf("took %v", took)
				}
				if !errors.Is(err, test.kind) || !strings.Contains(err.Error(), says) {
					t.Errorf("got error %v, want one of kind %v that says %q", err, test.kind, says)
				}
				if !strings.Contains(out, "killed after ") || !strings.Contains(out, says) {
					t.Errorf("got %q, want that it was killed, and why", out)
				}
				said := 0
				for _, who := range []string{"child ", "shell "} {
					_, rest, ok := strings.Cut(out, who)
					number, _, _ := strings.Cut(rest, "\n")
					pid, err := strconv.Atoi(number)
					if !ok || err != nil {
						t.Logf("limit %v: got %q, want the partial output with the line %q", limit, out, who)
						continue
					}
					said++
					if !gone(pid) {
						t.Errorf("%s%d still runs", who, pid)
					}
				}
				return said == 2
			})
		})
	}
}

// gone waits for a process to vanish; a zombie, which only its new parent can remove,
// counts as gone.
func gone(pid int) bool {
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return true
		}
		if stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); err == nil &&
			strings.Contains(string(stat), ") Z ") {
			return true
		}
	}
	return false
}

// TestShorterTimeout checks that a call may ask for less time than the tool has, and
// not for more.
func TestShorterTimeout(t *testing.T) {
	for _, asks := range []float64{1, 1e9} { // times the limit that applies
		atLast(t, func(limit time.Duration) bool {
			o := shell.Options{Timeout: limit}
			if asks == 1 {
				o.Timeout = time.Minute
			}
			args := fmt.Sprintf(`{"command":"echo on; sleep 60","timeout_seconds":%g}`, asks*limit.Seconds())
			res, err := newTool(t, o).Handle(t.Context(), toolkit.Call{Name: "shell_run", Arguments: []byte(args)})
			if err != nil && strings.Contains(err.Error(), "did not start") {
				return false
			}
			if says := fmt.Sprintf("because its time limit of %v was over", limit); !errors.Is(err,
				toolkit.ErrTimeout) || !strings.Contains(res.Output, says) {
				t.Errorf("%s: got %q and %v, want %q", args, res.Output, err, says)
			}
			return strings.Contains(res.Output, "stdout:\non\n")
		})
	}
	tool := newTool(t, shell.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := run(ctx, tool, "echo on"); !errors.Is(err, toolkit.ErrCanceled) {
		t.Errorf("got %v, want canceled", err)
	}
}

// TestFlood lets a command write 50 MB, and 10 GB in the end-to-end suite.
func TestFlood(t *testing.T) {
	const limit = 1000
	size := 50_000_000
	if os.Getenv("TOOLSCOPE_E2E") == "1" {
		size = 10_000_000_000
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	out, err := run(t.Context(), newTool(t, shell.Options{MaxOutput: limit, Timeout: 3 * time.Minute}),
		fmt.Sprintf("echo first; yes xxxxxxxxx | head -c %d; echo; echo last", size))
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 1<<20 {
		t.Errorf("allocated %d bytes for %d MB of output", grown, size/1_000_000)
	}
	if len(out) > limit+200 {
		t.Errorf("answer has %d bytes, want about %d", len(out), limit)
	}
	for _, want := range []string{"stdout:\nfirst\n", "x\n\nlast\n",
		fmt.Sprintf("[%d of %d bytes left out]", size+12-limit, size+12)} {
		if !strings.Contains(out, want) {
			t.Errorf("got %q…, want %q in it", out[:100], want)
		}
	}
}

func TestRefusedArguments(t *testing.T) {
	tool := newTool(t, shell.Options{})
	for _, args := range []string{``, `{}`, `{"command":" "}`, `{"command":"a\u0000b"}`, `{"command":5}`, `[]`,
		`{"command":"a","timeout_seconds":0}`, `{"command":"a","timeout_seconds":-1}`, `{"command":"a","timeout_seconds":"1"}`} {
		_, err := tool.Handle(t.Context(), toolkit.Call{Name: "shell_run", Arguments: []byte(args)})
		if !errors.Is(err, toolkit.ErrInvalidArguments) {
			t.Errorf("%s: got %v, want invalid arguments", args, err)
		}
	}
}

func TestRefusedOptions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]shell.Options{
		"Options.Timeout":   {Timeout: -1},
		"Options.MaxOutput": {MaxOutput: -1},
		"Options.Dir":       {Dir: file},
		"Options.Env[1]":    {Env: []string{"A=b", "novalue"}},
		"Options.Shell":     {Shell: "no-such-shell"},
	} {
		if _, err := shell.New(o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got error %v, want one that names the field", name, err)
		}
	}
}

func TestDefinition(t *testing.T) {
	def := newTool(t, shell.Options{Timeout: time.Second}).Definition()
	if err := def.Validate(); err != nil {
		t.Fatal(err)
	}
	if def.Risk != toolkit.RiskHigh || def.ReadOnly != toolkit.No || def.Destructive != toolkit.Yes ||
		def.Timeout <= time.Second {
		t.Errorf("got risk %q, read-only %d, destructive %d, timeout %v", def.Risk, def.ReadOnly, def.Destructive, def.Timeout)
	}
}
