// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// recordedSession is what a client sends to one of the reference servers; DIR is a directory of
// its own, TRACE the trace's id. Calls carry the trace context of a client.
type recordedSession struct {
	trace  string // that the calls are in
	script string
	args   []string
	lines  []string
	calls  []string // the tools, in the order they are called
}

// proxyParent is the client's span that all calls are below, in the session's trace.
const proxyParent = "b7ad6b7169203331"

func recordedCall(id int, tool, arguments string) string {
	return fmt.Sprintf(
		`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"_meta":{"traceparent":"00-TRACE-%s-01"},`+
			`"name":%q,"arguments":%s}}`,
		id,
		proxyParent,
		tool,
		arguments,
	)
}

const (
	recordedInitialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
		`"capabilities":{},"clientInfo":{"name":"recorded","version":"1"}}}`
	recordedReady = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	recordedList  = `{ "jsonrpc" : "2.0", "id" : "list", "method" : "tools/list" }`
	recordedOdd   = `{"jsonrpc":"2.0","id":99,"method":"no/such/method","params":{"é":"\u00e9"}}`
)

var recordedSessions = map[string]recordedSession{
	"everything": {
		strings.Repeat("a1", 16), "@modelcontextprotocol/server-everything/dist/index.js", []string{"stdio"},
		[]string{
			recordedInitialize,
			recordedReady,
			recordedList,
			recordedCall(1, "echo", `{"message":"größer"}`),
			recordedCall(2, "get-sum", `{"a":2,"b":40}`),
			recordedOdd,
			recordedCall(3, "get-tiny-image", `{}`),
		},
		[]string{"echo", "get-sum", "get-tiny-image"},
	},
	"filesystem": {
		strings.Repeat("b1", 16), "@modelcontextprotocol/server-filesystem/dist/index.js", []string{"DIR"},
		[]string{
			recordedInitialize, recordedReady, recordedList, recordedCall(
				1, "write_file", `{"path":"DIR/a.txt","content":"hello\n"}`,
			),
			recordedCall(
				2,
				"read_text_file",
				`{"path":"DIR/a.txt"}`,
			), recordedCall(3, "read_text_file", `{"path":"/etc/passwd"}`), recordedOdd,
		},
		[]string{"write_file", "read_text_file", "read_text_file"},
	},
	"memory": {
		strings.Repeat("c1", 16), "@modelcontextprotocol/server-memory/dist/index.js", nil,
		[]string{
			recordedInitialize, recordedReady, recordedList, recordedCall(
				1, "create_entities",
				`{"entities":[{"name":"Ada","entityType":"person","observations":["counts"]}]}`,
			),
			recordedCall(2, "read_graph", `{}`), recordedOdd,
		},
		[]string{"create_entities", "read_graph"},
	},
}

// played is what a recorded session came to.
type played struct {
	sent, serverGot string // what the client sent, and what the server got of it
	serverSent, got string
	answers         map[string]string // by id
	stderr          string
	code            int
}

// playSession plays a session with a server, behind the words of a proxy if there are some. What
// goes into the server and comes out of it is written down right beside it.
func playSession(t *testing.T, s recordedSession, dir string, env []string, proxy ...string) played {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	inside := t.TempDir()
	in, out := filepath.Join(inside, "in"), filepath.Join(inside, "out")
	var words []string
	for _, a := range s.args {
		words = append(words, strings.ReplaceAll(a, "DIR", dir))
	}
	server := node(ctx, t, s.script, words...)
	command := append(
		[]string{"sh", "-c", `in=$1 out=$2; shift 2; tee "$in" | "$@" | tee "$out"`, "sh", in, out},
		server.Args...)
	if proxy != nil {
		command = append(append(proxy, "--"), command...)
	}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env = append(os.Environ(), append(env, "MEMORY_FILE_PATH="+filepath.Join(dir, "memory.json"))...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := played{answers: map[string]string{}}
	lines := bufio.NewReader(stdout)
	for _, line := range s.lines {
		line = strings.NewReplacer("DIR", dir, "TRACE", s.trace).Replace(line) + "\n"
		p.sent += line
		if _, err := io.WriteString(stdin, line); err != nil {
			t.Fatal(err)
		}
		id := messageID(line)
		for id != "" {
			answer, err := lines.ReadString('\n')
			if err != nil {
				t.Fatalf("%v after %s; stderr: %s", err, line, stderr.String())
			}
			p.got += answer
			if messageID(answer) == id {
				p.answers[id] = answer
				break
			}
		}
	}
	stdin.Close()
	rest, err := io.ReadAll(lines)
	if err != nil {
		t.Fatal(err)
	}
	p.got += string(rest)
	_ = cmd.Wait() // the code says it
	p.code, p.stderr = cmd.ProcessState.ExitCode(), stderr.String()
	for file, into := range map[string]*string{in: &p.serverGot, out: &p.serverSent} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		*into = string(text)
	}
	return p
}

func messageID(line string) string {
	var m struct{ ID json.RawMessage }
	_ = json.Unmarshal([]byte(line), &m)
	return string(m.ID)
}

// TestServersBehindTheProxy plays recorded sessions with npm's reference servers, bare and behind
// the proxy: both sides get every byte, the answers are the same, and each call is one span in
// Jaeger below the client's.
func TestServersBehindTheProxy(t *testing.T) {
	npmPackages(t)
	jaeger := startJaeger(t)
	binary := command(t)
	for name, s := range recordedSessions {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			clear := func() {
				for _, f := range []string{"a.txt", "memory.json"} {
					_ = os.Remove(filepath.Join(dir, f))
				}
			}
			bare := playSession(t, s, dir, nil)
			clear()
			behind := playSession(
				t,
				s,
				dir,
				[]string{"XDG_STATE_HOME=" + t.TempDir()},
				binary,
				"mcp",
				"--name",
				name,
				"--otlp",
				jaeger.OTLP,
			)
			if behind.serverGot != behind.sent || behind.got != behind.serverSent {
				t.Errorf(
					"the server got %d of %d bytes, the client %d of %d, or others",
					len(behind.serverGot),
					len(behind.sent),
					len(behind.got),
					len(behind.serverSent),
				)
			}
			if behind.code != bare.code || behind.stderr != bare.stderr {
				t.Errorf(
					"got code %d and stderr %q, want %d and %q",
					behind.code,
					behind.stderr,
					bare.code,
					bare.stderr,
				)
			}
			for id, want := range bare.answers {
				if behind.answers[id] != want {
					t.Errorf("answer %s: got %s, want %s", id, behind.answers[id], want)
				}
			}
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			traces, _, err := jaeger.Spans(ctx, "toolscope-mcp-"+name, len(s.calls)+3)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]int{}
			for _, trace := range traces {
				for _, span := range trace.Spans {
					if kind, _ := span.Tag("span.kind"); kind != "server" {
						t.Errorf("%s: got kind %s", span.OperationName, kind)
					}
					if tool, ok := strings.CutPrefix(span.OperationName, "tools/call "); ok {
						got[tool]++
						if trace.TraceID != s.trace || span.Parent() != proxyParent {
							t.Errorf(
								"%s: got trace %s and parent %s, want the client's",
								span.OperationName,
								trace.TraceID,
								span.Parent(),
							)
						}
					}
				}
			}
			for _, tool := range s.calls {
				got[tool]--
			}
			for tool, n := range got {
				if n != 0 {
					t.Errorf("%s: %d spans more than calls", tool, n)
				}
			}
		})
	}
}
