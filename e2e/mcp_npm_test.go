// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//lint:file-ignore SA1019 servers of older revisions ask for what the newest deprecates, and are served.

package e2e

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/mcp/manager"
	"github.com/toolscope/toolscope/toolkit"
)

// A use is how a tool of a third-party server is called, and what its result holds.
type use struct{ arguments, want string }

// needsTasks is what a tool answers that is run as a task only: an extension of the
// protocol that the SDK does not have.
const needsTasks = "requires task augmentation"

// An npmServer is one that npm has, with what it has.
type npmServer struct {
	script   string
	args     []string
	env      map[string]string
	tools    []string // in the order in which they are called
	uses     map[string]use
	prompts  map[string]map[string]string
	template map[string]string // a URI of each template
	asks     []string          // what the host is asked
}

// everything is the reference server that has one of each. Its two "-async" tools want a
// client with tasks, too: to others it does not list them.
func everything() npmServer {
	uses := map[string]use{
		"echo":                   {`{"message":"héllo"}`, "Echo: héllo"},
		"get-annotated-message":  {`{"messageType":"success","includeImage":true}`, "completed successfully"},
		"get-env":                {`{}`, "TOOLSCOPE_MARK"},
		"get-resource-links":     {`{"count":2}`, "demo://resource"},
		"get-resource-reference": {`{"resourceType":"Text","resourceId":1}`, "demo://resource"},
		"get-structured-content": {`{"location":"Chicago"}`, "temperature"},
		"get-sum":                {`{"a":2,"b":40}`, "42"},
		"get-tiny-image":         {`{}`, "MCP logo"},
		"gzip-file-as-resource": {
			`{"name":"a.gz","data":"data:text/plain,hello","outputType":"resource"}`,
			"a.gz",
		},
		"toggle-simulated-logging":       {`{}`, "logging"},
		"toggle-subscriber-updates":      {`{}`, "resource"},
		"trigger-long-running-operation": {`{"duration":0.3,"steps":3}`, "completed"},
		"get-roots-list":                 {`{}`, "file:///project"},
		"trigger-elicitation-request":    {`{}`, "Ada"},
		"trigger-url-elicitation":        {`{"url":"https://example.com/"}`, "https://example.com/"},
		"trigger-sampling-request":       {`{"prompt":"say it","maxTokens":10}`, "the model's answer"},
		"simulate-research-query":        {`{"topic":"Go"}`, needsTasks},
	}
	return npmServer{
		script: "@modelcontextprotocol/server-everything/dist/index.js", args: []string{"stdio"}, uses: uses,
		prompts: map[string]map[string]string{
			"simple-prompt": nil, "args-prompt": {"city": "Oslo", "state": "Oslo"},
			"completable-prompt": {
				"department": "Engineering",
				"name":       "Alice",
			}, "resource-prompt": {"resourceType": "Text", "resourceId": "1"},
		},
		template: map[string]string{
			"demo://resource/dynamic/text/{resourceId}": "demo://resource/dynamic/text/1",
			"demo://resource/dynamic/blob/{resourceId}": "demo://resource/dynamic/blob/1",
		},
		asks: []string{"elicitation", "sampling"},
	}
}

// filesystem works in a directory.
func filesystem(dir string) npmServer {
	file := func(name string) string { return filepath.Join(dir, name) }
	text := func(format string, args ...any) string { return fmt.Sprintf(format, args...) }
	return npmServer{
		script: "@modelcontextprotocol/server-filesystem/dist/index.js", args: []string{dir},
		tools: []string{"write_file", "create_directory"},
		uses: map[string]use{
			"write_file":          {text(`{"path":%q,"content":"one\ntwo\n"}`, file("a.txt")), "Successfully"},
			"create_directory":    {text(`{"path":%q}`, file("sub")), "Successfully"},
			"read_file":           {text(`{"path":%q}`, file("a.txt")), "two"},
			"read_text_file":      {text(`{"path":%q,"head":1}`, file("a.txt")), "one"},
			"read_media_file":     {text(`{"path":%q}`, file("pixel.png")), ""},
			"read_multiple_files": {text(`{"paths":[%q]}`, file("a.txt")), "one"},
			"edit_file": {
				text(`{"path":%q,"edits":[{"oldText":"one","newText":"eins"}]}`, file("edit.txt")),
				"eins",
			},
			"list_directory":            {text(`{"path":%q}`, dir), "a.txt"},
			"list_directory_with_sizes": {text(`{"path":%q}`, dir), "a.txt"},
			"directory_tree":            {text(`{"path":%q}`, dir), "sub"},
			"move_file": {
				text(`{"source":%q,"destination":%q}`, file("move.txt"), file("sub/moved.txt")),
				"Successfully",
			},
			"search_files":             {text(`{"path":%q,"pattern":"*.txt"}`, dir), "a.txt"},
			"get_file_info":            {text(`{"path":%q}`, file("a.txt")), "size"},
			"list_allowed_directories": {`{}`, dir},
		},
	}
}

// memory is a knowledge graph in a file.
func memory(file string) npmServer {
	return npmServer{
		script: "@modelcontextprotocol/server-memory/dist/index.js", env: map[string]string{"MEMORY_FILE_PATH": file},
		tools: []string{
			"create_entities",
			"create_relations",
			"add_observations",
			"read_graph",
			"search_nodes",
			"open_nodes",
			"delete_observations",
			"delete_relations",
			"delete_entities",
		},
		uses: map[string]use{
			"create_entities": {
				`{"entities":[{"name":"Ada","entityType":"person","observations":["writes"]},{"name":"Bob",` +
					`"entityType":"person","observations":[]}]}`,
				"Ada",
			},
			"create_relations":    {`{"relations":[{"from":"Ada","to":"Bob","relationType":"knows"}]}`, "knows"},
			"add_observations":    {`{"observations":[{"entityName":"Ada","contents":["computes"]}]}`, "computes"},
			"read_graph":          {`{}`, "computes"},
			"search_nodes":        {`{"query":"Ada"}`, "Ada"},
			"open_nodes":          {`{"names":["Bob"]}`, "Bob"},
			"delete_observations": {`{"deletions":[{"entityName":"Ada","observations":["writes"]}]}`, "success"},
			"delete_relations":    {`{"relations":[{"from":"Ada","to":"Bob","relationType":"knows"}]}`, "success"},
			"delete_entities":     {`{"entityNames":["Ada","Bob"]}`, "success"},
		},
	}
}

// TestNpmServers reaches every tool, resource and prompt of the reference servers through
// the manager, over each transport that they offer, and leaves no process.
func TestNpmServers(t *testing.T) {
	npmPackages(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"edit.txt": "one\n", "move.txt": "x", "pixel.png": "\x89PNG\r\n\x1a\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("everything over stdio", func(t *testing.T) { everything().reach(t, everything().child(t)) })
	t.Run("everything over HTTP", func(t *testing.T) {
		everything().reach(t, manager.Server{URL: "http://" + everything().listening(t, "streamableHttp") + "/mcp"})
	})
	t.Run("everything over SSE", func(t *testing.T) {
		everything().reach(t, manager.Server{URL: "http://" + everything().listening(t, "sse") + "/sse", SSE: true})
	})
	t.Run("filesystem", func(t *testing.T) { filesystem(dir).reach(t, filesystem(dir).child(t)) })
	t.Run("memory", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "memory.json")
		memory(file).reach(t, memory(file).child(t))
	})
}

// mark is in the environment of what a test starts.
func mark() string { return "TOOLSCOPE_MARK=" + rand.Text() }

// child is the server as a child process of the manager.
func (s npmServer) child(t *testing.T) manager.Server {
	t.Helper()
	cmd := node(t.Context(), t, s.script, s.args...)
	m := mark()
	t.Cleanup(func() { wantNoProcess(t, m) })
	env := map[string]string{"TOOLSCOPE_MARK": strings.TrimPrefix(m, "TOOLSCOPE_MARK=")}
	maps.Copy(env, s.env)
	return manager.Server{Command: cmd.Path, Args: cmd.Args[1:], Env: env}
}

// listening starts the server over HTTP and returns its address.
func (s npmServer) listening(t *testing.T, transport string) string {
	t.Helper()
	address := freeAddress(t)
	cmd := node(context.Background(), t, s.script, transport)
	cmd.Env = append(os.Environ(), "PORT="+address[strings.LastIndexByte(address, ':')+1:], mark())
	cmd.Dir = t.TempDir()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	waitForListener(t, address)
	return address
}

// wantNoProcess checks that no process has the mark, which all descendants inherit.
func wantNoProcess(t *testing.T, mark string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return
	}
	left := func() (found []string) {
		environs, _ := filepath.Glob("/proc/[0-9]*/environ")
		for _, path := range environs {
			if text, err := os.ReadFile(path); err == nil && bytes.Contains(text, []byte(mark)) {
				found = append(found, path)
			}
		}
		return found
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		found := left()
		if len(found) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("these processes are left: %v", found)
		}
	}
}

// reach uses all that the server has.
func (s npmServer) reach(t *testing.T, server manager.Server) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	spans := tracetest.NewSpanRecorder()
	scope, err := toolscope.New(toolscope.Options{
		TracerProvider: sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)),
	})
	if err != nil {
		t.Fatal(err)
	}
	var elicited, sampled, progressed atomic.Int64
	server.Name = "npm"
	m, err := manager.New(manager.Options{
		Servers: []manager.Server{server}, Scope: scope,
		Elicitation: func(_ context.Context, _ string, p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
			elicited.Add(1)
			if p.Mode == "url" {
				return &mcp.ElicitResult{Action: "accept"}, nil
			}
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada", "check": true}}, nil
		},
		Sampling: func(context.Context, string, *mcp.CreateMessageParams) (*mcp.CreateMessageResult, error) {
			sampled.Add(1)
			return &mcp.CreateMessageResult{
				Model:   "none",
				Role:    "assistant",
				Content: &mcp.TextContent{Text: "the model's answer"},
			}, nil
		},
		ElicitURL:  true,
		Roots:      []*mcp.Root{{URI: "file:///project", Name: "project"}},
		OnProgress: func(string, toolkit.Call, mcp.ProgressNotificationParams) { progressed.Add(1) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Start(ctx); err != nil {
		t.Fatal(err)
	}
	if slices.Contains(s.asks, "elicitation") { // tools that it lists once it knows the client
		for len(m.Definitions()) < len(s.uses) {
			select {
			case <-ctx.Done():
				t.Fatalf("got %d tools, want %d", len(m.Definitions()), len(s.uses))
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
	s.callTools(ctx, t, m, scope.WrapRegistry(m))
	s.readAll(ctx, t, m)
	s.promptAll(ctx, t, m)
	if err := errors.Join(m.Close(), scope.Shutdown(ctx)); err != nil {
		t.Error(err)
	}
	if len(s.asks) > 0 && (elicited.Load() < 2 || sampled.Load() < 1 || progressed.Load() < 1) {
		t.Errorf(
			"the host was asked %d times to elicit and %d times to sample, and informed of progress %d times",
			elicited.Load(),
			sampled.Load(),
			progressed.Load(),
		)
	}
	calls := 0
	for _, span := range spans.Ended() {
		if strings.HasPrefix(span.Name(), "execute_tool npm__") {
			calls++
		}
	}
	if calls != len(s.uses) {
		t.Errorf("got %d spans execute_tool, want one for each of the %d tools", calls, len(s.uses))
	}
}

// callTools calls every tool that the server lists.
func (s npmServer) callTools(ctx context.Context, t *testing.T, m *manager.Manager, handle toolkit.Handler) {
	t.Helper()
	listed := map[string]bool{}
	for _, def := range m.Definitions() {
		name := strings.TrimPrefix(def.Name, "npm__")
		listed[name] = true
		if _, ok := s.uses[name]; !ok {
			t.Errorf("no test calls the tool %s of this version: %s", name, def.InputSchema)
		}
	}
	order := slices.Clone(s.tools)
	for name := range s.uses {
		if !slices.Contains(order, name) {
			order = append(order, name)
		}
	}
	for _, name := range order {
		if !listed[name] {
			t.Errorf("the server does not list %s", name)
			continue
		}
		res, err := handle(
			ctx,
			toolkit.Call{ID: "1", Name: "npm__" + name, Arguments: json.RawMessage(s.uses[name].arguments)},
		)
		text := res.Output
		for _, p := range res.Parts {
			text += fmt.Sprintf("\n%s %s %s", p.Text, p.URI, p.JSON)
		}
		if err != nil || (res.Fault != nil) != (s.uses[name].want == needsTasks) ||
			!strings.Contains(text, s.uses[name].want) ||
			len(text) == 0 {
			t.Errorf("%s: got %.300q and %v %v, want it to have %q", name, text, res.Fault, err, s.uses[name].want)
		}
	}
}

// readAll reads every resource that the server lists, and one of each template.
func (s npmServer) readAll(ctx context.Context, t *testing.T, m *manager.Manager) {
	t.Helper()
	var uris []string
	for _, r := range m.Resources() {
		uris = append(uris, r.URI)
	}
	for _, template := range m.Templates() {
		uri, ok := s.template[template.URITemplate]
		if !ok {
			t.Errorf("no test reads the template %s of this version", template.URITemplate)
		}
		uris = append(uris, uri)
	}
	if len(s.template) > 0 && len(uris) < 5 {
		t.Errorf("got the resources %q, want more", uris)
	}
	for _, uri := range uris {
		res, err := m.ReadResource(ctx, "npm", uri)
		if err != nil || len(res.Contents) == 0 || len(res.Contents[0].Text)+len(res.Contents[0].Blob) == 0 {
			t.Errorf("%s: got %+v and %v", uri, res, err)
		}
	}
}

// promptAll gets every prompt that the server lists.
func (s npmServer) promptAll(ctx context.Context, t *testing.T, m *manager.Manager) {
	t.Helper()
	prompts := map[string]*mcp.Prompt{}
	for _, p := range m.Prompts() {
		prompts[p.Name] = p
	}
	if len(prompts) != len(s.prompts) {
		t.Errorf("got %d prompts, want %d", len(prompts), len(s.prompts))
	}
	for _, p := range prompts {
		args, ok := s.prompts[p.Name]
		if !ok {
			t.Errorf("no test gets the prompt %s of this version", p.Name)
		}
		if res, err := m.GetPrompt(ctx, "npm", p.Name, args); err != nil || len(res.Messages) == 0 {
			t.Errorf("%s: got %+v and %v", p.Name, res, err)
		}
	}
}
