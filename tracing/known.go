// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing

import (
	"math/rand/v2"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/toolscope/toolscope/toolkit"
)

// knownTools remembers the infos of definitions, so that a call of a tool seen before
// hashes no name. It is bounded, since a host may make a new definition for each call:
// what it does not hold is found by name. Readers take no lock. Those seen last stand in
// a small table by their addresses, which is two cache lines to look at where the map is
// five.
type knownTools struct {
	latest      [256]atomic.Pointer[knownTool]
	definitions sync.Map // *toolkit.Definition to *knownTool
	count       atomic.Int64
}

// knownTool are the infos of one definition by agent: the first few that were seen.
type knownTool struct {
	definition *toolkit.Definition
	agents     atomic.Pointer[[]knownAgent]
}

type knownAgent struct {
	agent string
	info  *toolInfo
}

// spread is 2^64 by the golden ratio: the upper bits of its products differ where the lower
// ones of addresses do.
const spread = 0x9E3779B97F4A7C15

// maxAgents is how many agents of a tool are remembered.
const maxAgents = 8

// find is the info of a definition and an agent; nil if it is not remembered.
func (k *knownTools) find(tool *toolkit.Definition, agent string) *toolInfo {
	known := k.forDefinition(tool)
	if known == nil {
		return nil
	}
	if agents := known.agents.Load(); agents != nil {
		for i := range *agents {
			if (*agents)[i].agent == agent {
				return (*agents)[i].info
			}
		}
	}
	return nil
}

// forDefinition is what is known of a definition; nil if nothing is.
func (k *knownTools) forDefinition(tool *toolkit.Definition) *knownTool {
	place := &k.latest[uint64(reflect.ValueOf(tool).Pointer())*spread>>56]
	if known := place.Load(); known != nil && known.definition == tool {
		return known
	}
	found, ok := k.definitions.Load(tool)
	if !ok {
		return nil
	}
	known := found.(*knownTool)
	if place.Load() == nil || rand.Uint32()%64 == 0 { // of two that share a place one stays for a while
		place.Store(known)
	}
	return known
}

// addInfo remembers an info, unless there are max definitions or [maxAgents] agents.
func (k *knownTools) addInfo(tool *toolkit.Definition, agent string, info *toolInfo, max int) {
	found, ok := k.definitions.Load(tool)
	if !ok {
		if k.count.Load() >= int64(max) {
			return
		}
		var there bool
		if found, there = k.definitions.LoadOrStore(tool, &knownTool{definition: tool}); !there {
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
