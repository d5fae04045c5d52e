// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A State is where a server's connection is.
type State string

// The states.
const (
	Disconnected State = "disconnected" // disabled, not started yet, or stopped
	Connecting   State = "connecting"
	Connected    State = "connected"
	Failed       State = "error" // it could not be connected, or was lost; it is tried again
)

// A Status is what is known of a server at a time.
type Status struct {
	Name string
	// Transport is "stdio", "http", "sse" or "custom".
	Transport string

	State State
	Since time.Time // of the state
	// LastError is the last failure of the connection or of a request, redacted; "" if
	// there was none. It stays when things go well again; LastErrorAt says how old it is.
	LastError   string
	LastErrorAt time.Time
	// NextAttempt is when a failed connection is made anew.
	NextAttempt time.Time
	// Connects is how often a connection was made.
	Connects uint64

	// Calls and Errors are of tools, since the manager was made; failed answers of the
	// tools are errors, too, what is the caller's fault by its code or cancelled is not.
	// InFlight are running.
	Calls, Errors uint64
	InFlight      int
	// SuccessRate is that of the last five minutes, from 0 to 1, and Latency the moving
	// average (α = 0.1): what servers are chosen by. Without calls they are 1 and 0.
	SuccessRate float64
	Latency     time.Duration

	// What it listed, and what of that was left out and why, at most 20 lines.
	Tools, Resources, Templates, Prompts int
	Problems                             []string
	// Initialized is the server's answer to the handshake of its last connection; nil before that.
	// It must not be changed.
	Initialized *mcp.InitializeResult
	// PID is the child's process id; 0 if there is none.
	PID int
}
