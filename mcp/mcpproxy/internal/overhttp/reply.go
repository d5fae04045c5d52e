// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package overhttp

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/toolscope/toolscope/mcp/internal/sse"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/govern"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/watch"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/wire"
	"github.com/toolscope/toolscope/toolkit"
)

// errOther says that what came for a call is no answer to it.
var errOther = watch.NewWireError("unanswered", "the server answered something else")

// pass forwards a response unchanged that is no answer to a call, or one that is not inspected. fault is what that means for
// the call, nil for nothing.
func (c *httpCall) pass(resp *http.Response, fault *watch.WireError) (govern.Reply, error) {
	defer resp.Body.Close()
	r := govern.Reply{Passed: true, Result: toolkit.Result{Output: govern.NotLookedAt, Suspended: true}}
	if fault != nil {
		r.Result.Output, r.Result.Fault = fault.Text, fault
		if c.streaming { // an attempt before has begun an answer, in which this is nothing
			return govern.Reply{}, fault
		}
	}
	if !c.streaming {
		c.begin(resp)
	}
	c.passed, c.streaming = true, true
	_, _ = io.Copy(Flushing{c.out}, resp.Body) // the client is gone, or the server
	return r, nil
}

// begin writes an answer's status and headers.
func (c *httpCall) begin(resp *http.Response) {
	maps.Copy(c.out.Header(), resp.Header)
	if _, ok := resp.Header["Content-Type"]; !ok {
		c.out.Header()["Content-Type"] = nil // net/http would make one up
	}
	c.out.WriteHeader(resp.StatusCode)
}

// write writes a part of a stream at once; false if the client is gone.
func (c *httpCall) write(b []byte) bool {
	if len(b) == 0 {
		return true
	}
	_, err := Flushing{c.out}.Write(b)
	return err == nil
}

// answer writes what came of a call.
func (c *httpCall) answer(r govern.Reply) {
	switch {
	case c.passed || r.Passed:
	case c.streaming && c.unchanged(r):
		c.write(c.came)
	case c.streaming && r.Raw != nil:
		c.write(eventOf(c.besides(r.Raw)))
	case c.streaming: // no client waits for an answer
	case r.Raw == nil:
		status := http.StatusBadGateway
		if c.request.Context().Err() != nil {
			return
		}
		http.Error(c.out, NotReached, status)
	default:
		maps.Copy(c.out.Header(), c.header)
		c.out.Header().Del("Content-Length")
		c.out.Header().Set("Content-Type", "application/json")
		body := c.came
		if !c.unchanged(r) {
			body = c.besides(r.Raw)
		}
		_, _ = c.out.Write(body) // the client does not wait any more
	}
}

// unchanged reports whether an answer is the server's, so that it goes on as it came.
func (c *httpCall) unchanged(r govern.Reply) bool { return c.came != nil && bytes.Equal(r.Raw, c.sent) }

// besides is an answer in the batch that the server's stood in, and alone if it stood in none.
func (c *httpCall) besides(raw []byte) []byte {
	if len(c.beside) == 0 {
		return raw
	}
	return wire.Joined(append(c.beside, raw))
}

// eventOf is an event of a message.
func eventOf(message []byte) []byte {
	return fmt.Appendf(nil, "event: message\ndata: %s\n\n", onOneLine(message))
}

// onOneLine is JSON without the ends of lines, which stand between its parts only.
func onOneLine(text []byte) []byte {
	return bytes.ReplaceAll(bytes.ReplaceAll(text, []byte{'\n'}, []byte{' '}), []byte{'\r'}, []byte{' '})
}

// find is the answer to an id among the messages of a body or an event; nil if it has none.
func (c *httpCall) find(text []byte, id jsontext.Value) *wire.Message {
	all := []jsontext.Value{bytes.TrimSpace(text)}
	if all[0].Kind() == '[' && wire.Unmarshal(text, &all) != nil {
		return nil
	}
	var found *wire.Message
	var beside []jsontext.Value
	for _, one := range all {
		m, ok := wire.ReadMessage(one)
		switch answer := ok && m.Method == "" && m.Valid() && wire.IDAnswers(m.ID, id); {
		case !answer:
			beside = append(beside, one)
		case found == nil:
			found, c.sent = &m, one
		}
	}
	if found != nil {
		c.beside = beside
	}
	return found
}

// copyRest passes on what follows the answer in a stream.
func (c *httpCall) copyRest() {
	defer c.rest.Close()
	if c.write(c.events.Rest().Raw) {
		_, _ = io.Copy(Flushing{c.out}, c.rest) // the client is gone, or the server
	}
}

// Flushing writes what it is given at once.
type Flushing struct{ http.ResponseWriter }

// Write writes and flushes.
func (f Flushing) Write(b []byte) (int, error) {
	n, err := f.ResponseWriter.Write(b)
	if err == nil {
		err = http.NewResponseController(f.ResponseWriter).Flush()
	}
	return n, err
}

// httpCall is a call of a tool that is governed, and how it is answered.
type httpCall struct {
	h       *Proxy
	x       *HTTPExchange
	request *http.Request
	out     http.ResponseWriter
	tool    *toolkit.Definition // nil if the server does not list it
	running *runningCall
	stop    context.CancelFunc // ends the request to the server
	read    <-chan struct{}    // closed when the goroutine that reads the answer has ended; it has what follows until then

	streaming bool             // the answer has begun, as a stream
	passed    bool             // the answer went out as it came, since it is no answer to a call
	header    http.Header      // of the server's answer
	came      []byte           // the body or event that the server's answer came in, as it came
	sent      []byte           // the answer that stood in it
	beside    []jsontext.Value // and the other messages of its batch
	rest      io.ReadCloser
	events    sse.Events // what was read of rest
}
