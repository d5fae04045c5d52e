// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package overhttp

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"

	"github.com/toolscope/toolscope/mcp/internal/sse"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/frames"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/govern"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/pins"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/watch"
)

// errUnreadable says that an answer may list tools, and that not every reader reads it alike.
var errUnreadable = errors.New("mcpproxy: got an answer that may list tools, want one that every reader reads alike")

// pin has what of an answer goes to the client pass [session.pinned] while tools are pinned. An error is
// for an answer that must not go there; under policies that is a redirect past the proxy.
func (h *Proxy) pin(x *HTTPExchange, resp *http.Response) error {
	pins := h.w.PinTools
	if pins && !readAlike(resp.Header) || h.w.Governs() && !h.redirected(resp) {
		x.Session.Record(watch.Note{Kind: watch.NoteRefusedOutput})
		return errors.Join(errUnreadable, resp.Body.Close())
	}
	if !pins || resp.Body == http.NoBody || x.Method == http.MethodHead {
		return nil
	}
	if framing, ok := framingOf(resp.Header.Get("Content-Type"), ""); ok && framing == frames.ByEvent {
		resp.Body = &pinnedEvents{
			pins: x.Session.Pins(), body: resp.Body, events: sse.Events{Most: govern.MaxGoverned}, chunk: make([]byte, 32<<10),
		}
		resp.ContentLength = -1
		resp.Header.Del("Content-Length")
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, govern.MaxGoverned+1))
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return err
	}
	if len(text) > govern.MaxGoverned {
		x.Session.Record(watch.Note{Kind: watch.NoteRefusedOutput})
		return errUnreadable
	}
	out := x.Session.Pins().Apply(text)
	if out == nil && len(text) > 0 {
		return errUnreadable
	}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(out)), int64(len(out))
	resp.Header.Set("Content-Length", strconv.Itoa(len(out)))
	resp.TransferEncoding = nil
	return nil
}

// pinnedEvents is a stream of server-sent events whose data passes [session.pinned]. An event goes on
// once it is complete.
type pinnedEvents struct {
	pins   *pins.Filter
	body   io.ReadCloser
	events sse.Events
	chunk  []byte
	lone   bool   // what was read ends with a carriage return
	ready  []byte // to be read
	err    error  // behind that
}

func (p *pinnedEvents) Read(b []byte) (int, error) {
	for len(p.ready) == 0 {
		event, ok := p.events.Next()
		switch {
		case ok && event.Long:
			p.refuse()
		case ok:
			p.ready = p.pinned(&event)
		case p.err == nil:
			p.more()
		default:
			if p.ready = p.rest(); len(p.ready) == 0 {
				return 0, p.err
			}
		}
	}
	n := copy(b, p.ready)
	p.ready = p.ready[n:]
	return n, nil
}

func (p *pinnedEvents) Close() error { return p.body.Close() }

// more reads what comes, up to a carriage return without a newline, which ends a line for some readers only.
func (p *pinnedEvents) more() {
	n, err := p.body.Read(p.chunk)
	for i, c := range p.chunk[:n] {
		if p.lone && c != '\n' {
			p.events.Add(p.chunk[:max(0, i-1)])
			p.pins.Refused()
			p.err = errUnreadable
			return
		}
		p.lone = c == '\r'
	}
	p.events.Add(p.chunk[:n])
	p.err = err
}

// refuse ends the stream: what follows is not read alike by every reader.
func (p *pinnedEvents) refuse() {
	p.pins.Refused()
	p.events, p.err = sse.Events{}, errUnreadable
}

// rest is what goes on of an event whose end did not come.
func (p *pinnedEvents) rest() []byte {
	if errors.Is(p.err, errUnreadable) {
		return nil
	}
	rest := p.events.Rest()
	return p.pinned(&rest)
}

// pinned is what goes on of an event; nil for nothing. Where tools may be named there is nothing but lines
// of data that are read as such.
func (p *pinnedEvents) pinned(event *sse.Event) []byte {
	if !pins.NamesTools(event.Raw) {
		return event.Raw
	}
	var others []byte
	for line := range bytes.Lines(event.Raw) {
		if !bytes.HasPrefix(line, []byte("data:")) && len(bytes.TrimRight(line, "\r\n")) > 0 {
			others = append(others, line...)
		}
	}
	data := event.Data()
	out := p.pins.Apply(data)
	switch {
	case pins.NamesTools(others):
		others, out = nil, p.pins.Unreadable(data)
	case bytes.Equal(out, data):
		return event.Raw
	}
	if out == nil {
		return nil
	}
	return append(append(others, "data: "...), append(bytes.ReplaceAll(out, []byte("\n"), []byte("\ndata: ")), "\n\n"...)...)
}
