// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"

	"github.com/toolscope/toolscope/toolkit"
)

// errOther says that what came for a call is no answer to it.
var errOther = &wireError{"unanswered", "the server answered something else"}

// pass passes on as it is what is no answer to a call, or none that is looked at. fault is what that means for
// the call, nil for nothing.
func (c *httpCall) pass(resp *http.Response, fault *wireError) (reply, error) {
	defer resp.Body.Close()
	r := reply{passed: true, result: toolkit.Result{Output: notLookedAt, Suspended: true}}
	if fault != nil {
		r.result.Output, r.result.Fault = fault.text, fault
		if c.streaming { // an attempt before has begun an answer, in which this is nothing
			return reply{}, fault
		}
	}
	if !c.streaming {
		c.begin(resp)
	}
	c.passed, c.streaming = true, true
	_, _ = io.Copy(flushing{c.out}, resp.Body) // the client is gone, or the server
	return r, nil
}

// begin writes an answer's status and headers.
func (c *httpCall) begin(resp *http.Response) {
	maps.Copy(c.out.Header(), resp.Header)
	c.out.WriteHeader(resp.StatusCode)
}

// write writes a part of a stream at once; false if the client is gone.
func (c *httpCall) write(b []byte) bool {
	if len(b) == 0 {
		return true
	}
	_, err := flushing{c.out}.Write(b)
	return err == nil
}

// answer writes what came of a call.
func (c *httpCall) answer(r reply) {
	switch {
	case c.passed || r.passed:
	case c.streaming && bytes.Equal(r.raw, c.sent) && c.event != nil:
		c.write(c.event)
	case c.streaming && r.raw != nil:
		c.write(fmt.Appendf(nil, "event: message\ndata: %s\n\n", r.raw))
	case c.streaming: // nobody waits for an answer
	case r.raw == nil:
		status := http.StatusBadGateway
		if c.request.Context().Err() != nil {
			return
		}
		http.Error(c.out, notReached, status)
	default:
		maps.Copy(c.out.Header(), c.header)
		c.out.Header().Del("Content-Length")
		c.out.Header().Set("Content-Type", "application/json")
		_, _ = c.out.Write(r.raw) // nobody waits any more
	}
}

// copyRest passes on what follows the answer in a stream.
func (c *httpCall) copyRest() {
	defer c.rest.Close()
	if c.write(c.events.take()) {
		_, _ = io.Copy(flushing{c.out}, c.rest) // the client is gone, or the server
	}
}

// flushing writes what it is given at once.
type flushing struct{ http.ResponseWriter }

func (f flushing) Write(b []byte) (int, error) {
	n, err := f.ResponseWriter.Write(b)
	if err == nil {
		err = http.NewResponseController(f.ResponseWriter).Flush()
	}
	return n, err
}
