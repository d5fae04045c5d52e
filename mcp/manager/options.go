// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//lint:file-ignore SA1019 servers of older revisions ask for what the newest deprecates, and are served.

package manager

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/mcp/toolmcp"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/toolkit"
)

// Options say which servers there are and how they are treated. The zero value has no
// server; durations of 0 are the defaults.
type Options struct {
	// Servers are those to begin with, in order of precedence among equal priorities.
	// [Manager.Add] adds others.
	Servers []Server
	// SharedNames lists each tool by its own name: the same name and input schema of several servers is
	// one tool, for servers that are trusted alike. By default it is listed as SERVER__TOOL. The
	// package comment has the rules.
	SharedNames bool
	// Scope instruments the connections (see [toolmcp.Client]); Instrument are the options
	// for that, whose Transport the manager sets. The default, a nil Scope, does not. To watch the
	// calls themselves, wrap the manager: scope.WrapRegistry(m).
	Scope      *toolscope.Scope
	Instrument toolmcp.Options
	// Client is what servers learn of this client; nil is "toolscope".
	Client *mcp.Implementation

	// StartTimeout is how long a connection may take to be made, lists included; the default is 30 seconds.
	// RequestTimeout is how long a request may take, 30 seconds by default; a tool's own Timeout, if it is
	// above 0, takes its place for calls, up to an hour.
	StartTimeout, RequestTimeout time.Duration
	// CallWait is how long a call waits at most for a server that is not connected at
	// the moment; the default is 5 seconds, below 0 is not at all.
	CallWait time.Duration
	// StopGrace is how long a child process may take to end after its input was closed,
	// and again after SIGTERM, before it is killed; the default is 2 seconds.
	StopGrace time.Duration
	// PingInterval is how often a server that is not busy is asked whether it is well, every 30
	// seconds by default; below 0 is never. Two pings in a row that are not answered within
	// PingTimeout, 10 seconds by default, or
	// one after a failed request, end the connection, which is then made anew.
	PingInterval, PingTimeout time.Duration
	// Backoff is the pause before a connection is made anew, half a second by default; it doubles with
	// each attempt that fails up to MaxBackoff, 30 seconds by default, and a random part of up to a half
	// is taken off.
	Backoff, MaxBackoff time.Duration

	// MaxMessage is how many bytes a message of a server may have; the default is 16 MiB. It does
	// not apply to transports that the application supplies.
	MaxMessage int
	// MaxTools is how many tools, resources, templates and prompts of a server are
	// listed, each; the default is 2,000, what is beyond is left out.
	MaxTools int

	// Admit is asked of each tool before it is listed, and may change its definition but
	// for the name; false leaves it out. It may be called by several goroutines. The
	// default, nil, takes all as they are.
	Admit func(server string, tool *toolkit.Definition) bool
	// Redactor is what errors pass before [Status] shows them; nil is the default one.
	Redactor *redact.Redactor

	// Sampling and SamplingWithTools, of which one may be set, and Elicitation answer
	// what servers ask of the host; nil refuses. Their contexts end with the connection.
	// ElicitURL says that Elicitation takes requests to open a URL (Mode "url") as well, which
	// servers ask for only then; the default is forms only. Roots are sent to servers;
	// nil refuses.
	Sampling          func(ctx context.Context, server string, p *mcp.CreateMessageParams) (*mcp.CreateMessageResult, error)
	SamplingWithTools func(ctx context.Context, server string,
		p *mcp.CreateMessageWithToolsParams) (*mcp.CreateMessageWithToolsResult, error)
	Elicitation func(ctx context.Context, server string, p *mcp.ElicitParams) (*mcp.ElicitResult, error)
	ElicitURL   bool
	Roots       []*mcp.Root

	// The following are called one after the other in one goroutine. If they are so slow that more
	// than 1,024 events or 16 MiB wait, further events are dropped. A panic is swallowed. Nil ones
	// are not called.
	//
	// OnState gets each change of a server's state; OnLists is called when its tools, resources
	// or prompts have changed. OnProgress gets the progress of a call, of which it gets name and ID;
	// servers are asked for it only if OnProgress is set. OnLog gets log messages, of LogLevel
	// and above if that is set. OnResource gets the URI of a resource that changed, if the host
	// subscribed to it through [Manager.Session]. OnStderr gets what children
	// print on their standard error, line by line.
	OnState    func(Status)
	OnLists    func(server string)
	OnProgress func(server string, call toolkit.Call, p mcp.ProgressNotificationParams)
	OnLog      func(server string, m mcp.LoggingMessageParams)
	OnResource func(server, uri string)
	OnStderr   func(server, line string)
	LogLevel   mcp.LoggingLevel
}

func wrong(field string, got any, want string) error {
	return fmt.Errorf("manager: Options.%s: got %v, want %s", field, got, want)
}

// resolve checks o and fills in what 0 stands for.
func (o Options) resolve() (Options, error) {
	if o.Sampling != nil && o.SamplingWithTools != nil {
		return o, errors.New("manager: Options.Sampling: got SamplingWithTools as well, want one of them")
	}
	for _, d := range []struct {
		field     string
		value     *time.Duration
		preset    time.Duration
		belowZero bool
	}{
		{"StartTimeout", &o.StartTimeout, 30 * time.Second, false},
		{"RequestTimeout", &o.RequestTimeout, 30 * time.Second, false},
		{"CallWait", &o.CallWait, 5 * time.Second, true},
		{"StopGrace", &o.StopGrace, 2 * time.Second, false},
		{"PingInterval", &o.PingInterval, 30 * time.Second, true},
		{"PingTimeout", &o.PingTimeout, 10 * time.Second, false},
		{"Backoff", &o.Backoff, 500 * time.Millisecond, false},
		{"MaxBackoff", &o.MaxBackoff, max(30*time.Second, o.Backoff), false},
	} {
		switch {
		case *d.value == 0:
			*d.value = d.preset
		case *d.value < 0 && !d.belowZero:
			return o, wrong(d.field, *d.value, "a duration above 0, or 0 for the default")
		}
	}
	if o.MaxBackoff < o.Backoff {
		return o, wrong("MaxBackoff", o.MaxBackoff, fmt.Sprintf("at least Backoff, %v", o.Backoff))
	}
	for _, n := range []struct {
		field  string
		value  *int
		preset int
	}{{"MaxMessage", &o.MaxMessage, 16 << 20}, {"MaxTools", &o.MaxTools, 2000}} {
		switch {
		case *n.value == 0:
			*n.value = n.preset
		case *n.value < 0:
			return o, wrong(n.field, *n.value, "a number above 0, or 0 for the default")
		}
	}
	o.Roots = slices.Clone(o.Roots)
	if o.Redactor == nil {
		o.Redactor = redact.Default()
	}
	if o.Client == nil {
		o.Client = toolmcp.Implementation()
	}
	return o, nil
}
