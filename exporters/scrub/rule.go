// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scrub

import "strings"

// A rule says how the values of some keys are to be read. A name that ends with "*" stands for all
// keys that begin so.
type rule struct {
	name string
	how  reading
}

func (r rule) matches(key string) bool {
	if prefix, ok := strings.CutSuffix(r.name, "*"); ok {
		return strings.HasPrefix(key, prefix)
	}
	return key == r.name
}

// A library is what the name of an instrumentation scope says.
type library struct {
	scopes []string // beginnings of the name
	own    bool     // toolscope's, whose texts were redacted when the span was made
	rules  []rule   // for keys that say too little, or another thing, elsewhere
}

// general are the rules for all libraries; the first one that matches holds.
var general = []rule{
	// OpenTelemetry's conventions for generative AI, which ADK, Anthropic's SDK and OpenLLMetry write.
	{"gen_ai.operation.name", asIs}, {"gen_ai.system", asIs}, {"gen_ai.provider.name", asIs},
	{"gen_ai.request.model", asIs}, {"gen_ai.response.model", asIs}, {"gen_ai.response.finish_reasons", asIs},
	{"gen_ai.tool.type", asIs}, {"gen_ai.output.type", asIs}, {"gen_ai.token.type", asIs}, {"gen_ai.usage.*", asIs},
	{"gen_ai.system_instructions", asJSON}, {"gen_ai.input.*", asJSON}, {"gen_ai.output.*", asJSON},
	{"gen_ai.tool.call.arguments", asJSON}, {"gen_ai.tool.call.result", asJSON}, {"gen_ai.tool.definitions", asJSON},
	{"gen_ai.prompt*", asJSON}, {"gen_ai.completion*", asJSON}, {"gen_ai.event.content", asJSON},
	{"gen_ai.choice*", asJSON}, {"content", asJSON},

	// ADK.
	{"gcp.vertex.agent.event_id", asIs}, {"gcp.vertex.agent.invocation_id", asIs}, {"gcp.vertex.agent.*", asJSON},

	// tRPC-Agent-Go.
	{"trpc.go.agent.event_id", asIs}, {"trpc.go.agent.invocation_id", asIs}, {"trpc.go.agent.*", asJSON},
	{"gen_ai.workflow.request", asJSON}, {"gen_ai.workflow.response", asJSON},

	// genkit.
	{"genkit:input", asJSON}, {"genkit:output", asJSON}, {"genkit:state", asIs}, {"genkit:type", asIs},

	// OpenInference.
	{"input.mime_type", asIs}, {"output.mime_type", asIs}, {"openinference.span.kind", asIs},
	{"input.value", asJSON}, {"output.value", asJSON}, {"llm.invocation_parameters", asJSON},
	{"llm.token_count.*", asIs}, {"llm.input_messages.*", asJSON}, {"llm.output_messages.*", asJSON},
	{"llm.prompt*", asJSON}, {"llm.function_call", asJSON}, {"tool.parameters", asJSON}, {"tool.json_schema", asJSON},
	{"tool_call.function.arguments", asJSON}, {"retrieval.documents.*", asJSON}, {"metadata", asJSON},

	// OpenLLMetry.
	{"traceloop.span.kind", asIs}, {"traceloop.entity.input", asJSON}, {"traceloop.entity.output", asJSON},
	{"traceloop.association.properties.*", asNamed}, {"llm.request.type", asIs}, {"llm.usage.*", asIs},
	{"llm.completions*", asJSON},

	// HTTP, databases and the process. Headers are read by their names.
	{"http.request.method", asIs}, {"http.method", asIs}, {"url.scheme", asIs}, {"http.scheme", asIs},
	{"http.flavor", asIs}, {"http.route", asIs},
	{"server.address", asText}, {"network.protocol.*", asIs}, {"network.transport", asIs}, {"network.type", asIs},
	{"http.request.header.*", asNamed}, {"http.response.header.*", asNamed}, {"rpc.grpc.request.metadata.*", asNamed},
	{"rpc.grpc.response.metadata.*", asNamed}, {"url.full", asURL}, {"url.query", asURL}, {"url.original", asURL},
	{"url.fragment", asURL}, {"http.url", asURL}, {"http.target", asURL}, {"http.request.body*", asJSON},
	{"http.response.body*", asJSON}, {"process.command_args", asCommand},
	{"otel.status_code", asIs}, {"telemetry.*", asIs},
}

// A reading is how a value is to be read.
type reading uint8

const (
	asText    reading = iota // text, with JSON and assignments in it
	asNamed                  // text whose key says what it is
	asJSON                   // content as JSON, which stays JSON when it is cut
	asURL                    // an address or the query of one
	asCommand                // a list of arguments of a program
	asIs                     // an identifier, a name or an enumeration: not examined
)
