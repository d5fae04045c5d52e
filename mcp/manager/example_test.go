// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope/mcp/manager"
	"github.com/toolscope/toolscope/mcp/toolmcp"
	"github.com/toolscope/toolscope/toolkit"
)

// inMemory stands for a server somewhere: one that greets, or whose greeting fails.
func inMemory(name string, broken bool) manager.Server {
	registry := new(toolkit.Registry)
	greet := func(_ context.Context, in struct {
		Who string `json:"who"`
	}) (string, error) {
		if broken {
			return "", errors.New("the database is down")
		}
		return "hello " + in.Who + ", says " + name, nil
	}
	if err := registry.Register(toolkit.NewTool(toolkit.Definition{
		Name: "greet", Description: "Greets a person.",
		ReadOnly: toolkit.Yes, Idempotent: toolkit.Yes, Destructive: toolkit.No,
	}, greet)); err != nil {
		panic(err)
	}
	return manager.Server{Name: name, Transport: func(ctx context.Context) (mcp.Transport, error) {
		server, err := toolmcp.NewServer(nil, registry, nil)
		if err != nil {
			return nil, err
		}
		ours, theirs := mcp.NewInMemoryTransports()
		_, err = server.Connect(ctx, theirs, nil)
		return ours, err
	}}
}

// Tools of two servers are one registry; their names say whose they are.
func Example() {
	m, err := manager.New(manager.Options{Servers: []manager.Server{inMemory("north", false), inMemory("south", false)}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer m.Close() //nolint:errcheck // it returns none
	if err := m.Start(context.Background()); err != nil {
		fmt.Println(err) // of servers that are not connected; the others work
	}
	for _, tool := range m.Definitions() {
		res, err := m.Handle(context.Background(), toolkit.Call{Name: tool.Name, Arguments: []byte(`{"who": "Ada"}`)})
		fmt.Println(tool.Name, "→", res.Output, err)
	}
	// Output:
	// north__greet → hello Ada, says north <nil>
	// south__greet → hello Ada, says south <nil>
}

// The same tool of several servers is one tool; the one that does better answers.
func ExampleOptions_naming() {
	m, err := manager.New(manager.Options{SharedNames: true,
		Servers: []manager.Server{inMemory("north", true), inMemory("south", false)}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer m.Close() //nolint:errcheck // it returns none
	if err := m.Start(context.Background()); err != nil {
		fmt.Println(err)
	}
	fmt.Println("greet:", m.Servers("greet"))
	for range 3 {
		res, _ := m.Handle(context.Background(), toolkit.Call{Name: "greet", Arguments: []byte(`{"who": "Ada"}`)})
		fmt.Println(res.Output)
	}
	for _, s := range m.Status() {
		fmt.Println(s.Name, s.State, s.Calls, s.Errors, s.SuccessRate)
	}
	// Output:
	// greet: [north south]
	// the database is down
	// hello Ada, says south
	// hello Ada, says south
	// north connected 1 1 0
	// south connected 2 0 1
}

// The configuration that MCP clients have in common.
func ExampleParseConfig() {
	environment := map[string]string{"HOME": "/home/ada", "TOKEN": "from-the-environment"}
	config, err := manager.ParseConfig([]byte(`{"mcpServers": {
		"files": {"command": "files-server", "args": ["${HOME}/work"], "priority": 1},
		"web":   {"url": "https://example.com/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}, "autoApprove": ["search"]},
		"old":   {"command": "old-server", "disabled": true}
	}}`), func(name string) (string, bool) { v, ok := environment[name]; return v, ok })
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range config.Servers {
		fmt.Println(s, s.Disabled)
	}
	fmt.Println("unknown:", config.Unknown)

	_, err = manager.ParseConfig([]byte(`{"mcpServers": {"files": {"command": "files-server", "args": ["${WORK}"]}}}`), nil)
	fmt.Println(err)
	// Output:
	// Server{"files" stdio} false
	// Server{"web" http} false
	// Server{"old" stdio} true
	// unknown: [mcpServers.web.autoApprove]
	// manager: configuration: mcpServers.files.args[0]: got ${WORK}, which is not set, want a variable that is, or ${WORK:-text}
}
