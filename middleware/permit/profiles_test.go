// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/toolkit"
)

// guarded are rules that deny by default and allow what a careful operator allows.
func guarded(t testing.TB, workspace string) *Rules {
	t.Helper()
	return mustCompile(t, Spec{Default: Deny, Workspace: []string{workspace}, Rules: []Rule{
		{Name: "read", Effect: Allow, Shell: &Shell{
			Programs: []string{"git", "ls", "cat", "grep", "tr", "sort", "split", "tar", "make", "python3", "sqlite3"}}},
		{Name: "test", Effect: Allow, Shell: &Shell{Prefix: []string{"go test"}}},
	}})
}

// TestAllowedProgramsRunNothingElse: each line was allowed, and ran code, wrote somewhere, or read credentials.
func TestAllowedProgramsRunNothingElse(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	rules := guarded(t, dir)
	for _, line := range []string{
		// end tags of here-documents that bash reads in another way than the parser
		"cat <<$'E\\x41'\nx\nEA\nid\nE\\x41", "cat <<\"\\$E\"\nx\n$E\nid\n\\$E", "cat <<\"\\\\E\"\nx\n\\E\nid\n\\\\E",
		"cat <<\"`E`\"\nx\n`E`\nid\n",
		"cat <<E\\\n\nx\nE\nid", "cat <<-$'\\tE'\nx\n\tE\nid\nE",
		// an allowed git runs code, or writes
		"git ls-remote --u=X .", "git ls-remote --upload-pack=X .", "git config --rename-section color alias",
		"git submodule--helper foreach id", "git bisect visualize",
		"git -c safe.directory=* status", "git -c core.fsmonitor=id status", "git apply x.patch",
		"git push ./bare.git main", "git push bare main",
		"git config -f x a.b c", "git format-patch -o /tmp/x HEAD", "git worktree add ../x", "git clone a b",
		"git init x", "git checkout-index --prefix=/tmp/ -a",
		"git credential-store --file x store", "git read-tree --index-output=x HEAD", "git mailinfo a b",
		"git bugreport -o x", "git diagnose -o x", "git -C / log", "git -C .. log",
		"git --git-dir=x log", "git log --output=x", "git diff --ext-diff", "git grep -Oid x",
		"git grep --open-files-in-pager=id x", "git st", "git difftool", "git diff --no-index /etc/passwd x",
		"git show HEAD:.env", "git log --outpu=x", "git diff --ext-dif", "git archive HEAD", "git fast-export HEAD",
		"git branch x", "git tag x", "git remote add x y", "git commit -m x",
		// go test
		"go test -ldflags=\"-linkmode=external '-extld' ./x\" .", "go test -ldflags=-extldflags=-B./x .",
		"go test @opts", "go test -C /tmp .", "go test -coverprofile=x .",
		"go test -cpuprofile x .", "go test -trace=x .", "go test -outputdir=/tmp .", "go test -exec id .",
		"go test -toolexec=id .", "go test -vettool=./x .", "go test -o x .", "go test --exec=id .",
		"go test ../x", "go test /tmp/x", "go vet -vettool=x .", "go test -overlay=x.json .",
		"go test -gcflags=-o=x .", "go test -modfile=x .", "go run .", "go test -args -test.trace=x",
		// others
		"split --f=X f", "split --filter=id f", "tar cfI /dev/null X f", "tar xf a.tar", "tar tf h:x",
		"tar -tf x --to-command=id", "tar tf x --checkpoint-action=exec=id", "tar --use-compress=id -tf x",
		"make -f/dev/stdin", "make -f /dev/stdin", "make --eval=x", "make -C ..", "make SHELL=./x", "make CC=./x",
		"make -I/tmp", "python3 -m timeit 'import os'", "python3 -c 1", "python3 - <x", "python3 /tmp/x.py",
		"sqlite3 f '.shell id'", "sqlite3 f \"select WriteFile('x','y')\"", "sqlite3 f \"ATTACH 'x' as y\"",
		"sqlite3 -cmd .x f", "sqlite3 f 'select 1;\n.shell id'", "sqlite3 -init x f", "sqlite3 f .dump",
		"sort --o=F f", "sort -oF f", "sort --output F f", "sort --compress-prog=id f", "sort -T /tmp f", "sort /etc/passwd",
		// credentials, and other processes
		"cat .env", "cat .npmrc", "cat .pypirc", "cat id_rsa", "cat server.key", "cat secrets.yaml",
		"cat .git/config", "cat ./a/../.env", "grep -f.env x", "grep x .env", "cat <.env",
		"tr '\\0' '\\n' </proc/$PPID/environ", "tr '\\0' '\\n' </proc/1/environ", "cat /proc/self/environ",
		"cat ~/.ssh/id_rsa", "cat $HOME/.netrc", "cat /e*/passwd", "cat ../x", "ls /", "ls ~",
		"cd / && ls", "cd .. && git log", "grep -e x /etc/passwd", "grep -ex /etc/passwd", "grep --file=/etc/passwd x", "cat *.key",
	} {
		if d := rules.Decide(nil, shellCall(line)); d.Effect == Allow {
			t.Errorf("%q: allowed by %s", line, d.Rule)
		}
	}
}

// TestProfilesAllowWhatIsMeant: what an agent does all day.
func TestProfilesAllowWhatIsMeant(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	rules := guarded(t, dir)
	for _, line := range []string{
		"git status", "git status --short --branch", "git log --oneline -n 20", "git log -5 --format='%h /x %s'",
		"git diff HEAD~1 -- src/a.go", "git diff origin/main...HEAD --stat", "git show HEAD:README.md",
		"git blame -L 1,20 main.go", "git grep -n 'x/y' -- '*.go'", "git branch -a", "git remote -v",
		"git stash list", "git rev-parse --abbrev-ref HEAD", "git --no-pager log -1", "git -C src status",
		"git ls-files '*.go'",
		"git tag --list", "git describe --tags --always", "ls -la", "ls -la src/", "cat a.go b.go", "cat < a.go",
		"grep -rn 'func main' --include='*.go' .", "grep -E '^/api' routes.txt", "grep -e a -e /b f",
		"sort -k2,2n -u f | tr a-z A-Z", "go test ./...", "go test -run 'TestX/a' -count=1 -race ./pkg/...",
		"go test -v -timeout 30s .", "tar tzf a.tgz", "tar -tf a.tar --exclude=x", "make", "make -j4 test",
		"python3 -m pytest -q tests", "python3 script.py --flag",
		"sqlite3 app.db 'select count(*) from users where name like \"a%\"'", "cat src/*.go", "cat <<'EOF'\nx\nEOF",
		"git log | grep -c fix",
	} {
		if d := rules.Decide(nil, shellCall(line)); d.Effect != Allow {
			t.Errorf("%q: %s by %s (%s)", line, d.Effect, d.Rule, d.Reason)
		}
	}
}

// TestLinksOutOfTheWorkspaceAreNotFollowed: a link in the workspace is no way out of it.
func TestLinksOutOfTheWorkspaceAreNotFollowed(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, to := range map[string]string{"link": "/etc", "linked": "/etc/passwd"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "server.key"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	rules := guarded(t, dir)
	for _, line := range []string{"cat link/passwd", "cat linked", "cat link*", "cat *.key", "cat serv*",
		"grep -f linked x", "cat < linked"} {
		if d := rules.Decide(nil, shellCall(line)); d.Effect == Allow {
			t.Errorf("%q: allowed by %s", line, d.Rule)
		}
	}
}

// TestFilesThatProgramsExecute: a tool that writes files asks before it changes them.
func TestFilesThatProgramsExecute(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	rules := mustCompile(t, Spec{Workspace: []string{dir}})
	for _, path := range []string{".git/config", ".git/hooks/pre-commit", "sub/.git/config", ".vscode/tasks.json",
		".bashrc", ".husky/x", dir + "/.git/config"} {
		d := rules.Decide(nil, toolkit.Call{Name: "file_write", Arguments: []byte(`{"path":"` + path + `"}`)})
		if d.Effect != Ask || d.Rule != "ask-startup-file" {
			t.Errorf("file_write of %s: %s by %s", path, d.Effect, d.Rule)
		}
		if d := rules.Decide(nil, shellCall("echo x > "+path)); d.Effect != Ask {
			t.Errorf("> %s: %s by %s", path, d.Effect, d.Rule)
		}
	}
	if d := rules.Decide(nil, toolkit.Call{Name: "file_write", Arguments: []byte(`{"path":"main.go"}`)}); d.Effect != Allow {
		t.Errorf("file_write of main.go: %s by %s", d.Effect, d.Rule)
	}
}

// TestProfilesInRules: a rule names a level; a program without one means the first.
func TestProfilesInRules(t *testing.T) {
	rules, err := Parse("f.yaml", []byte("default: deny\nrules:\n  - name: a\n    effect: allow\n    shell: "+
		"{profiles: {git: commit, tar: write, cat: read}}\n"+
		"  - name: b\n    effect: allow\n    shell: {programs: [git, mytool]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]Effect{"git commit -m x": Allow,
		"git commit -m \"$(cat <<'EOF'\nFix x\n\nBody\nEOF\n)\"": Allow, "git status": Allow, "git push origin main": Deny,
		"tar czf x.tgz src": Allow, "mytool --x": Allow, "mytool /etc/passwd": Ask} {
		if d := rules.Decide(nil, shellCall(line)); d.Effect != want && !(want == Deny && d.Effect == Ask) {
			t.Errorf("%s: %s by %s (%s), want %s", line, d.Effect, d.Rule, d.Reason, want)
		}
	}
	warnings := strings.Join(rules.Warnings(), "\n")
	for _, want := range []string{"rule b allows git, which means git: read: name a level under profiles",
		"rule b allows mytool, which has no profile"} {
		if !strings.Contains(warnings, want) {
			t.Errorf("warnings %q, want %q", warnings, want)
		}
	}
	for _, bad := range []string{"{git: writ}", "{nosuch: read}"} {
		if _, err := Parse("f.yaml", []byte("rules:\n  - name: a\n    effect: allow\n    shell: {profiles: "+bad+"}\n")); err == nil {
			t.Errorf("profiles %s: no error", bad)
		}
	}
	if _, err := Parse("f.yaml", []byte("rules:\n  - name: a\n    effect: deny\n    shell: {profiles: {git: read}}\n")); err == nil {
		t.Error("a rule that denies has profiles: no error")
	}
}
