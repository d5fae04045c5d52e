// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/trace"
)

// initialize learns what the peers have agreed on.
func (s *session) initialize(o *operation, m *message) {
	var p params
	if unmarshal(m.Result, &p) != nil {
		return
	}
	version := supported(p.ProtocolVersion)
	s.agreed.Store(&version)
	s.peer, s.initialized = p.ServerInfo, true
	s.capabilities[fromServer] = names(p.Capabilities)
	o.version = version
	o.extra = append(o.extra, keyClient.String(s.w.clean(s.client.Name+" "+s.client.Version)), keyPeer.String(s.w.clean(s.peer.Name+" "+s.peer.Version)),
		keyCapabilities.StringSlice(s.cleaned(fromServer)), keyClientCan.StringSlice(s.cleaned(fromClient)))
}

func (s *session) cleaned(from side) []string {
	clean := make([]string, len(s.capabilities[from]))
	for i, c := range s.capabilities[from] {
		clean[i] = s.w.clean(c)
	}
	return clean
}

// maxCapabilities bounds how many capabilities are remembered of a side.
const maxCapabilities = 32

// names are the names of an object's members, sorted.
func names(object jsontext.Value) (list []string) {
	var members map[string]jsontext.Value
	if unmarshal(object, &members) != nil {
		return nil
	}
	for name := range members {
		list = append(list, name)
	}
	slices.Sort(list)
	return list[:min(len(list), maxCapabilities)]
}

// listed learns which tools there are.
func (s *session) listed(o *operation, result jsontext.Value) {
	list := s.tools.page(o.cursor, result, &s.pages)
	if list == nil {
		return
	}
	s.list = list
	o.extra = append(o.extra, keyTools.Int(len(list.tools)), keyToolsBytes.Int(list.bytes), keyToolsTokens.Int(list.tokens()))
	if changed := s.compare(list); len(changed) > 0 {
		o.extra = append(o.extra, keyToolsChanged.StringSlice(changed))
	}
}

// only is the one call that runs, nil if none or several do.
func (s *session) only() (only *operation) {
	for _, o := range s.open {
		if !o.call() {
			continue
		}
		if only != nil {
			return nil
		}
		only = o
	}
	return only
}

// maxStderr is how many lines of the server's standard error stand on the span of a call.
const maxStderr = 16

// stderrLine links a line of the server's standard error to the call that runs.
func (s *session) stderrLine(f frame) {
	o := s.only()
	if o == nil || len(f.data) == 0 {
		return
	}
	o.stderr++
	if o.stderr > maxStderr {
		return
	}
	text, _ := s.w.redactor.TextMax(beginning(f.data), maxNoteText)
	trace.SpanFromContext(o.ctx).AddEvent(eventStderr, trace.WithTimestamp(f.at), trace.WithAttributes(keyStderrText.String(text)))
}

// version is what the peers agreed on, "" until then. It is safe for concurrent use.
func (s *session) version() string {
	if v := s.agreed.Load(); v != nil {
		return *v
	}
	return ""
}

// versionOf is the version that a request says, as each does from the revision without sessions on; else what the peers
// agreed on.
func (s *session) versionOf(p *params) string {
	if v := supported(p.Meta.Get(mcp.MetaKeyProtocolVersion)); v != "" {
		return v
	}
	return s.version()
}

// sessionless is the first revision that has no sessions. Revisions are compared as text.
const sessionless = "2026-07-28"

// supported is the version if the SDK knows it, else "": a peer may send any.
func supported(version string) string {
	if slices.Contains(versions, version) {
		return version
	}
	return ""
}

var versions = mcp.SupportedProtocolVersions()
