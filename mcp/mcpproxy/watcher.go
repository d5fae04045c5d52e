// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/pins"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/watch"
)

// Options configure a [Watcher]. The zero value works.
type Options struct {
	// Server is the name of the server on spans and in reports; "" is "mcp".
	Server string
	// Tenant is the tenant of all sessions; "" is none.
	Tenant string
	// ClientSpans gives each call a span of kind CLIENT below its own.
	ClientSpans bool
	// InjectContext writes the trace context into the requests that are forwarded, whose bytes
	// then differ. The default leaves every byte as it is.
	InjectContext bool
	// HungAfter is how long a call runs before it is reported as hung; 0 is a minute.
	HungAfter time.Duration
	// Baseline stores the definitions of the server's tools from one connection to the next;
	// nil remembers them for the life of the Watcher only.
	Baseline *Baseline
	// AcceptTools accepts the definitions that the server lists first into the
	// baseline, whatever it had.
	AcceptTools bool
	// PinTools refuses calls of tools that differ from those accepted into the baseline, changed
	// and new ones, and removes them from the server's lists. The default reports them and lets
	// them through. New fails with [ErrNotAccepted] if no tools were ever accepted.
	PinTools bool
	// Upstream makes what [Watcher.Serve] sends requests to the server over, given what it would
	// send them over itself; the default, nil, is that.
	Upstream func(http.RoundTripper) http.RoundTripper
	// BeforeForward is called before requests are forwarded, once their calls have begun for the scope's observers, so
	// that a log of them is written by then. nil forwards at once.
	BeforeForward func()
	// OnRequest is called with each request that has ended and is no call of a tool. It is not called concurrently.
	OnRequest func(Request)
	// OnSession is called when a client and the server have agreed on a session, and OnTools with each complete list of the
	// server's tools, before the requests that follow. They are not called concurrently, and keep nothing they get.
	OnSession func(SessionReport)
	OnTools   func(session string, tools []ListedTool)
}

// A SessionReport is one connection of a client to the server.
type SessionReport = watch.SessionReport

// A ListedTool is a tool as the server lists it.
type ListedTool = watch.ListedTool

// A Request is one that is no call of a tool, as the peers sent it.
type Request = watch.Request

// A Watcher observes and governs the traffic between MCP clients and a server. It decodes copies of that
// traffic into spans, metrics, statistics and observations. Make one with [New].
type Watcher struct{ core *watch.Watcher }

// New makes a Watcher and starts its goroutine. A scope without tracing and metrics makes none; nil
// is an error.
func New(scope *toolscope.Scope, options Options) (*Watcher, error) {
	if scope == nil {
		return nil, fmt.Errorf("mcpproxy: New: got no scope, want one")
	}
	o := watch.Settings{
		Server: options.Server, Tenant: options.Tenant, ClientSpans: options.ClientSpans,
		InjectContext: options.InjectContext, HungAfter: options.HungAfter,
		AcceptTools: options.AcceptTools, PinTools: options.PinTools, Upstream: options.Upstream, Baseline: new(pins.Baseline),
		BeforeForward: options.BeforeForward, OnRequest: options.OnRequest,
		OnSession: options.OnSession, OnTools: options.OnTools,
	}
	if o.HungAfter <= 0 {
		o.HungAfter = time.Minute
	}
	if options.Baseline != nil {
		o.Baseline = options.Baseline.tools
	}
	if o.Server == "" {
		o.Server = "mcp"
	}
	if o.AcceptTools {
		if err := o.Baseline.Accept(); err != nil {
			return nil, err
		}
	}
	if o.PinTools {
		if err := o.Baseline.Pinnable(); err != nil {
			return nil, err
		}
	}
	core, err := watch.New(scope, o)
	if err != nil {
		return nil, err
	}
	return &Watcher{core}, nil
}

// Close decodes what waits, ends what is open, and ends the goroutine.
func (w *Watcher) Close() { w.core.Close() }

// Settle returns when all that passed before it has been decoded, or ctx is over.
func (w *Watcher) Settle(ctx context.Context) error { return w.core.Settle(ctx) }

// ServeHTTP answers with what the proxy has seen apart from calls, as JSON: docs/telemetry-json.md lists the fields. Who may
// ask is for the caller to decide.
func (w *Watcher) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		out.Header().Set("Allow", "GET, HEAD")
		http.Error(out, "want GET", http.StatusMethodNotAllowed)
		return
	}
	report, err := w.core.Report(r.Context())
	if err != nil {
		return // the client does not wait any more
	}
	out.Header().Set("Content-Type", "application/json")
	out.Header().Set("Cache-Control", "no-store")
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	_ = encoder.Encode(report) // the client may be gone
}
