// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package docs

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestCommands runs the commands of every page in one shell and one empty directory per page, with the command
// toolscope as it is built from this tree. Ports of this machine are replaced by free ones, those of OTLP by that of a
// server that accepts everything. Programs of the repository
// (go run ./…) run from its root; of make only the target is checked.
func TestCommands(t *testing.T) {
	if raceDetector {
		t.Skip("the commands are other processes, which the race detector does not see")
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	bin := t.TempDir()
	if out, err := goCommand("build", "-o", bin+string(filepath.Separator), "./cmd/toolscope").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var mu sync.Mutex
	run, notRun, varies := 0, []string{}, []string{}
	all := blocks(t)
	t.Run("pages", func(t *testing.T) {
		for _, page := range slices.Sorted(maps.Keys(all)) {
			var cs []command
			for _, b := range all[page] {
				missing := missingProgram(b)
				switch where := fmt.Sprintf("%s:%d", page, b.line); {
				case b.kind != "sh" && b.kind != "bash" && b.kind != "console" && b.kind != "setup" && b.file == "":
				case b.notRun != "":
					notRun = append(notRun, where+": "+b.notRun)
				case missing != "":
					notRun = append(notRun, where+": no "+missing+" on this machine")
				default:
					if b.varies != "" {
						varies = append(varies, where+": "+b.varies)
					}
					cs = append(cs, commands(t, bash, b)...)
				}
			}
			if len(cs) == 0 {
				continue
			}
			t.Run(page, func(t *testing.T) {
				t.Parallel()
				n := runPage(t, bash, bin, cs)
				mu.Lock()
				defer mu.Unlock()
				run += n
			})
		}
	})
	t.Logf("%d commands run; the output of %d blocks varies; %d blocks not run:\n%s", run, len(varies), len(notRun),
		strings.Join(notRun, "\n"))
}

// optional are programs that documentation may use and a machine may lack.
var optional = regexp.MustCompile(`\b(?:jq|curl|zcat|man|npx|python3|promtool)\b`)

func missingProgram(b block) string {
	for _, name := range optional.FindAllString(b.text, -1) {
		if _, err := exec.LookPath(name); err != nil {
			return name
		}
	}
	return ""
}

// command is one command of a block, with the output that the page shows.
type command struct {
	block block
	text  string
	want  []string
}

func commands(t *testing.T, bash string, b block) (all []command) {
	if b.file != "" {
		return []command{{block: b, text: "cat >'" + b.file + "' <<'END OF FILE'\n" + b.text + "END OF FILE"}}
	}
	lines := strings.Split(strings.TrimRight(b.text, "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if b.kind == "console" {
			rest, ok := strings.CutPrefix(line, "$ ")
			if !ok {
				if len(all) == 0 {
					t.Errorf("%s:%d: a console block begins with a command: $ …", b.page, b.line)
					return nil
				}
				last := &all[len(all)-1]
				last.want = append(last.want, line)
				continue
			}
			line = rest
		}
		if strings.TrimSpace(line) == "" || strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		for exec.Command(bash, "-n", "-c", line).Run() != nil || strings.HasSuffix(line, "\\") { // a command of several lines
			if i++; i == len(lines) {
				t.Errorf("%s:%d: bash cannot parse %q", b.page, b.line, line)
				return nil
			}
			line += "\n" + lines[i]
		}
		all = append(all, command{block: b, text: line})
	}
	return all
}

const prologue = `
go() {
  if [ "$1 $2" = "run ./cmd/toolscope" ]; then shift 2; toolscope "$@"; return; fi
  (cd "$REPOSITORY" && command go "$@")
}
make() { command make -C "$REPOSITORY" -n "$@" >/dev/null; }
answers() { for _ in $(seq 200); do (: </dev/tcp/127.0.0.1/$1) 2>/dev/null && return; sleep 0.1; done; return 1; }
`

var localPort = regexp.MustCompile(`\b(127\.0\.0\.1|localhost):(\d{4,5})\b`)

func runPage(t *testing.T, bash, bin string, cs []command) int {
	dir, out := scratch(t), scratch(t)
	ports := freePorts(t, cs)
	move := func(s string) string {
		return localPort.ReplaceAllStringFunc(s, func(s string) string {
			host, port, _ := strings.Cut(s, ":")
			return host + ":" + cmp.Or(ports[port], port)
		})
	}
	script := prologue
	for i, c := range cs {
		file := filepath.Join(out, strconv.Itoa(i))
		script += fmt.Sprintf("{\n%s\n} >%s 2>&1 </dev/null\necho $? >%s.code\n", move(c.text), file, file)
		if strings.HasSuffix(c.text, "&") {
			for _, m := range localPort.FindAllStringSubmatch(c.text, -1) {
				script += "answers " + ports[m[2]] + "\n"
			}
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	shell := exec.CommandContext(ctx, bash, "-c", script)
	shell.Dir, shell.Env = dir, environment(t, bin)
	shell.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	end := func() error { return syscall.Kill(-shell.Process.Pid, syscall.SIGKILL) } // what runs in the background, too
	shell.Cancel = end
	shell.WaitDelay = 5 * time.Second
	var rest bytes.Buffer
	shell.Stdout, shell.Stderr = &rest, &rest
	err := shell.Start()
	if err != nil {
		t.Fatal(err)
	}
	err = shell.Wait()
	_ = end()
	if err != nil && ctx.Err() != nil {
		t.Errorf("the commands did not end in time")
	}
	for i, c := range cs {
		got, _ := os.ReadFile(filepath.Join(out, strconv.Itoa(i)))
		code, _ := os.ReadFile(filepath.Join(out, strconv.Itoa(i)+".code"))
		where := fmt.Sprintf("%s:%d: %s", c.block.page, c.block.line, c.text)
		switch ended := strings.TrimSpace(string(code)); {
		case ended != "0" && ended != c.block.exit:
			t.Errorf("%s\nended with code %q:\n%s%s", where, ended, got, rest.Bytes())
			return i
		case c.block.varies == "":
			if line := missingLine(c.want, strings.Split(move(string(got)), "\n"), move); line != "" {
				t.Errorf("%s\nwant the line\n%s\nin its place in\n%s", where, line, got)
			}
		}
	}
	return len(cs)
}

// missingLine is the first line of want that got does not have, in order. What differs from run to run is not compared:
// numbers with their units, ids, times, blanks, and … stands for anything.
func missingLine(want, got []string, move func(string) string) string {
	for _, line := range want {
		if strings.TrimSpace(line) == "" || strings.TrimSpace(line) == "…" {
			continue
		}
		pattern := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(usual(move(line))), "…", ".*") + "$")
		i := slices.IndexFunc(got, func(g string) bool { return pattern.MatchString(usual(g)) })
		if i < 0 {
			return line
		}
		got = got[i+1:]
	}
	return ""
}

var (
	ids     = regexp.MustCompile(`\b[0-9a-f]{12,64}\b|\b[0-9A-Z]{26}\b|\d{8}-\d{6}\.\d+`)
	times   = regexp.MustCompile(`\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z?`)
	numbers = regexp.MustCompile(`\d+(?:\.\d+)?(?:e[+-]\d+)? ?(?:ns|µs|ms|s|m|%|MiB|KiB|B)?\b`)
	plots   = regexp.MustCompile(`[▁▂▃▄▅▆▇█ ]+`)
)

func usual(line string) string {
	line = times.ReplaceAllString(ids.ReplaceAllString(line, "#"), "#")
	return strings.TrimSpace(plots.ReplaceAllString(numbers.ReplaceAllString(line, "#"), " "))
}

func freePorts(t *testing.T, cs []command) map[string]string {
	ports := map[string]string{}
	collector := collector(t)
	for _, c := range cs {
		for _, m := range localPort.FindAllStringSubmatch(c.text, -1) {
			if m[2] == "4317" || m[2] == "4318" {
				ports[m[2]] = collector
			}
			if ports[m[2]] != "" {
				continue
			}
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			_, ports[m[2]], _ = net.SplitHostPort(l.Addr().String())
		}
		for _, line := range c.want {
			for _, m := range localPort.FindAllStringSubmatch(line, -1) {
				if ports[m[2]] == "" {
					ports[m[2]] = m[2]
				}
			}
		}
	}
	return ports
}

// collector is the port of a server that takes spans and metrics over OTLP and forgets them.
func collector(t *testing.T) string {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.ProtoMajor == 2 { // gRPC: an empty message
			w.Header().Set("Content-Type", "application/grpc")
			w.Header().Set(http.TrailerPrefix+"Grpc-Status", "0")
			_, _ = w.Write(make([]byte, 5))
		}
	}))
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetHTTP1(true)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	t.Cleanup(server.Close)
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	return port
}

// environment is that of an empty home directory, without variables that change what the commands do.
func environment(t *testing.T, bin string) []string {
	home := scratch(t)
	repository, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	run := filepath.Join(home, "run")
	if err := os.Mkdir(run, 0o700); err != nil {
		t.Fatal(err)
	}
	env := []string{"HOME=" + home, "XDG_RUNTIME_DIR=" + run, "REPOSITORY=" + repository, "LANG=C.UTF-8", "NO_COLOR=1",
		"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH")}
	settings, err := goCommand("env", "GOCACHE", "GOMODCACHE", "GOPATH", "GOFLAGS", "GOPROXY", "GOSUMDB", "GOTOOLCHAIN").Output()
	if err != nil {
		t.Fatal(err)
	}
	values := strings.Split(string(settings), "\n")
	for i, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOFLAGS", "GOPROXY", "GOSUMDB", "GOTOOLCHAIN"} {
		env = append(env, name+"="+values[i])
	}
	return env
}

// scratch is a directory that is removed after the test, when the programs that it started have ended:
// until then t.TempDir would fail.
func scratch(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "docs")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for end := time.Now().Add(10 * time.Second); os.RemoveAll(dir) != nil && time.Now().Before(end); {
			time.Sleep(50 * time.Millisecond)
		}
	})
	return dir
}
