// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"slices"

	"github.com/toolscope/toolscope/internal/keys"
	"github.com/toolscope/toolscope/internal/revision"

	"github.com/go-json-experiment/json/jsontext"
	"go.opentelemetry.io/otel/trace"
)

// initialize learns what the peers have agreed on.
func (s *session) initialize(o *operation, m *message) {
	var p params
	if unmarshal(m.Result, &p) != nil {
		return
	}
	version := revision.Parse(p.ProtocolVersion)
	s.agreed.Store(uint32(version))
	s.peer, s.initialized = p.ServerInfo, true
	s.capabilities[fromServer] = names(p.Capabilities)
	o.revision = version
	o.extra = append(o.extra, keys.Client.String(s.w.clean(s.client.Name+" "+s.client.Version)), keys.Implementation.String(s.w.clean(s.peer.Name+" "+s.peer.Version)),
		keys.Capabilities.StringSlice(s.cleaned(fromServer)), keys.ClientCapabilities.StringSlice(s.cleaned(fromClient)))
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
	o.extra = append(o.extra, keys.ToolsCount.Int(len(list.tools)), keys.ToolsBytes.Int(list.bytes), keys.ToolsTokens.Int(list.tokens()))
	if changed := s.compare(list); len(changed) > 0 {
		o.extra = append(o.extra, keys.ToolsChanged.StringSlice(changed))
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
	trace.SpanFromContext(o.ctx).AddEvent(eventStderr, trace.WithTimestamp(f.at), trace.WithAttributes(keys.StderrText.String(text)))
}

// compare tells how the server's tools differ from what they were, and gives the names that
// may leave of those that changed.
func (s *session) compare(list *toolList) (changed []string) {
	d, err := s.w.baseline.compare(s.w.clean(s.w.server), list.hashes)
	if err != nil {
		s.record(note{kind: noteBaseline, text: err.Error()})
		return nil
	}
	for _, name := range d.changed {
		changed = append(changed, s.w.clean(name))
	}
	s.tools.setChanged(d.changed)
	for kind, names := range map[noteKind][]string{noteChanged: d.changed, noteAdded: d.added, noteRemoved: d.removed} {
		for _, name := range names[:min(len(names), maxNotes)] {
			s.record(note{kind: kind, tool: s.w.clean(name)})
		}
	}
	return changed
}
