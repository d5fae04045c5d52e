// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package mcpproxy_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/config"
	"github.com/toolscope/toolscope/mcp/mcpproxy"
)

// programEnv makes the test binary a server, or a proxy of one.
const programEnv = "TOOLSCOPE_TEST_PROGRAM"

func TestMain(m *testing.M) {
	switch os.Getenv(programEnv) {
	case "":
		os.Exit(m.Run())
	case "server":
		serveLines()
	case "proxy":
		os.Exit(proxyOf("server", ""))
	case "recovered":
		os.Exit(proxyOf("server", "policies: {recover: {}}\n"))
	case "governed":
		os.Exit(proxyOf("server", allPolicies()))
	case "copy":
		os.Exit(copyPipes())
	case "http":
		os.Exit(serveHTTP())
	case "proxyhttp":
		os.Exit(proxyHTTP(os.Args[1]))
	case "tappedhttp":
		os.Exit(tappedHTTP(os.Args[1]))
	}
}

// result is how large an answer of the server is, which the request says.
var result = []byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"`)

// serveLines answers each line with a result as long as the line's number says.
func serveLines() {
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriterSize(os.Stdout, 64<<10)
	piece := bytes.Repeat([]byte("x"), 32<<10)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		size := 0
		if i := bytes.Index(line, []byte(`"size":`)); i >= 0 {
			fmt.Sscanf(string(line[i+7:]), "%d", &size)
		}
		if i := bytes.Index(line, []byte(`"encode":`)); i >= 0 {
			fmt.Sscanf(string(line[i+9:]), "%d", &size)
			if _, err := os.Stdout.Write(encoded(size)); err != nil {
				return
			}
			continue
		}
		_, _ = out.Write(result)
		for size > 0 {
			n := min(size, len(piece))
			_, _ = out.Write(piece[:n])
			size -= n
		}
		_, _ = out.WriteString("\"}]}}\n")
		if out.Flush() != nil {
			return
		}
	}
}

// allPolicies is every policy with its defaults, but for those that answer calls in the server's place, or refuse the same
// call again and again, as the benchmark makes it.
func allPolicies() string {
	var lines []string
	for line := range strings.Lines(config.AllPolicies()) {
		name := strings.TrimSpace(strings.SplitN(line, ":", 2)[0])
		if !slices.Contains([]string{"cache", "dedupe", "loop", "approve"}, name) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

// proxyOf stands between this process's client and a server, with the policies of a configuration.
func proxyOf(server, policies string) int {
	debug.SetGCPercent(400) // as the command does
	self, err := os.Executable()
	if err != nil {
		return 1
	}
	var options toolscope.Options
	if policies != "" {
		file, err := config.OpenText("benchmark", []byte(policies))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		options = file.Options(options)
	}
	scope, err := toolscope.New(options)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	w, err := mcpproxy.New(scope, mcpproxy.Options{})
	if err != nil {
		return 1
	}
	exit, err := w.Run(
		mcpproxy.Command{
			Path:   self,
			Args:   []string{self},
			Env:    append(os.Environ(), programEnv+"="+server),
			Stdin:  os.Stdin,
			Stdout: os.Stdout,
			Stderr: os.Stderr,
		},
	)
	w.Close()
	if err != nil {
		return 1
	}
	return exit.Code
}

// pipe is a client's connection to a server, or to its proxy.
type pipe struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// connect starts a program of the test binary, behind the words of a command if there are some.
func connect(b testing.TB, program string, before ...string) *pipe {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	words := append(before, self)
	p := &pipe{cmd: exec.Command(words[0], words[1:]...)}
	p.cmd.Env = append(
		slices.DeleteFunc(os.Environ(), func(v string) bool { return len(v) > 5 && v[:5] == "OTEL_" }),
		programEnv+"="+program,
	)
	p.cmd.Stderr = os.Stderr
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		b.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	p.out = bufio.NewReaderSize(out, 64<<10)
	if err := p.cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { p.in.Close(); _ = p.cmd.Wait() })
	for range 200 {
		p.call(b, 0)
	}
	return p
}

// call makes a call and reads its answer; it returns the bytes read.
func (p *pipe) call(b testing.TB, size int) (n int64) {
	if _, err := fmt.Fprintf(p.in, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x",`+
		`"arguments":{"size":%d}}}`+"\n", size); err != nil {
		b.Fatal(err)
	}
	for {
		piece, err := p.out.ReadSlice('\n')
		n += int64(len(piece))
		if err == nil {
			return n
		}
		if err != bufio.ErrBufferFull {
			b.Fatalf("%v: %v", p.cmd.Env[len(p.cmd.Env)-1], err)
		}
	}
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// passage is a way to a server: direct, or by something in between.
type passage struct {
	name string
	*pipe
}

// passages are a server's, by pipes: direct, by the proxy, by a copier in Go, and by two in C, of which
// the second one has the kernel move the traffic.
func passages(b *testing.B) []passage {
	all := []passage{{"direct", connect(b, "server")}, {"proxied", connect(b, "proxy")}, {"copy", connect(b, "copy")}}
	all = append(all, passage{"recover", connect(b, "recovered")}, passage{"all-policies", connect(b, "governed")})
	if c := copier(b); c != "" {
		all = append(
			all,
			passage{"C-copy", connect(b, "server", c, "pipes")},
			passage{"C-splice", connect(b, "server", "env", "MODE=splice", c, "pipes")},
		)
	}
	return all
}

// interleaved uses each passage in turn, and gives the medians.
func interleaved(b *testing.B, all []passage, use func(p *pipe)) []time.Duration {
	took := make([][]time.Duration, len(all))
	for b.Loop() {
		for i, p := range all {
			began := time.Now()
			use(p.pipe)
			took[i] = append(took[i], time.Since(began))
		}
	}
	b.ReportMetric(0, "ns/op")
	medians := make([]time.Duration, len(all))
	for i := range took {
		medians[i] = median(took[i])
	}
	return medians
}

// BenchmarkStdioRoundTrip is a call and its answer, interleaved: direct and by what stands in between;
// added-µs is the difference of the medians.
func BenchmarkStdioRoundTrip(b *testing.B) {
	all := passages(b)
	took := interleaved(b, all, func(p *pipe) { p.call(b, 100) })
	b.ReportMetric(float64(took[0].Nanoseconds())/1000, "direct-µs")
	for i := 1; i < len(all); i++ {
		b.ReportMetric(float64((took[i]-took[0]).Nanoseconds())/1000, all[i].name+"-added-µs")
	}
}

// BenchmarkStdioThroughput is an answer of 10 MiB, interleaved as BenchmarkStdioRoundTrip: from a server
// that encodes it to a client that decodes it, and between two that do nothing but copy.
func BenchmarkStdioThroughput(b *testing.B) {
	for name, use := range map[string]func(p *pipe){
		"json": func(p *pipe) { p.decode(b, 10<<20) },
		"copy": func(p *pipe) { p.call(b, 10<<20) },
	} {
		b.Run(name, func(b *testing.B) {
			all := slices.DeleteFunc(passages(b), func(p passage) bool { return p.name == "all-policies" }) // which truncate
			took := interleaved(b, all, use)
			b.ReportMetric(10/took[0].Seconds(), "direct-MiB/s")
			for i := 1; i < len(all); i++ {
				b.ReportMetric(100*took[0].Seconds()/took[i].Seconds(), all[i].name+"-%-of-direct")
			}
		})
	}
}

// answerOf is an answer as peers encode and decode it.
type answerOf struct {
	Version string `json:"jsonrpc"`
	ID      int    `json:"id"`
	Result  struct {
		Content []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"content"`
	} `json:"result"`
}

// decode makes a call whose answer the server encodes, and decodes it.
func (p *pipe) decode(b testing.TB, size int) {
	if _, err := fmt.Fprintf(p.in, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x",`+
		`"arguments":{"encode":%d}}}`+"\n", size); err != nil {
		b.Fatal(err)
	}
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		b.Fatal(err)
	}
	var a answerOf
	if err := json.Unmarshal(line, &a); err != nil || len(a.Result.Content[0].Text) != size {
		b.Fatalf("got %d bytes and %v", len(line), err)
	}
}

// encoded is an answer of that many bytes of text.
func encoded(size int) []byte {
	var a answerOf
	a.Version, a.ID = "2.0", 1
	a.Result.Content = make([]struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}, 1)
	a.Result.Content[0].Type, a.Result.Content[0].Text = "text", strings.Repeat("a line of text\n", size/15+1)[:size]
	text, err := json.Marshal(a)
	if err != nil {
		panic(err)
	}
	return append(text, '\n')
}
