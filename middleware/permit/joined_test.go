// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import (
	"os"
	"os/exec"
	"testing"
)

// TestJoinedValues: the value of an option stands in the same word, behind one letter or several.
func TestJoinedValues(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	writeFiles(t, dir, map[string]string{"a.txt": "a", "out": "->/etc", ".env": "x"})
	rules := readers(t, func(s *Spec) {
		s.Rules[0].Shell.Programs = append(s.Rules[0].Shell.Programs, "mytool", "xargs", "echo")
	})
	decides(t, rules, nil, map[string]Effect{
		"xargs -0a/proc/self/environ echo": Ask, "xargs -ra/etc/passwd echo": Ask, "grep -f/etc/passwd a.txt": Ask,
		"grep -nif.env a.txt": Ask,
		"grep -rf.env a.txt":  Ask, "mytool -abf/etc/passwd": Ask, "mytool -xf.env": Ask, "mytool -xfid_rsa": Ask,
		"mytool -xfout/passwd": Ask,
		"mytool -f../x":        Ask, "mytool -x=~/.ssh/id_rsa": Ask, "mytool -xf=/etc/passwd": Ask, "date -ur/etc/passwd": Ask,
		"diff -qX.env a.txt a.txt": Ask,
		"du -sX/etc/passwd .":      Ask, "git grep -nf/etc/passwd": Ask, "git ls-files -oX.env": Ask, "tar -tvf/etc/x.tar": Ask,
		"tar -tvC/etc":         Ask,
		"hexdump -f.env a.txt": Ask, "csplit -b/../x a.txt 3": Ask,
		"mytool -abc a.txt": Allow, "mytool -n5 -xfa.txt": Allow, "grep -nie/api a.txt": Allow, "grep -A3 x a.txt": Allow,
		"tar -tvfa.tar": Allow,
	})
	long := "mytool -"
	for range 1000 {
		long += "a"
	}
	decides(t, rules, nil, map[string]Effect{long: Ask})
}

// TestPlacesOfCopies: what is copied, moved or linked ends up where programs execute it.
func TestPlacesOfCopies(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	writeFiles(t, dir, map[string]string{"a.txt": "a", ".git/config": "x", "gl": "->.git", "sub/b.txt": "b",
		"sub/up": "->/", "out/.bashrc": "x",
		"tree/d/.git/hooks/x": "x", "bare/HEAD": "x", "deep/x/l": "->../.git", "deep/c": "x"})
	for _, line := range []string{
		"ln -s .git x; cp a.txt x/config", "ln -s .git/hooks x && tee x/pre-commit < a.txt", "ln -s .git/hooks x; tar xf a.tar -C x",
		"ln .git/config c; echo x > c", "link .git/config c", "ln -srf gl c", "ln -s ../.git sub/x", "ln -s up sub/x",
		"cp -s gl/config x", "cp -l .git/config x",
		"cp -a gl x", "cp -P gl x", "mv gl x", "cp -r .git x", "cp out/.bashrc .", "cp out/.b* .", "cp -r out/. .",
		"cp -a out/.* .", "rsync -a out/ .",
		"rsync -a tree/d/ .", "mv tree x", "cp -r tree x", "cp --parents .git/config sub", "mv deep/x/l deep", "rsync a.txt gl/hooks/",
		"rsync -a --backup-dir=.git/hooks sub deep", "rsync -aT.git/hooks sub deep", "install -Dm755 a.txt gl/hooks/x",
		"install -d -m 755 .husky sub",
		"install -dt.git a.txt", "tee gl/hooks/x", "dd if=a.txt of=gl/config", "dd of=sub/up/x", "sort -uogl/config a.txt",
		"sort a.txt -o sub/up/x",
		"split a.txt gl/hooks/x", "csplit -fgl/hooks/x a.txt 3", "tar xf a.tar .git/hooks/x",
		"tar xf a.tar --one-top-level=.git/hooks", "tar czfgl/x sub",
		"tar xf a.tar --transform s,^,.git/hooks/,", "tar cgf .git/config x sub", "patch -o gl/config a.txt",
		"patch .git/config x", "cpio -i -D .git < a",
		"git worktree add gl/x", "git clone x .git/hooks", "git init .git/x", "git init ../x", "git worktree add ../x",
		"git checkout -- .husky",
		"git -C / status", "git -C sub/up log", "git -C bare status", "cp a.txt sub/up/x", "mv a.txt sub/up",
	} {
		decides(t, mustCompile(t, Spec{Workspace: []string{dir}}), nil, map[string]Effect{line: Ask})
	}
	decides(t, mustCompile(t, Spec{Workspace: []string{dir}}), nil, map[string]Effect{
		"cp a.txt sub/c.txt": Allow, "cp -r sub/b.txt deep": Allow, "mv a.txt sub": Allow, "ln -s a.txt sub/c.txt": Allow,
		"ln -s deep/c x": Allow, "mkdir -p d; cp a.txt d/x": Allow,
		"rsync -a deep/c sub": Allow, "install -m755 a.txt sub/x": Allow, "tar czf x.tgz sub": Allow, "tar xf a.tar": Allow,
		"git -C sub status":                 Allow,
		"git clone https://example.com/x y": Allow, "git worktree add wt": Allow, "git checkout -- a.txt": Allow,
		"cp .git/config x": Allow,
	})
}

// TestOptionsOfGit: one that is not enumerated asks, without a rule as well.
func TestOptionsOfGit(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, rules := range []*Rules{readers(t, nil), mustCompile(t, Spec{})} {
		for _, line := range []string{
			"git --exec-path=sub status", "git --git-dir=x log", "git --git-dir x log", "git --work-tree / diff",
			"git -C .. log", "git --namespace=x log",
			"git --config-env=core.pager=X log", "git --attr-source=x log", "git --bare log", "git log -O.env", "git diff -Ox",
			"git log --output-directory=x",
			"git blame -S.env a", "git blame --contents=.env a", "git log --textconv", "git log --stdin",
			"git diff --orderfile=x", "git rev-parse --git-path x",
			"git cat-file --batch", "git ls-files --exclude-per-directory=.env", "git check-ignore --stdin",
			"git archive --exec=id HEAD", "git var -l",
			"git config --get-all http.extraheader", "git config --get http.extraheader", "git config http.extraheader",
			"git config get http.extraheader",
			"git config --get http.https://example.com/.extraheader", "git config --get-regexp .", "git config -l",
			"git config --list", "git config list",
			"git config --get credential.helper", "git config --get github.token", "git config --get url.x.insteadof",
			"git config --get-urlmatch http x",
			"git config --get sendemail.smtppass", "git config --get http.proxy", "git config --get remote.origin.proxy",
			"git config --get user.nam*",
			"pytest -o cache_dir=x", "pytest --override-ini=a=b", "pytest -p x", "pytest -qpx", "pytest -cx", "pytest -qc x",
			"pytest --rootdir=x",
			"pytest --rootdir x", "pytest --confcutdir=x", "pytest --pastebin=all", "pytest --cov-report=html:x", "pytest @x",
			"pytest --roo=x",
			"pytest -W error::x.Y",
		} {
			decides(t, rules, nil, map[string]Effect{line: Ask})
		}
		decides(t, rules, nil, map[string]Effect{
			"git config --get user.name": Allow, "git config --get init.defaultBranch": Allow,
			"git config --get-all remote.origin.url": Allow,
			"git config --get branch.main.remote":    Allow, "git config user.email": Allow,
			"git config --get core.editor": Allow, "git log -S/x": Allow,
			"pytest -qx -k foo tests": Allow, "pytest -p no:cacheprovider": Allow, "pytest --cov=src": Allow,
			"python -m pytest -q tests": Allow,
		})
	}
	decides(t, readers(t, nil), nil, map[string]Effect{"python -m pytest -p x": Ask, "python -mpytest -qpx": Ask,
		"python -m pytest -o a=b": Ask,
		"python -m pytest -c x":   Ask, "python -m pytest --rootdir=x": Ask, "python -m pytest @x": Ask})
}

// TestNamedFilesAreNoSearch: what cannot open a credential does not ask because there is one.
func TestNamedFilesAreNoSearch(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is missing")
	}
	dir := t.TempDir()
	t.Setenv("HOME", t.TempDir())
	t.Chdir(dir)
	writeFiles(t, dir, map[string]string{"main.go": "package a", "README.md": "x", ".env": "x", "conf/server.key": "x"})
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}} {
		command := exec.Command("git", args...)
		command.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	decides(t, readers(t, nil), nil, map[string]Effect{
		"grep -rn X . --include='*.go'": Allow, "grep -rn --include='*.go' --include='*.md' X": Allow,
		"rg -g '*.go' X .": Allow, "grep -rn --include=*.go X .": Allow,
		"grep -rn --include=* X .": Ask, "grep -rn --include=.e* X .": Ask, "grep -rn --include=$x*.go X .": Ask,
		"grep -rn --include={*.go,.env} X .": Ask,
		"grep -rn X . --include='*'":         Ask, "grep -rn X . --include='.e*'": Ask, "grep -rn X . --include='*.k?y'": Ask,
		"grep -rn X . --include='[.]env'":                    Ask,
		"grep -rn X . --include='*.go' --include=server.key": Ask, "grep -rn X . --exclude=x --include='*.go'": Ask,
		"grep -rn X . --exclude='*.go'": Ask,
		"rg -uu -g '!x' X .":            Ask, "grep -rn X .env --include='*.go'": Ask,
		"git diff -- main.go": Allow, "git diff main.go": Allow, "git diff HEAD~1 -- main.go README.md": Allow,
		"git diff --stat": Allow, "git diff --name-only": Allow,
		"git show HEAD:README.md": Allow, "git show main~2:README.md": Allow, "git cat-file -p HEAD:README.md": Allow,
		"git log -p -- main.go": Allow,
		"git grep X -- main.go": Allow, "git show HEAD -- main.go": Allow, "git log": Allow,
		"git diff": Ask, "git diff --stat -p": Ask, "git diff HEAD": Ask, "git diff -- .": Ask, "git diff -- conf": Ask,
		"git diff -- main.go .": Ask, "git diff -- '*'": Ask,
		"git diff -- gone": Ask, "git diff -- ':!main.go'": Ask, "git show": Ask, "git show HEAD": Ask,
		"git show :/main.go": Ask, "git show HEAD^{/x:y}": Ask,
		"git show abc123 -- main.go": Ask, "git diff abc123 main.go": Ask, "git show HEAD:.env": Ask,
		"git show HEAD:README.md HEAD": Ask, "git diff -- .env": Ask,
		"git show HEAD:conf/server.key": Ask, "git grep main.go": Ask, "git cat-file -p abc123": Ask,
		"git -C conf diff -- main.go": Ask, "git show HEAD:*": Ask,
	})
	writeFiles(t, os.Getenv("HOME"), map[string]string{
		".gitconfig": "[url \"https://user:" + "word@example.com/\"]\n\tinsteadOf = x\n"})
	decides(t, readers(t, nil), nil, map[string]Effect{"git remote -v": Ask, "git config --get remote.origin.url": Ask,
		"git config --get user.name": Ask})
}
