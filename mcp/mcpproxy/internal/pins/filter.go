// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package pins

import (
	"bytes"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/wire"
)

// A Filter removes tools that no user has accepted from what a server sends.
type Filter struct {
	Baseline *Baseline
	LeftOut  func(tool string) // reports a tool that was removed
	Refused  func()            // reports an answer that was refused
}

// Apply is what the client gets of a server's message while tools are pinned: the message itself, but
// for a list of tools one without those that no user has accepted. What may be a list to some reader, and
// is not read alike by all, becomes an error; nil is for what answers nothing.
func (f *Filter) Apply(text []byte) []byte {
	if !NamesTools(text) {
		return text
	}
	f.Baseline.refresh()
	out, ok := f.pinnedMessage(text)
	if jsontext.Value(text).Kind() == '[' {
		out, ok = f.pinnedBatch(text)
	}
	if !ok {
		return f.Unreadable(text)
	}
	return out
}

// pinnedBatch is pinned for several messages.
func (f *Filter) pinnedBatch(text []byte) (out []byte, ok bool) {
	var batch []jsontext.Value
	if json.Unmarshal(text, &batch) != nil {
		return nil, false
	}
	changed := false
	for i, one := range batch {
		out, ok := f.pinnedMessage(one)
		if !ok {
			return nil, false
		}
		changed = changed || len(out) != len(one)
		batch[i] = out
	}
	if !changed {
		return text, true
	}
	return wire.Joined(batch), true
}

// pinnedMessage is pinned for one message; ok is false if a reader may find a list in it that another
// does not.
func (f *Filter) pinnedMessage(text []byte) (out []byte, ok bool) {
	var m wire.Message
	if json.Unmarshal(text, &m) != nil || !wire.NamesOnly(text, "result") {
		return nil, false
	}
	if m.Result.Kind() != '{' {
		return text, true
	}
	start, end, err := wire.Member(m.Result, "tools")
	if !wire.NamesOnly(m.Result, "tools") {
		return nil, false
	}
	if err != nil { // it has none
		return text, true
	}
	var tools, kept []jsontext.Value
	if json.Unmarshal(m.Result[start:end], &tools) != nil {
		return nil, false
	}
	for _, tool := range tools {
		var named struct {
			Name string `json:"name"`
		}
		if json.Unmarshal(tool, &named) == nil && f.Baseline.accepts(named.Name, HashOf(tool)) {
			kept = append(kept, tool)
			continue
		}
		f.LeftOut(named.Name)
	}
	if len(kept) == len(tools) {
		return text, true
	}
	out, err = wire.Splice(text, wire.Joined(kept), "result", "tools")
	return out, err == nil
}

// Unreadable takes the place of what may be a list of tools to some reader: an error for who waits for
// the answer, as far as that can be read, else nil.
func (f *Filter) Unreadable(text []byte) []byte {
	f.Refused()
	var m wire.Message
	if wire.Unmarshal(text, &m) != nil || m.Method != "" || m.Key() == "" {
		return nil
	}
	return UnreadableAnswer(m.ID)
}

// UnreadableAnswer is the error that answers in the place of what may be a list of tools; nil for an id
// that is no JSON, which no client has given.
func UnreadableAnswer(id jsontext.Value) []byte {
	text, err := wire.Refusal(id, wire.CodeInternal, "an answer that may list tools and that not every reader reads alike: "+
		"want one in JSON, in UTF-8, of at most 16 MiB")
	if err != nil {
		return nil
	}
	return text
}

// NamesTools reports whether some reader may find a member called tools in a text: those that compare
// without case, leave out what is no letter, or read escapes included.
func NamesTools(text []byte) bool {
	if bytes.IndexByte(text, 0) >= 0 { // as in UTF-16
		text = bytes.ReplaceAll(text, []byte{0}, nil)
	}
	if bytes.Contains(text, []byte(`\u`)) {
		return true
	}
	const name = "tools"
	at := 0
	for _, c := range text {
		if c == 0xc5 { // begins a long s, which is an s without case
			c = 's'
		}
		c |= 0x20
		switch {
		case c < 'a' || c > 'z':
			continue
		case c == name[at]:
			at++
		case c == name[0]:
			at = 1
		default:
			at = 0
		}
		if at == len(name) {
			return true
		}
	}
	return false
}
