// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/internal/keys"
	"github.com/toolscope/toolscope/internal/revision"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/frames"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/wire"
)

// initialize learns what the peers have agreed on.
func (s *Session) initialize(o *Operation, m *wire.Message) {
	var p wire.Params
	if wire.Unmarshal(m.Result, &p) != nil {
		return
	}
	version := revision.Parse(p.ProtocolVersion)
	s.agreed.Store(uint32(version))
	s.peer, s.initialized = p.ServerInfo, true
	s.capabilities[FromServer] = names(p.Capabilities)
	o.revision = version
	o.Extra = append(o.Extra, keys.Client.String(
		s.Engine.clean(s.client.Name+" "+s.client.Version),
	), keys.Implementation.String(s.Engine.clean(s.peer.Name+" "+s.peer.Version)),
		keys.Capabilities.StringSlice(s.cleaned(FromServer)), keys.ClientCapabilities.StringSlice(s.cleaned(FromClient)))
	if s.Engine.OnSession != nil {
		s.Engine.OnSession(s.report(true))
	}
}

func (s *Session) cleaned(from Side) []string {
	clean := make([]string, len(s.capabilities[from]))
	for i, c := range s.capabilities[from] {
		clean[i] = s.Engine.clean(c)
	}
	return clean
}

// maxCapabilities bounds how many capabilities are remembered of a side.
const maxCapabilities = 32

// names are the names of an object's members, sorted.
func names(object jsontext.Value) (list []string) {
	var members map[string]jsontext.Value
	if wire.Unmarshal(object, &members) != nil {
		return nil
	}
	for name := range members {
		list = append(list, name)
	}
	slices.Sort(list)
	return list[:min(len(list), maxCapabilities)]
}

// listed learns which tools there are.
func (s *Session) listed(o *Operation, result jsontext.Value) {
	list := s.Tools.page(o.cursor, result, &s.pages)
	if list == nil {
		return
	}
	s.list = list
	s.reportTools(list)
	o.Extra = append(
		o.Extra, keys.ToolsCount.Int(len(list.tools)), keys.ToolsBytes.Int(list.bytes), keys.ToolsTokens.Int(list.tokens()),
	)
	if changed := s.compare(list); len(changed) > 0 {
		o.Extra = append(o.Extra, keys.ToolsChanged.StringSlice(changed))
	}
}

// only is the one call that runs, nil if none or several do.
func (s *Session) only() (only *Operation) {
	for _, o := range s.Open {
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
func (s *Session) stderrLine(f frames.Frame) {
	o := s.only()
	if o == nil || len(f.Data) == 0 {
		return
	}
	o.stderr++
	if o.stderr > maxStderr {
		return
	}
	text, _ := s.Engine.redactor.TextMax(Beginning(f.Data), MaxNoteText)
	trace.SpanFromContext(o.Ctx).AddEvent(eventStderr, trace.WithTimestamp(f.At), trace.WithAttributes(keys.StderrText.String(text)))
}

// compare tells how the server's tools differ from what they were, and gives the names that
// may leave of those that changed.
func (s *Session) compare(list *toolList) (changed []string) {
	d, err := s.Engine.Baseline.Compare(s.Engine.clean(s.Engine.Server), list.listed)
	if err != nil {
		s.Record(Note{Kind: NoteBaseline, Text: err.Error()})
		return nil
	}
	for _, name := range d.Changed {
		changed = append(changed, s.Engine.clean(name))
	}
	s.Tools.setChanged(d.Changed)
	for kind, names := range map[NoteKind][]string{NoteChanged: d.Changed, NoteAdded: d.Added, NoteRemoved: d.Removed} {
		for _, name := range names[:min(len(names), MaxNotes)] {
			s.Record(Note{Kind: kind, tool: s.Engine.clean(name)})
		}
	}
	for _, r := range d.Renamed[:min(len(d.Renamed), MaxNotes)] {
		how := "similar to"
		if r.Same {
			how = "the same as"
		}
		s.Record(Note{Kind: NoteRenamed, tool: s.Engine.clean(r.To), Text: how + " " + r.From + ", which is gone"})
	}
	return changed
}
