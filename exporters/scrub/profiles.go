// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scrub

import "strings"

// unknown is every library that is not listed.
var unknown = &library{}

// libraries are those whose keys need their own reading. The keys that are theirs by a prefix are in
// general, since adapters and processors copy attributes from one library's spans to another's.
var libraries = []*library{
	{scopes: []string{"github.com/toolscope/toolscope"}, own: true, rules: []rule{
		{"toolscope.*", asIs}, {"gen_ai.tool.*", asIs}, {"gen_ai.agent.*", asIs}, {"gen_ai.conversation.*", asIs},
		{"mcp.*", asIs}, {"error.type", asIs}, {"rpc.response.*", asIs}, {"jsonrpc.*", asIs},
		{"network.*", asIs}, {"server.*", asIs},
	}},
	{scopes: []string{"go-micro.dev/"}, rules: []rule{
		{"agent.run.*", asIs}, {"agent.name", asIs}, {"agent.model.*", asIs}, {"agent.tool.name", asIs},
		{"agent.error.kind", asIs}, {"agent.event.name", asJSON},
	}},
	{scopes: []string{"github.com/cloudwego/eino"}, rules: []rule{
		{"input", asJSON}, {"output", asJSON}, {"arguments", asJSON}, {"request", asJSON}, {"response", asJSON},
	}},
}

// libraryOf finds the library of a scope.
func libraryOf(scope string) *library {
	for _, l := range libraries {
		for _, begin := range l.scopes {
			if strings.HasPrefix(scope, begin) {
				return l
			}
		}
	}
	return unknown
}
