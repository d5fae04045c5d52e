// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/overhttp"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/stdio"
)

// A Command is a server that speaks over its standard input and output, and the client's
// ends of both.
type Command struct {
	Path string   // as exec.LookPath finds it
	Args []string // with the name that the server is to have first
	Env  []string // nil is this process's
	// Stdin, Stdout and Stderr are the client's ends. They are closed as the server closes
	// its own.
	Stdin, Stdout, Stderr *os.File
	// Signals are passed on to the server; nil passes none.
	Signals <-chan os.Signal
}

// An Exit is how a server ended.
type Exit struct {
	Code   int       // of the process, -1 if a signal ended it
	Signal os.Signal // nil if none did
}

// Run starts the server and passes on what client and server send, unchanged and at once,
// until the server has ended and all it wrote has been passed on. The error says that the
// server could not be started. Only the ends of the server's standard output and error that
// processes of its own keep open are given up, half a second after the last byte.
func (w *Watcher) Run(c Command) (Exit, error) {
	exit, err := stdio.Run(w.core, stdio.Command(c))
	return Exit(exit), err
}

// Serve forwards requests that arrive at l to a server that speaks streamable HTTP or server-sent events,
// until ctx is over, and closes l. It answers requests of this machine only ([Guard]). Paths, headers,
// sessions and bodies stay as they are, but for the headers of one connection and Host, as
// [httputil.ReverseProxy] has it; streams are flushed at once. Requests that run when ctx is over may take
// another second. The error is that of l.
func (w *Watcher) Serve(ctx context.Context, l net.Listener, target *url.URL) error {
	return overhttp.New(w.core, target).Serve(ctx, l, time.Second)
}

// Guard forwards requests from this machine only: they arrived on a loopback address, under a loopback name, and if a
// page in a browser made them, it is one of this machine's. So no page of another site can use a name of its own that
// resolves to this address (DNS rebinding).
func Guard(next http.Handler) http.Handler { return overhttp.Guard(next) }
