// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package overhttp

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"

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
		resp.Body = &pinnedEvents{pins: x.Session.Pins(), body: resp.Body, from: bufio.NewReader(resp.Body)}
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
	pins  *pins.Filter
	body  io.Closer
	from  *bufio.Reader
	ready []byte // to be read
	err   error  // behind that
}

func (p *pinnedEvents) Read(b []byte) (int, error) {
	for len(p.ready) == 0 {
		if p.err != nil {
			return 0, p.err
		}
		var event []byte
		event, p.err = p.next()
		p.ready = p.pinned(event)
	}
	n := copy(b, p.ready)
	p.ready = p.ready[n:]
	return n, nil
}

func (p *pinnedEvents) Close() error { return p.body.Close() }

// next reads an event, with its empty line. One that is not complete comes with an error.
func (p *pinnedEvents) next() (event []byte, err error) {
	empty := true // the line so far
	for {
		c, err := p.from.ReadByte()
		switch {
		case err != nil:
			return event, err
		// which ends a line for some
		case len(event) >= govern.MaxGoverned || len(event) > 0 && event[len(event)-1] == '\r' && c != '\n':
			p.pins.Refused()
			return nil, errUnreadable
		}
		event = append(event, c)
		switch {
		case c == '\n' && empty:
			return event, nil
		case c != '\r':
			empty = c == '\n'
		}
	}
}

// pinned is what goes on of an event; nil for nothing. Where tools may be named there is nothing but lines
// of data that are read as such.
func (p *pinnedEvents) pinned(event []byte) []byte {
	if !pins.NamesTools(event) {
		return event
	}
	var others []byte
	for line := range bytes.Lines(event) {
		if !bytes.HasPrefix(line, []byte("data:")) && len(bytes.TrimRight(line, "\r\n")) > 0 {
			others = append(others, line...)
		}
	}
	data := frames.EventData(event)
	out := p.pins.Apply(data)
	switch {
	case pins.NamesTools(others):
		others, out = nil, p.pins.Unreadable(data)
	case bytes.Equal(out, data):
		return event
	}
	if out == nil {
		return nil
	}
	return append(append(others, "data: "...), append(bytes.ReplaceAll(out, []byte("\n"), []byte("\ndata: ")), "\n\n"...)...)
}
