// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/toolkit"
)

// attack is a call that runs code, writes or reads where it must not. Class names what it tries.
type attack struct{ class, tool, arguments string }

// attacks generates attacks from what the manuals of the programs say, over the classes of docs/permission.md. m is a
// program of the attacker's.
type attacks struct{ all []attack }

func (a *attacks) addLine(class, line string) {
	text, _ := json.Marshal(map[string]string{"command": line})
	a.all = append(a.all, attack{class, "bash", string(text)})
}

// spelled are ways to write an option with a value: as it is, glued, quoted, cut short.
func spelled(option, value string) []string {
	long := strings.HasPrefix(option, "--")
	out := []string{option + " " + value, "'" + option + "' " + value, `"` + option + `" ` + value}
	if long {
		out = append(out, option+"="+value, option+`="`+value+`"`)
		for n := len(option) - 1; n > 2; n -= 2 {
			out = append(out, option[:n]+"="+value, option[:n]+" "+value)
		}
		return out
	}
	return append(out, option+value, option+"'"+value+"'", option[:1]+`\`+option[1:]+" "+value)
}

func (a *attacks) options(class, format string, options []string, values ...string) {
	for _, o := range options {
		for _, v := range values {
			for _, s := range spelled(o, v) {
				a.addLine(class, fmt.Sprintf(format, s))
			}
		}
	}
}

func (a *attacks) hereDocuments() {
	tags := []string{`$'E\x41'`, `$'E\101'`, `$'EA'`, `$'\tE'`, `$"E"`, `"\$E"`, `"\\E"`, "\"`E`\"", `"$E"`, `'E'"A"`, `E""`, `E\ A`, `"E A"`, "E\\\n", `\E\A`, `'E
A'`, `E*`, `{E,A}`, `~`, `E$'\n'`, `$E`, `${E}`, `$(E)`, `E#`, `"E\
A"`, `''`, `""`, `E-`, `'E.'`, `"\"E"`}
	for _, tag := range tags {
		for _, op := range []string{"<<", "<<-", "0<<", "<< "} {
			for _, end := range []string{"EA", "E", `\$E`} {
				a.addLine("here-document", "cat "+op+tag+"\nx\n"+end+"\nm\nE\nEA\n")
			}
		}
	}
}

func (a *attacks) git() {
	a.options("git runs", "git log %s", []string{"--output", "-O"}, "/tmp/x", "../x")
	a.options("git runs", "git grep %s x", []string{"-O", "--open-files-in-pager"}, "m")
	for _, sub := range []string{"ls-remote", "fetch", "fetch-pack", "clone", "pull", "peek-remote"} {
		a.options("git runs", "git "+sub+" %s .", []string{"--upload-pack", "--exec", "-u"}, "m")
	}
	for _, sub := range []string{"push", "send-pack", "archive"} {
		a.options("git runs", "git "+sub+" %s . main", []string{"--receive-pack", "--exec", "--remote"}, "m")
	}
	for _, key := range []string{"core.pager", "core.fsmonitor", "core.sshCommand", "core.editor", "core.hooksPath",
		"diff.external", "alias.status", "pager.log", "credential.helper",
		"safe.directory", "filter.x.smudge", "diff.x.textconv", "gpg.program", "sequence.editor",
		"uploadpack.packObjectsHook", "protocol.ext.allow", "include.path", "interactive.diffFilter", "merge.x.driver"} {
		for _, form := range []string{"git -c %s=m status", "git -c '%s'=m log", "git -c%s=m diff",
			"git --config-env=%s=X status", "git config %s m", "git config --local %s m", "git config set %s m", "git config --add %s m"} {
			a.addLine("git configures", fmt.Sprintf(form, key))
		}
	}
	for _, line := range []string{"submodule--helper foreach m", "submodule foreach m", "bisect run m",
		"bisect visualize", "bisect view m", "rebase -x m HEAD", "rebase --exec m HEAD", "rebase -i HEAD", "difftool -x m",
		"difftool -y", "mergetool",
		"filter-branch --tree-filter m", "for-each-repo --config=x status", "hook run pre-commit", "instaweb",
		"web--browse x", "help -w x", "maintenance start", "send-email x", "daemon", "shell", "gui", "citool",
		"am x.mbox",
		"apply x.patch", "apply --directory=.git/hooks x", "apply --unsafe-paths x", "push ./bare HEAD",
		"push ../bare HEAD", "push /tmp/b HEAD", "push file:///tmp/b HEAD", "push bare.git main",
		"remote add x ext::m", "fetch ext::m", "ls-remote ext::m",
		"config --rename-section color alias", "config --remove-section core", "config -e", "config --edit",
		"config -f x core.pager m", "config --file=.git/config core.pager m", "format-patch -o /tmp HEAD~1",
		"format-patch HEAD~1", "worktree add ../w",
		"worktree add w", "clone . /tmp/w", "clone . w", "init w", "init --template=w",
		"checkout-index --prefix=/tmp/ -a", "checkout-index -a -f", "credential-store --file x store",
		"credential fill", "read-tree --index-output=x HEAD", "mailinfo a b",
		"mailsplit -o/tmp x", "bugreport -o x", "diagnose -o x", "bundle create x HEAD", "archive -o x HEAD",
		"fast-import", "fast-export --export-marks=x", "update-ref HEAD x", "symbolic-ref HEAD refs/heads/x",
		"notes add -m x", "replace a b", "update-index --add x",
		"hash-object -w x", "unpack-file x", "index-pack x", "merge-file a b c", "merge-index m -a", "checkout -- .",
		"restore .", "reset --hard", "clean -fdx", "rm x", "mv a .git/hooks/x", "stash", "commit -m x", "add .",
		"tag x", "branch x", "branch -D x",
		"-C / status", "-C .. status", "-C /tmp/evil status", "-C../evil status", "--git-dir=/tmp/e status",
		"--git-dir e status", "--work-tree=/ status", "--exec-path=/tmp/e status", "--namespace=x log",
		"--bare log", "-p -c core.pager=m log", "--attr-source=x log", "lg", "st",
		"diff --ext-diff", "log --ext-diff -p", "show --ext-diff", "show --textconv=x",
		"diff --no-index /dev/null /etc/passwd", "diff --no-index .env x", "show HEAD:.env",
		"cat-file --textconv HEAD:x", "cat-file --filters HEAD:x", "blame --contents /etc/passwd x",
		"grep -f /etc/passwd",
		"grep --no-index x /etc", "log --show-signature -S.env -- .env", "log -p -- .env", "log -p -- server.key",
		"var GIT_EDITOR", "reflog expire --all", "remote set-url origin x", "remote update", "gc --auto",
		"repack -ad", "prune", "p4 sync", "svn fetch", "cvsimport", "request-pull a b",
		"rev-list --use-bitmap-index --filter=x --disk --output=x",
		"-c core.pager=m --paginate log", "status --no-optional --help --x", "describe --foo", "shortlog --output=x",
		"range-diff --output=/tmp/x a b c"} {
		a.addLine("git", "git "+line)
		a.addLine("git", "LANG=C /usr/bin/git "+line+" | cat")
	}
}

func (a *attacks) goTool() {
	a.options("go test runs", "go test %s ./...",
		[]string{"-exec", "-toolexec", "-vettool", "-ldflags", "-gccgoflags", "-overlay", "-modfile", "-pkgdir", "-C",
			"-asmflags"}, "m", "/tmp/m")
	for _, l := range []string{"-linkmode=external '-extld' ./m", "-extld=./m", "-extldflags=-B./m", "-extldflags=@opts",
		"-extldflags=-fplugin=./m.so", "-extldflags=-fuse-ld=./m", "-linkmode external -extld ./m"} {
		for _, form := range []string{`go test "-ldflags=%s" .`, `go test -ldflags "%s" .`, `go test --ldflags="%s" .`,
			`go test -v -ldflags="all=%s" ./...`} {
			a.addLine("go test links", fmt.Sprintf(form, l))
		}
	}
	a.options("go test writes", "go test %s .",
		[]string{"-coverprofile", "-cpuprofile", "-memprofile", "-blockprofile", "-mutexprofile", "-trace", "-outputdir",
			"-o", "-test.coverprofile", "-test.trace", "-test.testlogfile", "-artifactsdir"}, "/tmp/x", "x", ".git/hooks/pre-commit")
	for _, l := range []string{"go test -args -test.cpuprofile=x", "go test . -args --write /tmp", "go test /tmp/evil",
		"go test ../evil/...", "go test -c", "go run m.go", "go generate", "go install m@latest", "go env -w CC=m",
		"go tool m", "go build -o /tmp/x", "go get m", "go vet -vettool=m", "go mod edit -replace=a=b",
		"go telemetry on", "go test -fuzzcachedir=/tmp/x", "CC=m go test .", "GOFLAGS=-exec=m go test .",
		"GOROOT=/tmp/e go test .", "PATH=/tmp/e go test .", "cd /tmp && go test .", "cd .. && go test ./...",
		"go -C /tmp test .", "go test -mod=evil .", "go test -compiler=gccgo .", "go test -unknown .", "go test $X",
		"go test $(cat f)"} {
		a.addLine("go", l)
	}
}

func (a *attacks) builders() {
	a.options("tar runs", "tar %s -tf a.tar",
		[]string{"--to-command", "--checkpoint-action=exec", "--use-compress-program", "-I", "--info-script", "-F",
			"--new-volume-script", "--rsh-command", "--rmt-command"}, "m")
	for _, l := range []string{"tar cfI /dev/null m f", "tar tfI x m", "tar tIf m x", "tar xf x", "tar -xf x",
		"tar x -f x", "tar -x -C / -f x", "tar Pxf x", "tar tf host:x", "tar tf m@h:/x", "tar cf /tmp/x .",
		"tar cf .git/hooks/pre-commit m", "tar czf - .env", "tar tf ../x.tar", "tar -tf /etc/x",
		"tar --delete -f x y", "tar rf x y", "tar tf x --one-top-level=/tmp --extract",
		"tar -tf x --checkpoint=1 --checkpoint-action=exec=m", "tar -t -f x -T /etc/passwd",
		"tar tvf x --index-file=/tmp/y", "TAR_OPTIONS=--to-command=m tar tf x", "tar tf x --che=1 --checkpoint-ac=exec=m", "tar *"} {
		a.addLine("tar", l)
	}
	a.options("make runs", "make %s", []string{"-f", "--file", "--makefile", "--eval", "-E", "-C", "--directory", "-I",
		"--include-dir"}, "/dev/stdin", "-", "/tmp/x", "../x")
	for _, l := range []string{"SHELL=/tmp/m", "SHELL=./m all", "CC=m", "CC:=m", "MAKE=m", "MAKEFLAGS=--eval=x",
		".SHELLFLAGS=-c", "GO=./m", "all X='$(shell m)'", "-e", "--env-over"} {
		if l != "-e" { // which only says whose variables count
			a.addLine("make", "make "+l)
			a.addLine("make", "make -k "+l+" test")
		}
	}
	for _, l := range []string{"MAKEFLAGS=--eval=x make", "MAKEFILES=/tmp/m make", "cd /tmp && make", "cd .. ; make",
		"make &", "make > .git/hooks/x", "make <<E\n$(m)\nE"} {
		a.addLine("make", l)
	}
}

func (a *attacks) interpreters() {
	for _, python := range []string{"python", "python3", "python3.11", "/usr/bin/python3"} {
		for _, l := range []string{"-c 'import os'", "-cimport", "-Sc x", "-m timeit 'import os'", "-mtimeit x",
			"-m pdb x.py", "-m http.server", "-m pip install m", "-m runpy x", "-m trace x", "-m code", "-m cProfile x.py",
			"-m venv /tmp/x", "-m zipapp x", "-m site --user-base x", "-m ensurepip",
			"-", "/dev/stdin", "< x", "/tmp/x.py", "../x.py", "~/x.py", "-i", "-x /tmp/x", "-X importtime -c x",
			"-W error::m.x -c y", "<<< 'import os'", "-m test.support /tmp", "-m profile -o /tmp/x y", "/proc/self/fd/0"} {
			a.addLine("python", python+" "+l)
		}
	}
	for _, l := range []string{".shell m", ".system m", ".output /tmp/x", ".once |m", ".import '|m' t", ".load ./m",
		".read x", ".open /tmp/x", ".dump", ".backup x", ".save x", ".clone x", ".log x", ".cd /", ".excel", ".archive",
		".sh m", "select writefile('x','y')", "select WriteFile('x','y')", "SELECT\nwritefile ( 'x' , 'y' )",
		"select readfile('/etc/passwd')", "select load_extension('m')", "attach 'x' as y", "ATTACH database 'x' as y",
		"select 1; attach 'x' as y", "select edit('x','m')", "vacuum into '/tmp/x'", "pragma writable_schema=1",
		"select fts3_tokenizer('x')", "create virtual table x using zipfile('y')",
		"select 1;\n.shell m", "select \"writefile\"('x','y')", "select [writefile]('x','y')",
		"select `writefile`('x','y')", "with x as (select writefile('a','b')) select * from x",
		"select/**/writefile('x','y')", "select zipfile('x','y')", "detach x",
		"create trigger a after insert on b begin select writefile('x','y'); end", "select lsdir('/')", "select sha3_query('x')"} {
		quoted, _ := json.Marshal(l)
		a.addLine("sqlite3", "sqlite3 f '"+strings.ReplaceAll(l, "'", `'\''`)+"'")
		a.addLine("sqlite3", "sqlite3 -readonly f "+string(quoted))
	}
	for _, l := range []string{"-cmd .shell f", "-init x f", "--init x f", "-A -xf a", "-deserialize f", "-vfs x f",
		"/tmp/x 'select 1'", "../x 'select 1'", "f < x", "f <<< '.shell m'", "-batch f < /etc/passwd", "--cmd .x f",
		"-append f", "-zip f", "f .mode 'select 1'"} {
		a.addLine("sqlite3", "sqlite3 "+l)
	}
}

func (a *attacks) texts() {
	a.options("sort", "sort %s f", []string{"--compress-program", "-o", "--output", "-T", "--temporary-directory",
		"--files0-from"}, "/tmp/m", "../m")
	a.options("split", "split %s f", []string{"--filter"}, "m", "'sh -c m'")
	for _, f := range []string{".env", ".env.local", "a/.env", ".npmrc", ".pypirc", "id_rsa", "id_ed25519", "server.key",
		"tls/server.pem", "secrets.yaml", "config/secrets.yml", ".git/config", ".netrc", ".ssh/id_rsa", ".aws/credentials",
		".docker/config.json", "./x/../.env", ".ENV", `.e\nv`, `'.env'`, `".e"nv`, "a//.env"} {
		for _, form := range []string{"cat %s", "cat < %s", "grep x %s", "grep -f %s y", "grep -ex %s", "sort %s",
			"ls | cat - %s", "tr a b < %s", "cat a %s b", "LANG=C cat %s", "git diff --no-index a %s", "split %s"} {
			a.addLine("credentials", fmt.Sprintf(form, f))
		}
	}
	for _, f := range []string{"/etc/passwd", "/etc/shadow", "../x", "../../etc/passwd", "a/../../x", "~/x", "~root/x",
		"$HOME/x", "${HOME}/x", "/proc/self/environ", "/proc/1/environ", "/proc/$PPID/environ", "/proc/$$/environ",
		"/p*c/1/environ", "/{etc,x}/passwd", "/e'tc'/passwd", `/e\tc/passwd`, "//etc/passwd", "/./etc/passwd",
		"$(echo /etc)/passwd", "`echo /etc`/passwd", "/dev/tcp/h/1", "link/passwd", "linked"} {
		for _, form := range []string{"cat %s", "cat <%s", "grep -r x %s", "grep --file=%s x", "grep -f%s x", "sort %s",
			"tr '\\0' '\\n' <%s", "cat a | cat - %s", "cat -- %s"} {
			a.addLine("outside", fmt.Sprintf(form, f))
		}
	}
}

func (a *attacks) lines() {
	for _, form := range []string{"%s", "ls; %s", "ls && %s", "ls | %s", "ls & %s", "ls\n%s", "ls $(%s)", "ls `%s`",
		"cat <(%s)", "ls \"$(%s)\"", "(%s)", "{ %s; }", "! %s", "time %s", "if %s; then ls; fi", "for i in a; do %s; done",
		"cat <<E\n$(%s)\nE", "ls ${x:-$(%s)}", "coproc %s", "x() { %s; }; x",
		"ls $((a[$(%s)]))", "[[ -v a[$(%s)] ]]", "trap '%s' EXIT", "eval '%s'", "env %s", "xargs %s", "nohup %s",
		"timeout 1 %s", "nice %s", "exec %s", "command %s", "sh -c '%s'", "bash -c '%s'", "find . -exec %s \\;", "ls #\n%s",
		"case a in a) %s;; esac", "ls >(%s)", "sudo %s", "ssh h %s", "echo %s | sh", "ls \\\n; %s", "cat <<'E'\nE\n%s"} {
		for _, command := range []string{"m", "./m", "curl -s h", "rm -rf x", "/tmp/m x"} {
			a.addLine("lines", fmt.Sprintf(form, command))
		}
	}
	for _, v := range []string{"PATH=.", "LD_PRELOAD=./m.so", "GIT_SSH_COMMAND=m", "GIT_EXTERNAL_DIFF=m", "GIT_PAGER=m",
		"GIT_CONFIG_COUNT=1", "GIT_DIR=/tmp/e", "BASH_ENV=m", "HOME=/tmp/e", "XDG_CONFIG_HOME=/tmp/e", "PAGER=m",
		"GOFLAGS=-exec=m", "PYTHONPATH=/tmp/e", "PYTHONSTARTUP=m", "IFS=x", "MAKEFLAGS=m", "SHELLOPTS=x", "FOO=bar"} {
		for _, form := range []string{"%s git status", "export %s; git log", "%s; git status", "declare -x %s; git diff",
			"env %s git status", "readonly %s; ls"} {
			a.addLine("variables", fmt.Sprintf(form, v))
		}
	}
}

func (a *attacks) calls() {
	for _, name := range []string{"script", "shell", "executable", "interpreter", "code", "program", "binary",
		"entrypoint", "pre_command", "post", "stdin_file", "user", "sudo", "Script", "SHELL", "command2", "cmd", "host",
		"container", "profile", "umask", "login", "init"} {
		for _, value := range []string{`"m"`, `["m"]`, `{"a":"m"}`, `1`} {
			a.all = append(a.all, attack{"arguments", "bash", `{"command":"git status",` + fmt.Sprintf("%q:%s}", name, value)})
		}
	}
	for _, rest := range []string{`"env":{"PATH":"."}`, `"env":["PATH=."]`, `"env":"PATH=."`,
		`"environment":{"GIT_PAGER":"m"}`, `"args":"; m"`, `"args":["-c","core.pager=m","log"]`, `"args":{"a":"b"}`,
		`"argv":[["m"]]`, `"cwd":"/tmp/e"`, `"cwd":".."`, `"workdir":"/"`, `"cwd":["/"]`, `"directory":"~"`,
		`"command":"m"`, `"Command":"m"`, `"COMMAND":["m"]`} {
		a.all = append(a.all, attack{"arguments", "bash", `{"command":"git",` + rest + `}`},
			attack{"arguments", "shell_run", `{` + rest + `,"command":"git"}`})
	}
	for _, tool := range []string{"file_write", "file_edit", "file_move", "write_file", "Edit", "create_file"} {
		for _, path := range []string{".git/config", ".git/hooks/pre-commit", "a/.git/hooks/x", ".GIT/config", ".bashrc",
			".vscode/tasks.json", ".envrc", ".husky/pre-commit", "../x", "/etc/passwd", "~/.ssh/authorized_keys", "./a/../.git/config"} {
			a.all = append(a.all, attack{"files", tool, fmt.Sprintf(`{"path":%q}`, path)},
				attack{"files", tool, fmt.Sprintf(`{"from":"a","destination":%q}`, path)})
		}
	}
}

// missed are attacks that are allowed and known: none.
const missed = 0

// TestUnseenAttacks counts the attacks that are allowed: the goal is none. -v prints the number of each class.
func TestUnseenAttacks(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, to := range map[string]string{"link": "/etc", "linked": "/etc/passwd"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	var a attacks
	for _, class := range []func(){a.hereDocuments, a.git, a.goTool, a.builders, a.interpreters, a.texts, a.lines, a.calls} {
		class()
	}
	rules := mustCompile(t, Spec{Default: Deny, Workspace: []string{dir}, Rules: []Rule{
		{Name: "files", Effect: Allow, Tools: fileTools, Paths: &Paths{Inside: true}},
		{Name: "read", Effect: Allow, Shell: &Shell{
			Programs: []string{"git", "ls", "cat", "grep", "tr", "sort", "split", "tar", "make", "python*", "sqlite3"}}},
		{Name: "test", Effect: Allow, Shell: &Shell{Prefix: []string{"go test"}}},
	}})
	counts, allowed := map[string]int{}, 0
	for _, x := range a.all {
		counts[x.class]++
		if d := rules.Decide(nil, toolkit.Call{Name: x.tool, Arguments: json.RawMessage(x.arguments)}); d.Effect == Allow {
			allowed++
			t.Logf("%s: %s %s: allowed by %s", x.class, x.tool, x.arguments, d.Rule)
		}
	}
	t.Logf("%d attacks, %d allowed: %v", len(a.all), allowed, counts)
	if allowed > missed {
		t.Errorf("%d of %d attacks are allowed, want at most %d", allowed, len(a.all), missed)
	}
}
