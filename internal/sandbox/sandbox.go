// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package sandbox

import "context"

// A Sandbox is what an allowed call may reach. It does not change once it is in a context.
type Sandbox struct {
	// Workspace are the directories that may be written, absolute. nil confines nothing but what the
	// processes see of others: no rule allows the call by name, and none forbids it.
	Workspace []string
	// Network lets the call open TCP connections.
	Network bool
	// Git lets the call change the .git of the workspace.
	Git bool
	// Caches are those of languages that the call may use: "go", "node", "rust", "python".
	Caches []string
}

type key struct{}

// With returns ctx for a call that may reach what s says.
func With(ctx context.Context, s *Sandbox) context.Context { return context.WithValue(ctx, key{}, s) }

// From returns the sandbox of the call; nil if there is none.
func From(ctx context.Context) *Sandbox {
	s, _ := ctx.Value(key{}).(*Sandbox)
	return s
}
