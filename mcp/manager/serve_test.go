// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//lint:file-ignore SA1019 servers of older revisions ask for what the newest deprecates, and are served.

package manager_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type textIn struct {
	Text string `json:"text,omitempty"`
}

// serve is the program that tests start as a server, by role.
func serve(role string) {
	switch role {
	case "hang": // never answers, and does not mind that its input ends
		time.Sleep(2 * time.Minute) // this is another process, which the manager has to kill
		return
	case "raw":
		serveRaw(os.Getenv("RAW"))
		return
	case "exit":
		fmt.Fprintln(os.Stderr, "cannot open the database", os.Getenv("SAYS"))
		os.Exit(3)
	}
	s := newServer(role)
	if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil && !errors.Is(err, io.EOF) {
		fmt.Fprintln(os.Stderr, err)
	}
}

// newServer is a server of a role, over whatever transport.
func newServer(role string) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "test-" + role, Version: "1"}, nil)
	text := func(t string) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: t}}}
	}
	mcp.AddTool(s, &mcp.Tool{Name: "echo", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, _ *mcp.CallToolRequest, in textIn) (*mcp.CallToolResult, any, error) {
			if in.Text == "fail" {
				return nil, nil, errors.New("it failed")
			}
			return text(role + ": " + in.Text), nil, nil
		})
	// die ends the process in the middle of a call, having told a file that it ran.
	die := func(_ context.Context, _ *mcp.CallToolRequest, _ textIn) (*mcp.CallToolResult, any, error) {
		ran(role)
		if os.Getenv("SURVIVES") == "" {
			os.Exit(7)
		}
		return text(role + " survived"), nil, nil
	}
	mcp.AddTool(s, &mcp.Tool{Name: "die"}, die)
	mcp.AddTool(s, &mcp.Tool{Name: "die_safely", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}}, die)
	mcp.AddTool(s, &mcp.Tool{Name: "reach"},
		func(_ context.Context, _ *mcp.CallToolRequest, in textIn) (*mcp.CallToolResult, any, error) {
			dir, address, _ := strings.Cut(in.Text, " ")
			_, reading := os.ReadFile(filepath.Join(dir, "file"))
			writing := os.WriteFile(filepath.Join(dir, "new"), nil, 0o600)
			c, dialling := net.Dial("tcp", address)
			if dialling == nil {
				c.Close()
			}
			return text(fmt.Sprintf("%t %t %t", reading == nil, writing == nil, dialling == nil)), nil, nil
		})
	doom := sync.OnceFunc(func() { // a process that is mortal lives a while longer than until its first call
		self, err := os.FindProcess(os.Getpid())
		if err != nil {
			panic(err)
		}
		time.AfterFunc(time.Duration(20+rand.IntN(200))*time.Millisecond, func() { _ = self.Kill() })
	})
	mcp.AddTool(s, &mcp.Tool{Name: "once"},
		func(_ context.Context, _ *mcp.CallToolRequest, in textIn) (*mcp.CallToolResult, any, error) {
			if os.Getenv("MORTAL") != "" {
				doom()
			}
			ran(in.Text)
			return text("done"), nil, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "sleep"},
		func(ctx context.Context, _ *mcp.CallToolRequest, _ textIn) (*mcp.CallToolResult, any, error) {
			ran(role)
			// Heedless of ctx: it answers after a cancellation, once the file UNTIL is there.
			for until := os.Getenv("UNTIL"); ; time.Sleep(time.Millisecond) {
				if _, err := os.Stat(until); err == nil {
					ran("answers")
					return text("late"), nil, nil
				}
			}
		})
	mcp.AddTool(s, &mcp.Tool{Name: "large"},
		func(context.Context, *mcp.CallToolRequest, textIn) (*mcp.CallToolResult, any, error) {
			return text(strings.Repeat("x", 1<<20)), nil, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "change"},
		func(_ context.Context, _ *mcp.CallToolRequest, in textIn) (*mcp.CallToolResult, any, error) {
			mcp.AddTool(s, &mcp.Tool{Name: "new_" + in.Text},
				func(context.Context, *mcp.CallToolRequest, textIn) (*mcp.CallToolResult, any, error) {
					return text("new"), nil, nil
				})
			s.RemoveTools("old_" + in.Text)
			return text("changed"), nil, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "child"},
		func(_ context.Context, _ *mcp.CallToolRequest, in textIn) (*mcp.CallToolResult, any, error) {
			c := exec.Command(os.Args[0])
			c.Env = append(os.Environ(), roleEnv+"=hang")
			c.Stdout = os.Stdout // it holds the pipe open
			if in.Text == "detached" {
				detach(c)
			}
			if err := c.Start(); err != nil {
				return nil, nil, err
			}
			return text(fmt.Sprint(c.Process.Pid)), nil, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "asks"},
		func(ctx context.Context, r *mcp.CallToolRequest, _ textIn) (*mcp.CallToolResult, any, error) {
			_, err1 := r.Session.CreateMessage(ctx,
				&mcp.CreateMessageParams{MaxTokens: 1,
					Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: "hi"}}}})
			_, err2 := r.Session.Elicit(ctx,
				&mcp.ElicitParams{Message: "?", RequestedSchema: json.RawMessage(`{"type":"object","$ref":"#"}`)})
			_, err3 := r.Session.ListRoots(ctx, nil)
			return text(fmt.Sprintf("%v\n%v\n%v", err1, err2, err3)), nil, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "progress"},
		func(ctx context.Context, r *mcp.CallToolRequest, _ textIn) (*mcp.CallToolResult, any, error) {
			err := r.Session.NotifyProgress(ctx,
				&mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: 1, Total: 2,
					Message: "half"})
			time.Sleep(50 * time.Millisecond) // what comes with the answer is handled after it where there is one processor
			return text("done"), nil, err
		})
	s.AddResource(&mcp.Resource{URI: "test://" + role, Name: role},
		func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, Text: "body of " + role}}}, nil
		})
	s.AddPrompt(&mcp.Prompt{Name: "greet_" + role},
		func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{
				Messages: []*mcp.PromptMessage{
					{Role: "user", Content: &mcp.TextContent{Text: "hello " + r.Params.Arguments["who"]}}}}, nil
		})
	return s
}

// ran notes in the file RAN that a tool ran.
func ran(role string) {
	f, err := os.OpenFile(os.Getenv("RAN"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	fmt.Fprintln(f, role)
}

// serveRaw answers by hand: with what the SDK's server would never send.
func serveRaw(how string) {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	fmt.Println("Server is starting…") // no message
	page := 0
	for in.Scan() {
		var req struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				Name string `json:"name"`
			} `json:"params"`
		}
		if json.Unmarshal(in.Bytes(), &req) != nil || req.ID == nil {
			continue
		}
		answer := func(result string) {
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", req.ID, strings.ReplaceAll(result, "\n", ""))
		}
		switch req.Method {
		case "initialize":
			answer(`{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},` +
				`"serverInfo":{"name":"raw","version":"1"}}`)
		case "tools/list":
			switch how {
			case "many":
				var b strings.Builder
				for i := range 100_000 {
					fmt.Fprintf(&b, `{"name":"t%d","inputSchema":{"type":"object"}},`, i)
				}
				answer(`{"tools":[` + strings.TrimSuffix(b.String(), ",") + `]}`)
			case "endless":
				page++
				answer(fmt.Sprintf(`{"tools":[],"nextCursor":"%d"}`, page))
			case "circle":
				answer(`{"tools":[],"nextCursor":"again"}`)
			default:
				answer(`{"tools":[
					{"name":"fine","inputSchema":{"type":"object"}},{"name":"fine","inputSchema":{"type":"object"}},
					{"name":"es\u001b[31mcape","inputSchema":{"type":"object"}},{"name":"","inputSchema":{"type":"object"}},
					{"name":"self","inputSchema":{"$ref":"#"}},{"name":"text","inputSchema":"no schema"},null,
					{"name":"dots.and/marks?","inputSchema":{"type":"object"}},{"name":"größe","inputSchema":{"type":"object"}},
					{"name":"bad_pattern","inputSchema":{"type":"object","properties":{"a":{"pattern":"("}}}},
					{"name":"number","inputSchema":{"type":"object"}},{"name":"twice",` +
					`"inputSchema":{"type":"object"}},{"name":"huge","inputSchema":{"type":"object"}},` +
					`{"name":"null","inputSchema":{"type":"object"}},
					{"name":"asks","inputSchema":{"type":"object"}},{"name":"meta","inputSchema":{"type":"object"},` +
					`"_meta":{"toolscope":{"callsTools":true}}}]}`)
			}
		case "tools/call":
			switch req.Params.Name {
			case "number":
				answer(`5`)
			case "huge": // the id comes last, as some write it
				fmt.Print(`{"result":{"content":[{"type":"text","text":"`)
				for range 100 << 20 / 1024 {
					fmt.Print(strings.Repeat(`\" id: 4,{`, 102), "1234")
				}
				fmt.Printf(`"}]},"jsonrpc":"2.0","id":%s}`+"\n", req.ID)
			case "asks": // what the host refuses, under one id twice, and what the host does not offer
				answer(fmt.Sprintf(`{"content":[{"type":"text","text":%q}]}`, askedRaw(in,
					`{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`,
					`{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`,
					`{"jsonrpc":"2.0","id":"\u0000","method":"elicitation/create","params":{"message":"?",`+
						`"requestedSchema":{"$ref":"#"}}}`,
					`{"jsonrpc":"2.0","id":8,"method":"roots/list"}`, `{"jsonrpc":"2.0","id":9,"method":"\u001b[2J"}`)))
			case "meta":
				answer(`{"content":[{"type":"text","text":"said"}],"_meta":{"of":"the ` +
					`tool","io.modelcontextprotocol/serverInfo":{"name":"raw"}}}`)
			case "null":
				answer(`{"content":[null,{"type":"no such type"}]}`)
			case "twice":
				answer(`{"content":[{"type":"text","text":"first"}]}`)
				answer(`{"content":[{"type":"text","text":"second"}]}`)
				fmt.Println(`{"jsonrpc":"2.0","id":"never asked","result":{}}`)
				fmt.Println(`[{"jsonrpc":"2.0","method":"notifications/no_such"},{"jsonrpc":"2.0","id":1,"method":"no/such"}]`)
				fmt.Println(`{"jsonrpc":"2.0"}`)
				fmt.Println(strings.Repeat("[", 100_000))
			default:
				answer(`{"content":[{"type":"text","text":"fine"}]}`)
			}
		case "ping":
			answer(`{}`)
		default:
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`+"\n", req.ID)
		}
	}
}

// askedRaw sends requests of the server's and tells the codes that each id was answered
// with, the first answer of each.
func askedRaw(in *bufio.Scanner, requests ...string) string {
	ids := []string{`7`, `"\u0000"`, `8`, `9`}
	codes := map[string]string{}
	for _, r := range requests {
		fmt.Println(r)
	}
	for len(codes) < len(ids) && in.Scan() {
		var answer struct {
			ID    json.RawMessage `json:"id"`
			Error *struct {
				Code int `json:"code"`
			} `json:"error"`
		}
		if json.Unmarshal(in.Bytes(), &answer) != nil || answer.Error == nil {
			continue
		}
		if id := string(answer.ID); codes[id] == "" {
			codes[id] = fmt.Sprint(answer.Error.Code)
		}
	}
	var list []string
	for _, id := range ids {
		list = append(list, codes[id])
	}
	return strings.Join(list, " ")
}
