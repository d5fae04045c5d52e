// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// The defaults of [Options].
const (
	defaultName      = "sub-agent"
	defaultMaxTurns  = 3
	defaultParallel  = 3
	defaultMaxTasks  = 10
	defaultMaxTokens = 100_000
	defaultMaxReply  = 4096
	defaultTimeout   = 2 * time.Minute
)

// A Run is a sub-agent's run that has begun to be observed. A *tracing.AgentRun is one. If it has a method
// AddUsage(inputTokens, outputTokens int64), that is called with what each reply of the model took, if known.
type Run interface {
	InferenceCall()
	End(err error)
}

// Options say how sub-agents work. The zero value works: they then have no tools.
type Options struct {
	// Handler runs the sub-agents' calls: the parent's, with all that observes and
	// governs. nil leaves them without tools.
	Handler toolkit.Handler
	// Tools tells which tools there are each time a task begins: the parent's registry.
	// Those of the category "agents" are not shown. nil leaves sub-agents without tools.
	Tools interface {
		Definitions() []toolkit.Definition
		Lookup(name string) *toolkit.Definition
	}
	// Start is called when a task begins; the run it returns gets the model's turns
	// and the end. The context that it returns is that of the task's calls. nil
	// observes nothing but the calls.
	Start func(ctx context.Context, name string) (context.Context, Run)
	// Name is the agent's name in the session and for Start; "" is "sub-agent".
	Name string
	// Instructions stand above each task; "" asks for a short, complete answer.
	Instructions string

	// MaxTurns is how many replies of the model a task may take, the last of which may
	// not call tools; 0 is 3.
	MaxTurns int
	// Parallel is how many tasks of one call run at once; 0 is 3.
	Parallel int
	// MaxTasks is how many tasks one call may have; 0 is 10.
	MaxTasks int
	// MaxTokens is how many tokens a task may take, in and out, as the model counts them; it
	// is checked after each reply. 0 is 100,000.
	MaxTokens int
	// MaxReply is how many tokens one reply may have; 0 is 4096.
	MaxReply int
	// Timeout is how long one task may take; 0 is 2 minutes. The time of the call
	// itself is set by the application: an executor's limit has to be longer to be of use.
	Timeout time.Duration
}

const defaultInstructions = "You are a sub-agent. Do the task with the tools you have, and answer with its " +
	"result: short, complete, and nothing else. " +
	"No one can answer questions; where something is not to be found out, say so."

// complete checks the options and puts in the defaults.
func (o Options) complete() (Options, error) {
	for _, n := range []struct {
		field    string
		value    *int
		fallback int
	}{
		{"MaxTurns", &o.MaxTurns, defaultMaxTurns}, {"Parallel", &o.Parallel, defaultParallel},
		{"MaxTasks", &o.MaxTasks, defaultMaxTasks},
		{"MaxTokens", &o.MaxTokens, defaultMaxTokens}, {"MaxReply", &o.MaxReply, defaultMaxReply},
	} {
		if *n.value < 0 {
			return o, fmt.Errorf("agent: Options.%s: got %d, want a number above 0, or 0 for %d", n.field, *n.value, n.fallback)
		}
		*n.value = cmp.Or(*n.value, n.fallback)
	}
	if o.Timeout < 0 {
		return o, fmt.Errorf("agent: Options.Timeout: got %v, want a duration above 0, or 0 for %v", o.Timeout, defaultTimeout)
	}
	o.Timeout = cmp.Or(o.Timeout, defaultTimeout)
	o.Name = cmp.Or(o.Name, defaultName)
	o.Instructions = cmp.Or(o.Instructions, defaultInstructions)
	return o, nil
}
