// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"

	"github.com/toolscope/toolscope/toolkit"
)

// A Model continues a conversation. It must be safe for concurrent use, and return when
// the context is over.
type Model func(ctx context.Context, r Request) (Reply, error)

// A Request is a conversation that a model is to continue. It belongs to the caller: a
// model changes nothing in it and keeps nothing of it.
type Request struct {
	// System is the instructions that stand above the conversation; "" is none.
	System string
	// Messages begin with the task.
	Messages []Message
	// Tools are those that the model may call; nil is none.
	Tools []toolkit.Definition
	// Final asks for an answer without calls, though there are tools: it is the last turn.
	Final bool
	// MaxTokens is how long the reply may be; never 0.
	MaxTokens int
}

// A Role is who says a message.
type Role string

// The roles.
const (
	RoleUser      Role = "user"      // the task
	RoleAssistant Role = "assistant" // the model
	RoleTool      Role = "tool"      // what a call gave
)

// A Message is a part of a conversation.
type Message struct {
	Role Role
	Text string
	// Calls are those that the model asks for; of RoleAssistant only.
	Calls []toolkit.Call
	// CallID is the id of the call that a message of RoleTool answers; Failed says that
	// the call failed.
	CallID string
	Failed bool
}

// A Reply is what a model says. Without calls it is the answer to the task.
type Reply struct {
	Text  string
	Calls []toolkit.Call // with an id each
	Usage Usage
}

// Usage is how many tokens a reply took; 0 where that is not known.
type Usage struct{ Input, Output int }
