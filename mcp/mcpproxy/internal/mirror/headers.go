// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope/internal/revision"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/wire"
	"github.com/toolscope/toolscope/toolkit"
)

// mirrors are the headers of a request that repeat what its message says, by their names as [dashes] has them.
type mirrors map[string]string

// mirrorsOf finds them. refused says what of them readers may read differently, as those do that take
// Mcp_Name for Mcp-Name (CGI); "" is for nothing.
func mirrorsOf(header http.Header) (found mirrors, refused string) {
	found = mirrors{}
	for key, values := range header {
		name := dashes(key)
		_, again := found[name]
		param := strings.HasPrefix(name, ParamPrefix)
		switch {
		case !param && !slices.Contains([]string{VersionHeader, MethodHeader, NameHeader, SessionHeader}, name):
		case !param && name != key, param && !strings.HasPrefix(key, ParamPrefix):
			return nil, "a header whose name some readers take for another: want those of MCP, with dashes"
		case again, len(values) != 1:
			return nil, "a header of MCP more than once: want each once"
		case name == SessionHeader: // which no message repeats
		case strings.ContainsFunc(values[0], UnsafeInHeader):
			return nil, "a header of MCP in letters that headers do not have: want ASCII, or " + sentinelForm
		default:
			found[name] = values[0]
		}
	}
	return found, ""
}

// dashes is a header's name with dashes for all that is no letter and no digit, as some readers have them.
func dashes(name string) string {
	return http.CanonicalHeaderKey(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return '-'
	}, name))
}

// UnsafeInHeader reports whether a value with a character has to be encoded.
func UnsafeInHeader(r rune) bool { return r != '\t' && (r < ' ' || r > '~') }

// Contradicted says in what the headers of a request say otherwise than its message, or say nothing though the
// message's revision demands it; "" for nothing. The message is empty for a batch, and where there is none;
// p are its parameters, and tool is the one that is called, nil if the server does not list it. older says that the request
// came by the older transport, which has none of these headers.
func Contradicted(header http.Header, older bool, m *wire.Message, p *wire.Params, tool *toolkit.Definition) string {
	found, refused := mirrorsOf(header)
	if refused != "" {
		return refused
	}
	version, declared := found[VersionHeader]
	delete(found, VersionHeader)
	if m.Method == "" {
		if len(found) > 0 {
			return "headers that repeat the members of a request, without one: want none"
		}
		return ""
	}
	if said, ok := p.Meta[mcp.MetaKeyProtocolVersion]; ok && (declared || !older) && (said.Kind() != '"' ||
		wire.Unquoted(string(said)) != version) {
		return "another " + VersionHeader + " than in _meta, or none: want the same"
	}
	demanded := revision.ParseLater(version).DemandsMirroredHeaders() && len(m.ID) > 0 && !older
	switch method, has := found[MethodHeader]; {
	case !has && demanded:
		return "no " + MethodHeader + ", which the revision demands: want the message's method"
	case has && method != m.Method:
		return "another " + MethodHeader + " than the message's method: want the same"
	}
	want, named := mirroredName(m.Method, p)
	switch name, has := found[NameHeader]; {
	case !named:
	case !has && demanded:
		return "no " + NameHeader + ", which the revision demands: want the name or URI of the message's parameters"
	case has && !DecodesTo(name, want):
		return "another " + NameHeader + " than in the message's parameters: want the same name or URI, as it is or as " + sentinelForm
	}
	if m.Method == wire.MethodCallTool && tool != nil {
		return found.contradictedArguments(p.Arguments, jsontext.Value(tool.InputSchema), demanded)
	}
	return ""
}

// mirroredName is what nameHeader repeats of the parameters of a method; false for a method of which it
// repeats nothing.
func mirroredName(method string, p *wire.Params) (string, bool) {
	switch method {
	case wire.MethodCallTool, "prompts/get":
		return p.Name, true
	case "resources/read":
		return p.URI, true
	}
	return "", false
}

// contradictedArguments is contradicted for the arguments that a tool's schema has repeated.
func (found mirrors) contradictedArguments(arguments, schema jsontext.Value, demanded bool) string {
	for _, b := range mirroredArguments(schema) {
		header, has := found[dashes(b.header)]
		value := b.value(arguments)
		want, repeatable := mirrorOf(value)
		switch {
		case has && !repeatable:
			return "the header " + b.header + " for an argument that is not there or has no such form: want none"
		case has && !DecodesTo(header, want) && !sameInteger(header, value):
			return "another " + b.header + " than the argument: want the same, as it is or as " + sentinelForm
		case !has && repeatable && demanded:
			return "no " + b.header + ", which the revision demands: want the argument's value"
		}
	}
	return ""
}

// SetArguments has the headers repeat the arguments that policies made of a client's.
func SetArguments(header http.Header, arguments jsontext.Value, tool *toolkit.Definition) {
	some := revision.ParseLater(header.Get(VersionHeader)).DemandsMirroredHeaders()
	for key := range header {
		if strings.HasPrefix(key, ParamPrefix) {
			some = true
			delete(header, key)
		}
	}
	if !some || tool == nil {
		return
	}
	for _, b := range mirroredArguments(jsontext.Value(tool.InputSchema)) {
		if text, ok := mirrorOf(b.value(arguments)); ok {
			header.Set(b.header, Encoded(text))
		}
	}
}

// A value that cannot stand in a header is encoded so (SEP-2243).
const (
	SentinelStart = "=?base64?"
	SentinelEnd   = "?="
	sentinelForm  = SentinelStart + "…" + SentinelEnd
)

// DecodesTo reports whether a header's value is a text, as it is or encoded.
func DecodesTo(value, text string) bool {
	within, starts := strings.CutPrefix(value, SentinelStart)
	within, ends := strings.CutSuffix(within, SentinelEnd)
	if !starts || !ends {
		return value == text
	}
	plain, err := base64.StdEncoding.Strict().DecodeString(within)
	return err == nil && string(plain) == text
}

// Encoded is a text as it may stand in a header.
func Encoded(text string) string {
	if strings.ContainsFunc(text, UnsafeInHeader) || strings.Trim(text, " \t") != text || strings.HasPrefix(text, SentinelStart) {
		return SentinelStart + base64.StdEncoding.EncodeToString([]byte(text)) + SentinelEnd
	}
	return text
}
