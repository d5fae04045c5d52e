// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/toolscope/toolscope/middleware/permit/internal/profile"
	"github.com/toolscope/toolscope/toolkit"
)

// writeFiles makes files, and links where the text begins with an arrow.
func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		err := error(nil)
		if len(text) > 2 && text[:2] == "->" {
			err = os.Symlink(text[2:], file)
		} else {
			err = os.WriteFile(file, []byte(text), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// readers are rules that allow every profile's first level.
func readers(t *testing.T, change func(*Spec)) *Rules {
	t.Helper()
	spec := Spec{Default: Ask, Rules: []Rule{{Name: "profiles", Effect: Allow, Shell: &Shell{Programs: profile.Programs()}}}}
	if change != nil {
		change(&spec)
	}
	return mustCompile(t, spec)
}

// decides checks decisions by line.
func decides(t *testing.T, rules *Rules, tool *toolkit.Definition, want map[string]Effect) {
	t.Helper()
	for line, effect := range want {
		call := shellCall(line)
		if line[0] == '{' {
			call.Arguments = []byte(line)
		}
		if d := rules.Decide(tool, call); d.Effect != effect {
			t.Errorf("%s: got %s by %q (%s), want %s", line, d.Effect, d.Rule, d.Reason, effect)
		}
	}
}

// TestNamesAreRelativeToWhereTheCommandRuns: the process, the tool and the workspace may have directories of their own.
func TestNamesAreRelativeToWhereTheCommandRuns(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"ws/sub/a.txt": "a", "ws/.kube/config": "x", "ws/.git/config": "x", "outside/shadow": "x",
		"ws/link": "->../outside", "ws/hk": "->.git", "ws/innocent.txt": "->.kube/config", "ws/sub/up": "->../.git", "ws/b/HEAD": "x"})
	ws := filepath.Join(dir, "ws")
	spec := func(s *Spec) { s.Workspace = []string{ws} }
	t.Run("outside", func(t *testing.T) {
		t.Chdir(filepath.Join(dir, "outside"))
		decides(t, readers(t, spec), nil, map[string]Effect{
			"cat shadow": Ask, "ls": Allow, "cat < shadow": Ask, "grep -r x": Allow, "cat " + ws + "/sub/a.txt": Allow,
			"cd " + ws + " && cat sub/a.txt": Allow, "cd " + ws + "; cat shadow": Ask, "(cd " + ws + "); cat shadow": Ask,
			`{"command":"cat a.txt","cwd":"` + ws + `/sub"}`: Allow, `{"command":"cat shadow","cwd":"../outside"}`: Ask,
		})
	})
	t.Run("the tool's directory", func(t *testing.T) {
		t.Chdir(dir)
		tool := &toolkit.Definition{Name: "bash", WorkDir: ws}
		want := map[string]Effect{"cat sub/a.txt": Allow, "cat innocent.txt": Ask, "cat ../outside/shadow": Ask, "cat link/shadow": Ask,
			"echo x > a.txt": Ask, "cat ws/../../outside/shadow": Ask}
		decides(t, readers(t, func(s *Spec) { s.Workspace = []string{"ws"} }), tool, want)
		decides(t, readers(t, nil), tool, want) // the workspace is the tool's directory
	})
	t.Run("below", func(t *testing.T) {
		t.Chdir(filepath.Join(ws, "sub"))
		decides(t, readers(t, spec), nil, map[string]Effect{"cat a.txt": Allow, "cat ../.kube/config": Ask,
			"cat ../../outside/shadow": Ask,
			"cd .. && cat sub/a.txt":   Ask, "cat up/config": Ask, "cat ./*.txt": Allow})
	})
	t.Run("changes", func(t *testing.T) {
		t.Chdir(ws)
		decides(t, readers(t, spec), nil, map[string]Effect{
			"cd sub && cat a.txt": Allow, "cd sub && cd .. && cat sub/a.txt": Ask, "cd .kube && cat config": Ask,
			"cd .git && cat config": Ask,
			"cd hk && cat config":   Ask, "cat hk/../../outside/shadow": Ask, "cat link/../outside/shadow": Ask,
			"cd link/.. && cat x":  Ask,
			"cat sub/../sub/a.txt": Allow, "git -C sub status": Allow, "git -C b status": Ask, "cd b && git status": Ask,
			"git -C link status":                        Ask,
			`{"command":"cat config","workdir":".git"}`: Ask, "cd - && cat a.txt": Ask, "cd sub && ls *.md": Allow,
		})
		builtin := mustCompile(t, Spec{Workspace: []string{ws}})
		decides(t, builtin, nil, map[string]Effect{"cd .git/hooks && echo id > pre-commit": Ask,
			"ln -sf /etc sub/x; echo x > sub/x/y": Ask,
			"echo x > .gi?/config":                Ask, "cp a hk/../hk/config": Ask, "ln -s a.txt sub/b.txt": Allow,
			"tar cf .git/hooks/x sub":      Ask,
			"split -l1 a.txt .git/hooks/x": Ask, "git mv a.txt .bashrc": Ask})
	})
}

// TestSearchesOfCredentials: what a command opens without naming it.
func TestSearchesOfCredentials(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is missing")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	writeFiles(t, dir, map[string]string{"src/a.go": "package a", "src/testdata/x.pem": "x", "app/.env": "x",
		"app/a.txt": "x", "conf/server.key": "x"})
	git := func(args ...string) {
		t.Helper()
		command := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
		command.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	git("init", "-q")
	git("add", "src")
	git("commit", "-qm", "one")
	rules := readers(t, nil)
	decides(t, rules, nil, map[string]Effect{
		"grep -rn foo src": Allow, "grep -rn foo .": Ask, "grep -rn foo": Ask, "grep -r --include=.env x app": Ask,
		"grep -R x src": Allow,
		"rg foo":        Ask, "rg foo src": Allow, "rg foo app": Allow, "rg -uuu foo app": Ask, "rg -g '.e*' foo app": Ask,
		"rg --hidden x app": Ask,
		"grep foo src/*.go": Allow, "cat .e*": Ask, "cat app/.en?": Ask, "cat app/*": Allow, "cat conf/*": Ask, "cat id_rs[!b]": Ask,
		"diff -r src app": Ask, "diff src/a.go app/a.txt": Allow, "ls -la app": Allow, "find . -name '*.key'": Allow,
		"find . -exec cat {} +": Ask,
		"head -c 9 app/.env":    Ask, "tar c .": Ask, "wc -l *": Allow,
		"git log": Allow, "git log -p": Allow, "git diff": Allow, "git status": Allow, "git grep foo": Allow, "git show": Allow,
		"git log -p -- '.e*'": Ask, "git show HEAD:.env": Ask, "git grep -e . HEAD -- '.e*'": Ask,
		"git log -p -- ':(glob)**/*.ke?'": Ask,
		"git log -p -- '*.go'":            Allow, "git grep --no-index x": Ask, "git grep --untracked x": Ask,
		"git branch --list 'f*'": Allow,
		"git config user.name":   Allow, "git remote -v": Allow, "git stash show -p": Allow,
	})
	git("add", "conf")
	decides(t, rules, nil, map[string]Effect{"git log": Allow, "git log --stat": Allow, "git log -p": Ask,
		"git diff": Ask, "git grep x": Ask,
		"git show": Ask, "git stash show -p": Ask, "git status": Allow, "git status -v": Ask, "git -C src diff": Ask})
	git("update-index", "--index-version", "4")
	decides(t, rules, nil, map[string]Effect{"git diff": Ask})
	git("rm", "-q", "--cached", "conf/server.key")
	decides(t, rules, nil, map[string]Effect{"git diff": Allow})
	git("remote", "add", "origin", "https://user:"+"word@example.com/x")
	decides(t, rules, nil, map[string]Effect{"git remote -v": Ask, "git config --get remote.origin.url": Ask, "git fetch": Ask})
}

// TestReadersOfTheEnvironment: outside the sandbox a command sees the variables of the agent.
func TestReadersOfTheEnvironment(t *testing.T) {
	t.Chdir(t.TempDir())
	rules := readers(t, func(s *Spec) {
		s.Rules[0].Shell.Programs = append(s.Rules[0].Shell.Programs, "env", "set", "export", "declare", "xargs")
	})
	decides(t, rules, nil, map[string]Effect{
		"env": Ask, "printenv": Ask, "printenv HOME": Allow, "printenv GITHUB_TOKEN": Ask, "set": Ask, "export": Ask,
		"export -p": Ask, "declare -p": Ask,
		`awk 'BEGIN{print ENVIRON["HOME"]}'`: Ask, `awk '{print $1}' f`: Allow, "jq -n env": Ask, "jq -n '$ENV.X'": Ask,
		"echo $HOME":         Allow,
		"echo $GITHUB_TOKEN": Ask, `printf %s "${AWS_SECRET_ACCESS_KEY:0:4}"`: Ask, "for key in a b; do echo $key; done": Allow,
		"cat /proc/self/environ": Ask, "xargs -0a/proc/self/environ echo": Ask, "ps aux": Allow, "ps auxe": Ask, "ps e": Ask,
	})
}

// TestDefaultDeny: what no rule lists is denied, whatever else stands in the line.
func TestDefaultDeny(t *testing.T) {
	t.Chdir(t.TempDir())
	rules := mustCompile(t, Spec{Default: Deny, Rules: []Rule{
		{Name: "git", Effect: Allow, Shell: &Shell{Programs: []string{"git", "ls"}}},
		{Name: "push", Effect: Ask, Shell: &Shell{Prefix: []string{"git push"}}},
	}})
	decides(t, rules, nil, map[string]Effect{
		"git status": Allow, "git status; curl x": Deny, "curl x": Deny, "rm x": Deny, "git status && $X": Deny, "git log | head": Deny,
		"git push": Ask, "git push; curl x": Deny, "git log --output=x": Ask, "git status > x": Ask, "ls; git -c a.b=c status": Ask,
		"cd sub && git status": Allow, "ls $(id)": Deny, "git status & id": Deny, "X=1": Deny, "timeout 5 git status": Deny,
	})
	if d := rules.Decide(nil, toolkit.Call{Name: "file_write", Arguments: []byte(`{"path":"/etc/x"}`)}); d.Effect != Deny {
		t.Errorf("a file: got %s, want deny", d.Effect)
	}
}

// TestHelpers: what stands next to an allowed command and does nothing of its own does not ask.
func TestHelpers(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	writeFiles(t, dir, map[string]string{"sub/a.go": "package a", "a.go": "package a", ".git/config": "", "x/-rf.go": ""})
	rules := mustCompile(t, Spec{Default: Ask,
		Rules: []Rule{{Name: "go", Effect: Allow, Shell: &Shell{Programs: []string{"ls", "cat"},
			Profiles: map[string]string{"go": "test", "python3": "test", "git": "read"}}}}})
	decides(t, rules, nil, map[string]Effect{
		"cd sub && go test ./...": Allow, "timeout 60 go test ./...": Allow, "CGO_ENABLED=0 go test ./...": Allow,
		"ls *.go": Allow, "ls -d */": Allow,
		"go test ./... 2>&1 | tail -20": Allow, "time go test ./...": Allow, "GOFLAGS=-race go test ./...": Allow,
		"PAGER=cat git log":                  Allow,
		"go test ./... | grep -v ok | wc -l": Allow, "set -e; go vet ./... && echo done": Allow,
		"python3 -m pytest -q": Allow, "python -m unittest": Allow,
		"timeout 60 make": Ask, "go test ./... | tail -20 /etc/passwd": Ask, "cd /etc && go test ./...": Ask,
		"go test ./... | tee x":         Ask,
		"GOFLAGS=-exec=x go test ./...": Ask, "go test -mod=mod ./...": Ask, "go test -mod mod ./...": Ask, "ls x/*": Allow,
		"cd x && ls *": Ask,
		"timeout 60":   Ask, "echo hi": Ask, "X=1 go test ./...": Ask, "GIT_PAGER=id git log": Ask,
	})
}

// TestPatchesNameFiles: the files of a patch, and of the arguments of tools that move files.
func TestPatchesNameFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	rules := mustCompile(t, Spec{})
	for arguments, want := range map[string]Effect{
		`{"patch":"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"}`: Allow, `{"patch":"--- /dev/null\n+++ b/.git/hooks/pre-commit\n"}`: Ask,
		`{"input":"*** Begin Patch\n*** Add File: ../x\n+a\n"}`: Ask, `{"from":"a","to":"b"}`: Allow, `{"from":"a","to":"/etc/b"}`: Ask,
		`{"from":"a","to":".git/config"}`: Ask, `{"patch":"diff --git a/x b/.bashrc\nrename from x\nrename to .bashrc\n"}`: Ask,
	} {
		if d := rules.Decide(nil, toolkit.Call{Name: "file_move_or_patch", Arguments: []byte(arguments)}); d.Effect != want {
			t.Errorf("%s: got %s by %s (%s), want %s", arguments, d.Effect, d.Rule, d.Reason, want)
		}
	}
}

// TestArgumentsThatAShellMayRead: words next to a command that are operators.
func TestArgumentsThatAShellMayRead(t *testing.T) {
	t.Chdir(t.TempDir())
	decides(t, readers(t, nil), nil, map[string]Effect{
		`{"command":"git status","args":["-s"]}`: Allow, `{"command":"git status","args":["&&","curl","x"]}`: Ask,
		`{"command":"cat","args":["a",";","bash","x"]}`: Ask,
		`{"command":["git","status","&&","curl","x"]}`:  Ask, `{"command":["git","log"]}`: Allow,
		`{"command":"ls","sandbox":false}`:                   Ask,
		`{"command":"ls","dangerouslyDisableSandbox":false}`: Allow, `{"command":"ls","dangerouslyDisableSandbox":true}`: Ask,
		`{"command":"ls","session_id":"x"}`: Ask, `{"command":"cat <<E\nx\nE\\\n\ncurl x\nE\n"}`: Ask,
		`{"command":"sqlite3 :memory: \"select data from fsdir\""}`: Ask,
		`{"command":"declare -a x='($(id))'"}`:                      Ask, `{"command":"shopt -s nocaseglob; cat .ENV*"}`: Ask,
		`{"command":"python3 -X pycache_prefix=/etc/x app.py"}`: Ask,
	})
}
