// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import "github.com/toolscope/toolscope/mcp/mcpproxy/internal/pins"

// A Baseline stores what the definitions of a server's tools were when they were first seen. A
// server whose tools change afterwards, so that a user has agreed to something else than
// what runs, is a known attack. A change is reported at each connection until a user accepts
// it. Safe for concurrent use; only the user can read the file (0600).
type Baseline struct{ tools *pins.Baseline }

// ErrNotAccepted says that tools are to be pinned that no user has accepted.
var ErrNotAccepted = pins.ErrNotAccepted

// OpenBaseline is the baseline of a server in a directory; "" is that of the user's state. The identity
// tells the server from others, such as its command line, of which only a hash is stored.
func OpenBaseline(dir string, identity ...string) (*Baseline, error) {
	tools, err := pins.Open(dir, identity...)
	if err != nil {
		return nil, err
	}
	return &Baseline{tools}, nil
}
