// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing

import (
	"sync"
	"sync/atomic"

	"github.com/toolscope/toolscope/toolkit"
)

// knownTools remembers the infos of definitions, so that a call of a tool seen before
// hashes no name. It is bounded, since a host may make a new definition for each call:
// what it does not hold is found by name. Readers take no lock.
type knownTools struct {
	definitions sync.Map // *toolkit.Definition to *knownTool
	count       atomic.Int64
}

// knownTool are the infos of one definition by agent: the first few that were seen.
type knownTool struct {
	agents atomic.Pointer[[]knownAgent]
}

type knownAgent struct {
	agent string
	info  *toolInfo
}

// maxAgents is how many agents of a tool are remembered.
const maxAgents = 8

// find is the info of a definition and an agent; nil if it is not remembered.
func (k *knownTools) find(tool *toolkit.Definition, agent string) *toolInfo {
	found, ok := k.definitions.Load(tool)
	if !ok {
		return nil
	}
	if agents := found.(*knownTool).agents.Load(); agents != nil {
		for i := range *agents {
			if (*agents)[i].agent == agent {
				return (*agents)[i].info
			}
		}
	}
	return nil
}

// add remembers an info, unless there are max definitions or [maxAgents] agents.
func (k *knownTools) add(tool *toolkit.Definition, agent string, info *toolInfo, max int) {
	found, ok := k.definitions.Load(tool)
	if !ok {
		if k.count.Load() >= int64(max) {
			return
		}
		var there bool
		if found, there = k.definitions.LoadOrStore(tool, new(knownTool)); !there {
			k.count.Add(1)
		}
	}
	agents := &found.(*knownTool).agents
	var old []knownAgent
	was := agents.Load()
	if was != nil {
		old = *was
	}
	if len(old) < maxAgents {
		list := append(old[:len(old):len(old)], knownAgent{agent, info})
		agents.CompareAndSwap(was, &list) // another's came first: this one is added the next time
	}
}
