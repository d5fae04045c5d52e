// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// exitFake is what a fake server ends with, so that its code differs from others.
const exitFake = 7

// fakeServer is an MCP server of some kind; it returns its exit code.
func fakeServer(kind string) int {
	switch kind {
	case "cat": // sends back what it gets
		fmt.Fprint(os.Stderr, "cat begins\n")
		_, _ = io.Copy(os.Stdout, os.Stdin)
		fmt.Fprint(os.Stderr, "cat ends")
		return exitFake
	case "polite": // ends itself when it is asked to
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		fmt.Println("ready")
		fmt.Fprintf(os.Stderr, "got %v", <-signals)
		return exitFake
	case "mute": // closes its output and goes on
		fmt.Println("last words")
		os.Stdout.Close()
		_, _ = io.Copy(io.Discard, os.Stdin)
		fmt.Fprint(os.Stderr, "still there")
		return exitFake
	case "daemon": // leaves a child behind that holds its output
		child, err := os.StartProcess(
			os.Args[0],
			os.Args[:1],
			&os.ProcAttr{Env: []string{programEnv + "=sleep"}, Files: []*os.File{nil, os.Stdout, os.Stderr}},
		)
		if err != nil {
			return 1
		}
		fmt.Println("left", child.Pid)
		return exitFake
	case "sleep":
		time.Sleep(2 * time.Minute) // another process, which holds its output until the command ends it
		return 0
	}
	return mcpServer()
}

// mcpServer answers requests.
func mcpServer() int {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriterSize(os.Stdout, 64<<10)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return exitFake
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Name      string
				Arguments json.RawMessage
				Meta      json.RawMessage `json:"_meta"`
			}
		}
		if json.Unmarshal(line, &m) != nil || len(m.ID) == 0 {
			continue
		}
		result := "{}"
		switch m.Method {
		case "initialize":
			result = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"logging":{}},` +
				`"serverInfo":{"name":"fake","version":"1.0"}}`
		case "tools/list":
			result = `{"tools":[{"name":"echo","description":"says it again","inputSchema":{"type":"object"}},` +
				`{"name":"die","inputSchema":{"type":"object"}},{"name":"big","inputSchema":{"type":"object"}},` +
				`{"name":"flood","inputSchema":{"type":"object"}},{"name":"hang","inputSchema":{"type":"object"}}]}`
		case "tools/call":
			fmt.Fprintf(os.Stderr, "calling %s\n", m.Params.Name)
			if result = callFake(out, m.Params.Name, m.Params.Arguments, m.Params.Meta); result == "" {
				continue
			}
		}
		fmt.Fprintf(out, "{\"result\":%s,\"jsonrpc\":\"2.0\",\"id\":%s}\n", result, m.ID)
		if out.Flush() != nil {
			return 3
		}
	}
}

// bigResult is how large the answer of the tool "big" is, in bytes.
const bigResult = 100 << 20

// callFake runs a tool; "" is no answer.
func callFake(out *bufio.Writer, name string, args, meta json.RawMessage) string {
	switch name {
	case "die":
		fmt.Fprint(out, `{"jsonrpc":"2.0","id":1,"resu`)
		out.Flush()
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "hang":
		return ""
	case "big":
		piece := bytes.Repeat([]byte("0123456789abcde\\n"), 1<<10)
		fmt.Fprint(out, `{"result":{"content":[{"type":"text","text":"`)
		for n := 0; n < bigResult; n += len(piece) {
			_, _ = out.Write(piece)
		}
		fmt.Fprint(out, `"}]},"jsonrpc":"2.0","id":"big"}`+"\n")
		out.Flush()
		return ""
	case "flood":
		for i := range 200_000 {
			fmt.Fprintf(
				out,
				`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":%d}}`+"\n",
				i,
			)
		}
	}
	if bytes.Contains(args, []byte(`"text"`)) {
		meta = nil // which differs from client to client
	}
	text, _ := json.Marshal(fmt.Sprintf("%s %s %s", name, args, meta))
	return fmt.Sprintf(`{"content":[{"type":"text","text":%s}]}`, text)
}
