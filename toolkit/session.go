// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import "context"

// A Session says in whose name a call runs. It travels in the context and
// bounds what may be stored, shared or counted across calls: nothing is without
// one. All fields are optional; none is ever a metric's label but Agent.
type Session struct {
	Tenant       string // who must never see another's results
	ID           string // one run of an agent
	Conversation string // gen_ai.conversation.id; never invented, so "" unless the host has one
	Agent        string // gen_ai.agent.name, the agent that executes the tool
	Batch        string // the calls a model proposed at once; [Executor] sets a new one each time
	Turn         int    // counts the model's turns from 1; 0 if they are not counted
}

type sessionKey struct{}

// WithSession returns a context in which calls belong to s.
func WithSession(ctx context.Context, s Session) context.Context {
	return context.WithValue(ctx, sessionKey{}, &s)
}

// SessionFrom returns the context's session, which must not be changed, or nil.
func SessionFrom(ctx context.Context) *Session {
	if ctx == nil { // the watched function may not mind a nil context
		return nil
	}
	s, _ := ctx.Value(sessionKey{}).(*Session)
	return s
}
