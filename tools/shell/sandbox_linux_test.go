// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package shell_test

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/internal/process"
	"github.com/toolscope/toolscope/internal/sandbox"
	"github.com/toolscope/toolscope/tools/shell"
)

// TestSandboxOfAnAllowedCommand: what a rule allows reaches the workspace, and of that not what programs execute.
func TestSandboxOfAnAllowedCommand(t *testing.T) {
	if !process.Confines() {
		t.Skip("this kernel has no Landlock")
	}
	t.Setenv("SOME_CREDENTIAL", "not for agents")
	dir, outside := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		".env": "not for agents", "src/a.txt": "one", "lib/a.txt": "1", "src/server.key": "not for agents",
		".git/HEAD":   "ref: refs/heads/main\n",
		".git/config": "[core]\n", ".git/hooks/x.sample": "", ".vscode/tasks.json": "{}", outside + "/secret": "not for agents",
	} {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	tool := newTool(t, shell.Options{Dir: dir, Shell: "bash"})
	ctx := sandbox.With(t.Context(), &sandbox.Sandbox{Workspace: []string{dir}})
	connect := "(exec 3<>/dev/tcp/127.0.0.1/" + port + ") && echo connected || echo refused"
	for command, want := range map[string]string{
		"cat src/a.txt && ls -a":                                       ".env",
		"echo x > src/a.txt && cat src/a.txt":                          "x",
		"mkdir -p lib/new/er && echo y > lib/new/er/f && echo wrote":   "wrote",
		"cat .env || echo refused":                                     "refused",
		"cat src/server.key || echo refused":                           "refused",
		"echo x > .git/config || echo refused":                         "refused",
		"cp .git/hooks/x.sample .git/hooks/pre-commit || echo refused": "refused",
		"mv src/a.txt .git/hooks/pre-commit || echo refused":           "refused",
		"echo x > .vscode/tasks.json || echo refused":                  "refused",
		"echo x > .bashrc || echo refused":                             "refused",
		"cat " + outside + "/secret || echo refused":                   "refused",
		"tr '\\0' '\\n' </proc/$PPID/environ || echo refused":          "refused",
		"echo x > $TMPDIR/f && cat $TMPDIR/f":                          "x",
		connect:                                                        "refused",
	} {
		if !process.RefusesTCP() && command == connect {
			continue
		}
		if out, err := run(ctx, tool, command); err != nil || !strings.Contains(out, want) || strings.Contains(out, "not for agents") {
			t.Errorf("%s: got %q and %v, want %s", command, out, err, want)
		}
	}
	if out, err := run(sandbox.With(t.Context(), &sandbox.Sandbox{Network: true}), tool,
		"cat "+outside+"/secret; "+connect+"; tr '\\0' '\\n' </proc/$PPID/environ; ps | head -1"); err != nil ||
		!strings.Contains(out, "not for agentsconnected") || strings.Contains(out, "SOME_CREDENTIAL") {
		t.Errorf("without a rule: got %q and %v, want all but the environment", out, err)
	}
}

// TestGitInTheSandbox runs git itself.
func TestGitInTheSandbox(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil || !process.Confines() {
		t.Skip("git or Landlock is missing")
	}
	dir := t.TempDir()
	t.Setenv("HOME", t.TempDir())
	tool := newTool(t, shell.Options{Dir: dir})
	if out, err := run(t.Context(), tool, "git init -q . && git config user.name a && git config user.email "+
		"a@example.com && mkdir s && echo x > s/f"); err != nil {
		t.Fatal(out, err)
	}
	for _, c := range []struct {
		sandbox sandbox.Sandbox
		command string
		want    string
	}{
		{sandbox.Sandbox{}, "git status --short", "?? s/"},
		{sandbox.Sandbox{}, "git add s || echo refused", "refused"},
		{sandbox.Sandbox{Git: true}, "git add s && git commit -qm one && git log --oneline", " one"},
		{sandbox.Sandbox{}, "git log --format=%an", "a\n"},
		{sandbox.Sandbox{}, "mkdir s/b; cd s/b; git init -q --bare . 2>/dev/null; git status || echo refused", "refused"},
	} {
		c.sandbox.Workspace = []string{dir}
		if out, err := run(sandbox.With(t.Context(), &c.sandbox), tool, c.command); err != nil || !strings.Contains(out, c.want) {
			t.Errorf("%s: got %q and %v, want %q", c.command, out, err, c.want)
		}
	}
}
