// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager

// A State is where a server's connection is.
type State string

// The states.
const (
	Disconnected State = "disconnected" // disabled, not started yet, or stopped
	Connecting   State = "connecting"
	Connected    State = "connected"
	Failed       State = "error" // it could not be connected, or was lost; it is tried again
)
