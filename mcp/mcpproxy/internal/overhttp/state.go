// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package overhttp

import (
	"net/http"
	"net/http/httputil"
	"net/url"

	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/watch"
)

// Proxy stands between clients and a server over HTTP.
type Proxy struct {
	w         *watch.Watcher
	origin    *url.URL // of the server
	path      string   // of its address
	Sessions  *httpSessions
	proxy     *httputil.ReverseProxy
	Transport *http.Transport
	upstream  http.RoundTripper // Transport, or what stands in front of it
	running   *runningCalls
}

// HTTPExchange is a request and its answer. What it begins ends with it: once nothing more comes of
// the request, which an answer may outrun, and once the answer has come or will not.
type HTTPExchange struct {
	Session *watch.Session
	Method  string
	Asked   string // the session's id in the request's header

	// These belong to the Watcher's goroutine once anything of the exchange is in the tap.
	asking bool                 // more comes of the request
	begun  []watch.OperationKey // what the request began
	failed *watch.WireError     // what was begun will not be answered
	over   bool                 // nothing more comes of the answer
}
