// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package python_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/python"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newTool makes the tool, or skips the test where there is no Python.
func newTool(t testing.TB, o python.Options) toolkit.Tool {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		if os.Getenv("TOOLSCOPE_E2E") == "1" {
			t.Fatal(err)
		}
		t.Skip("no Python on this machine: ", err)
	}
	if o.Timeout == 0 {
		o.Timeout = time.Minute // what a program does is not to depend on the machine's speed
	}
	tool, err := python.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

func run(ctx context.Context, tool toolkit.Tool, code string) (string, error) {
	arguments, err := json.Marshal(map[string]string{"code": code})
	if err != nil {
		return "", err
	}
	res, err := tool.Handle(ctx, toolkit.Call{Name: "python_run", Arguments: arguments})
	return res.Output, err
}

// programs reads a file of programs, each with the lines that it must print.
func programs(t *testing.T, file string) (list []program) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split("\n"+string(text), "\n--- ")[1:] {
		name, body, _ := strings.Cut(block, "\n")
		p := program{name: name}
		var code []string
		for line := range strings.SplitSeq(strings.TrimRight(body, "\n"), "\n") {
			if want, ok := strings.CutPrefix(line, "=== "); ok {
				p.want = append(p.want, want)
			} else {
				code = append(code, line)
			}
		}
		p.code = strings.Join(code, "\n")
		list = append(list, p)
	}
	return list
}

type program struct {
	name, code string
	want       []string
}

func TestPrograms(t *testing.T) {
	tool := newTool(t, python.Options{})
	for _, p := range programs(t, "testdata/programs.txt") {
		t.Run(p.name, func(t *testing.T) {
			out, err := run(t.Context(), tool, p.code)
			if err != nil || !strings.HasPrefix(out, "exit code 0 ") {
				t.Fatalf("got %v and %s", err, out)
			}
			for _, want := range p.want {
				if !strings.Contains(out, want) {
					t.Errorf("got %s, want %s in it", out, want)
				}
			}
		})
	}
}

func TestEscapes(t *testing.T) {
	for _, level := range []python.Level{python.Standard, python.Strict} {
		tool := newTool(t, python.Options{Level: level})
		t.Run(string(level), func(t *testing.T) {
			for _, p := range programs(t, "testdata/escapes.txt") {
				if level == python.Strict && strings.Contains(p.code, "import") {
					continue // has fewer modules; what is left is the same guard
				}
				t.Run(p.name, func(t *testing.T) {
					t.Parallel()
					stopped(t, tool, p.code)
				})
			}
		})
	}
}

// stopped checks that a program is refused, or fails before it gets what it wants.
func stopped(t *testing.T, tool toolkit.Tool, code string) {
	out, err := run(t.Context(), tool, code)
	if _, printed, ok := strings.Cut(out, "stdout:\n"); ok {
		if printed, _, _ = strings.Cut(printed, "stderr:\n"); strings.Contains(printed, "ESCAPED") {
			t.Errorf("it got out: %s", out)
		}
	}
	refused := errors.Is(err, toolkit.ErrPermissionDenied)
	if failed := err == nil && strings.HasPrefix(out, "exit code 1 "); !refused && !failed {
		t.Errorf("got %v and %s, want it refused or failing", err, out)
	}
}

func TestRefusalsTellEverything(t *testing.T) {
	tool := newTool(t, python.Options{Level: python.Strict})
	out, err := run(t.Context(), tool, "import os\nimport math\nx = eval('1')\nprint(type(x), ().__class__)\n")
	if !errors.Is(err, toolkit.ErrPermissionDenied) || out != "" {
		t.Fatalf("got %v and %q, want it refused", err, out)
	}
	for _, want := range []string{"line 1: import of os", "line 3: eval", "line 4: type",
		"line 4: attribute __class__", "level strict", "modules allowed: collections"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q in it", err, want)
		}
	}
}

func TestExtraModules(t *testing.T) {
	extra := map[python.Level][]string{python.Strict: {"json", "os.path"}}
	for level, want := range map[python.Level]bool{python.Strict: true, python.Standard: false} {
		tool := newTool(t, python.Options{Level: level, ExtraModules: extra})
		out, err := run(t.Context(), tool, "import os.path, json\nprint(os.path.join('a', 'b'), json.dumps(1))")
		if (err == nil) != want || want && !strings.Contains(out, "a/b 1") {
			t.Errorf("%s: got %v and %q", level, err, out)
		}
		if out, err := run(t.Context(), tool,
			"import os.path\nprint(os.path.os, os.getcwd(), 'ESCAPED')"); err == nil && !strings.Contains(out, "AttributeError") {
			t.Errorf("%s: got %v and %q, want the rest of os kept", level, err, out)
		}
	}
}

func TestLenient(t *testing.T) {
	tool := newTool(t, python.Options{Level: python.Lenient})
	out, err := run(t.Context(), tool, `
import os, sys, pickle, subprocess
open("file.txt", "w").write("kept for this program")
print(open("file.txt").read(), eval("1+1"), sys.stdin.read() == "", sorted(os.environ))
class A: pass
print(type(pickle.loads(pickle.dumps(A()))).__name__, os.listdir("."))
print(subprocess.run(["echo", "child"], capture_output=True).returncode)
`)
	if err != nil || !strings.Contains(out, "kept for this program 2 True") || !strings.Contains(out, "A ['file.txt']") {
		t.Errorf("got %v and %s", err, out)
	}
}

func TestEndings(t *testing.T) {
	tool := newTool(t, python.Options{MaxMemory: 256 << 20})
	for name, tt := range map[string]struct {
		code string
		want []string
	}{
		"an exception":       {"def f():\n    return 1/0\nf()", []string{"exit code 1", "line 2, in f", "ZeroDivisionError"}},
		"no Python":          {"print 'x'", []string{"exit code 1", "stderr:", "line 1", "SyntaxError"}},
		"its own exit code":  {"raise SystemExit(3)", []string{"exit code 3"}},
		"its own last words": {"raise SystemExit('bye')", []string{"exit code 1", "bye"}},
		"silence":            {"x = 1", []string{"exit code 0", "nothing was printed"}},
		"both streams": {"import logging\nprint('out')\nlogging.warning('err')",
			[]string{"stdout:\nout\n", "stderr:\nWARNING:root:err\n"}},
		"too much memory":       {"x = [0] * 10**9", []string{"exit code 1", "MemoryError"}},
		"recursion":             {"def f(): f()\nf()", []string{"exit code 1", "RecursionError"}},
		"deep nesting":          {"x = " + strings.Repeat("-", 50_000) + "1", []string{"exit code 1", "nested too deeply"}},
		"surrogates and blanks": {"print('\\udc80', 'å')", []string{"exit code 0", "\\udc80 å"}},
		"a flood":               {"for i in range(10**6): print('0123456789')", []string{"exit code 0", "bytes left out]"}},
	} {
		out, err := run(t.Context(), tool, tt.code)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, want := range tt.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s: got %.1000s, want %q in it", name, out, want)
			}
		}
		if len(out) > (64<<10)+4096 {
			t.Errorf("%s: got %d bytes", name, len(out))
		}
	}
}

func TestTimeouts(t *testing.T) {
	var tool toolkit.Tool
	var out string
	// until Python has started by then
	for limit := time.Second; limit < 20*time.Second && !strings.Contains(out, "begun"); limit *= 2 {
		tool = newTool(t, python.Options{Timeout: limit})
		began := time.Now()
		var err error
		out, err = run(t.Context(), tool, "print('begun', flush=True)\nwhile True: pass")
		if !errors.Is(err, toolkit.ErrTimeout) || !strings.Contains(out, fmt.Sprintf("time limit of %v", limit)) {
			t.Errorf("got %v and %q, want a timeout", err, out)
		}
		if took := time.Since(began); took > limit+20*time.Second {
			t.Errorf("it took %v", took)
		}
	}
	if !strings.Contains(out, "begun") {
		t.Errorf("got %q, want what was printed to be kept", out)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := run(ctx, tool, "print(1)"); !errors.Is(err, toolkit.ErrCanceled) {
		t.Errorf("got %v, want the call cancelled", err)
	}
}

func TestArguments(t *testing.T) {
	tool := newTool(t, python.Options{})
	for arguments, want := range map[string]string{
		`{}`: "code: got no text",
		`{"code": "` + strings.Repeat("#", 65537) + `"}`: "code: got 65537 bytes",
		`{"code": "1", "timeout_seconds": -1}`:           "timeout_seconds: got -1",
	} {
		_, err := tool.Handle(t.Context(), toolkit.Call{Name: "python_run", Arguments: []byte(arguments)})
		if !errors.Is(err, toolkit.ErrInvalidArguments) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q in it", err, want)
		}
	}
}

func TestOptions(t *testing.T) {
	for field, o := range map[string]python.Options{
		"Level": {Level: "careful"}, "Timeout": {Timeout: -1}, "MaxOutput": {MaxOutput: -1}, "MaxMemory": {MaxMemory: -1},
		"ExtraModules": {ExtraModules: map[python.Level][]string{python.Strict: {"os;x"}}},
		"RequireWalls": {Python: "no-such-python", RequireWalls: true},
	} {
		if _, err := python.New(o); err == nil || !strings.Contains(err.Error(), "python: Options."+field+": got ") {
			t.Errorf("%s: got %v", field, err)
		}
	}
}

func TestWithoutPython(t *testing.T) {
	tool, err := python.New(python.Options{Python: "no-such-python"})
	if err != nil {
		t.Fatal(err)
	}
	if d := tool.Definition(); !strings.Contains(d.Description, "there is no no-such-python on this machine") ||
		d.Validate() != nil {
		t.Errorf("got the description %q", d.Description)
	}
	if _, err := run(t.Context(), tool, "print(1)"); !errors.Is(err, toolkit.ErrTool) ||
		!strings.Contains(err.Error(), "no program can be run") {
		t.Errorf("got %v", err)
	}
}

func TestAvailable(t *testing.T) {
	if err := python.Available(python.Options{Python: "no-such-python"}); err == nil ||
		!strings.Contains(err.Error(), "there is no no-such-python") {
		t.Errorf("got %v", err)
	}
	if err := python.Available(python.Options{Level: "careful"}); err == nil || !strings.Contains(err.Error(), "Options.Level") {
		t.Errorf("got %v", err)
	}
	newTool(t, python.Options{}) // skips without one
	if err := python.Available(python.Options{}); err != nil {
		t.Error(err)
	}
}

func TestDefinitions(t *testing.T) {
	for level, timeout := range map[python.Level]time.Duration{python.Lenient: 30 * time.Second,
		python.Standard: 10 * time.Second, python.Strict: 5 * time.Second} {
		newTool(t, python.Options{}) // skips without a Python
		tool, err := python.New(python.Options{Level: level})
		if err != nil {
			t.Fatal(err)
		}
		d := tool.Definition()
		if err := d.Validate(); err != nil {
			t.Error(err)
		}
		if d.Timeout != timeout+5*time.Second || d.ReadOnly != toolkit.HintOf(level != python.Lenient) ||
			!strings.Contains(d.Description, "Python 3.") {
			t.Errorf("%s: got timeout %v, read-only %d, %s", level, d.Timeout, d.ReadOnly, d.Description)
		}
	}
}
