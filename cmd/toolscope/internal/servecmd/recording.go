// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package servecmd

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/calllog"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/mcp/toolmcp"
	"github.com/toolscope/toolscope/toolkit"
)

// addTools records the definitions of the tools.
func addTools(record *calllog.Log, tools []toolkit.Definition) {
	var list []calllog.Tool
	for _, d := range tools {
		text, err := json.Marshal(toolmcp.ToolOf(d))
		if err == nil {
			list = append(list, calllog.Tool{Name: d.Name, Definition: text, ReadOnly: d.ReadOnly == toolkit.Yes})
		}
	}
	record.AddTools("", list)
}

// recordSessions has a recording get each client with what it and the server can do, and each request that is no call of a
// tool. id is the session's, "" for the one of the request's connection.
func recordSessions(record *calllog.Log, server *mcp.Server, id string) {
	if record == nil {
		return
	}
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			began := time.Now()
			result, err := next(ctx, method, req)
			if method == "tools/call" || strings.HasPrefix(method, "notifications/") {
				return result, err
			}
			r := calllog.Request{Method: method, Session: sessionOf(req, id), Began: began, Ended: time.Now()}
			if err != nil {
				r.ErrorType = string(toolkit.ErrTool)
			}
			record.AddRequest(r)
			client, ok := req.GetSession().(*mcp.ServerSession)
			if ok && err == nil && (method == "initialize" || method == "server/discover") {
				record.AddSession(sessionLine(r.Session, began, client.InitializeParams(), result))
			}
			return result, err
		}
	})
}

// sessionOf is the id of a request's session.
func sessionOf(req mcp.Request, id string) string {
	if s := req.GetSession(); id == "" && s != nil {
		return s.ID()
	}
	return id
}

// sessionLine is what a client and the server have agreed on; asked may be nil.
func sessionLine(id string, began time.Time, asked *mcp.InitializeParams, agreed mcp.Result) calllog.Session {
	s := calllog.Session{ID: id, Program: "toolscope " + cli.Version(), Began: began}
	if asked != nil {
		s.Protocol = asked.ProtocolVersion
		s.Client = calllog.Peer{Name: nameOf(asked.ClientInfo), Capabilities: namesIn(asked.Capabilities)}
	}
	var result struct {
		ProtocolVersion string
		ServerInfo      *mcp.Implementation
		Capabilities    json.RawMessage
	}
	if text, err := json.Marshal(agreed); err == nil && json.Unmarshal(text, &result) == nil {
		s.Protocol = cmp.Or(result.ProtocolVersion, s.Protocol)
		s.Server = calllog.Peer{Name: nameOf(result.ServerInfo), Capabilities: namesIn(result.Capabilities)}
	}
	return s
}

// nameOf is a peer's name and version.
func nameOf(i *mcp.Implementation) string {
	if i == nil {
		return ""
	}
	return cmp.Or(i.Name, i.Title) + " " + i.Version
}

// namesIn are the names of capabilities.
func namesIn(capabilities any) []string {
	var members map[string]json.RawMessage
	text, err := json.Marshal(capabilities)
	if err != nil || json.Unmarshal(text, &members) != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(members))
}
