// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/toolscope/toolscope/internal/histogram"
	"github.com/toolscope/toolscope/internal/stripes"
	"github.com/toolscope/toolscope/toolkit"
)

// maxToolName is the longest name kept, in bytes: as long as one of a registered
// tool may be.
const maxToolName = 128

// sharedTools are UnknownTool and Other, which are beyond the maximum number of tools.
const sharedTools = 2

// maxSpare is how many stripes a recorder makes beyond the first of each tool:
// those of eight tools under contention.
const maxSpare = 8 * (stripes.Count - 1)

// toolTable finds the tool of a definition.
type toolTable struct {
	unknown *tool // calls of tools that are not registered
	other   *tool // calls of tools beyond max
	digits  int
	max     int
	names   *toolNames // nil in tests: names are not redacted

	spare atomic.Int64 // stripes that tools under contention may still make

	// latest are the definitions seen last, by their addresses: two cache lines to look
	// at where the map is five.
	latest       [256]atomic.Pointer[toolOf]
	byDefinition sync.Map // *toolkit.Definition to *toolOf
	definitions  atomic.Int64
	homeless     atomic.Uint64 // definitions that found no place but other

	mu     sync.RWMutex
	byName map[string]*tool
}

// toolOf is the tool of a definition.
type toolOf struct {
	definition *toolkit.Definition
	tool       *tool
}

func (t *toolTable) init(digits, max int) {
	t.digits, t.max = digits, max
	t.spare.Store(maxSpare)
	t.unknown, t.other = t.newTool(UnknownTool), t.newTool(Other)
	t.byName = map[string]*tool{UnknownTool: t.unknown, Other: t.other}
}

func (t *toolTable) newTool(name string) *tool {
	return &tool{name: name, executed: histogram.NewLive(t.digits, &t.spare)}
}

// full reports whether there is no place for another tool. t.mu is held.
func (t *toolTable) full() bool { return len(t.byName)-sharedTools >= t.max }

// forDefinition returns the definition's tool. It takes no lock for a definition seen before.
func (t *toolTable) forDefinition(def *toolkit.Definition) *tool {
	if def == nil {
		return t.unknown
	}
	place := &t.latest[address(def)*spreadHash>>56]
	if known := place.Load(); known != nil && known.definition == def {
		return known.tool
	}
	if found, ok := t.byDefinition.Load(def); ok {
		known := found.(*toolOf)
		if place.Load() == nil || rand.Uint32()%64 == 0 { // of two that share a place one stays for a while
			place.Store(known)
		}
		return known.tool
	}
	return t.find(def)
}

// find looks by name. Definitions are remembered up to a bound, since an application may
// make a new one for each call.
func (t *toolTable) find(def *toolkit.Definition) *tool {
	found := t.named(t.names.shownAs(def.Name))
	if t.definitions.Load() < int64(4*t.max) {
		if _, loaded := t.byDefinition.LoadOrStore(def, &toolOf{def, found}); !loaded {
			t.definitions.Add(1)
		}
	}
	return found
}

// named returns the tool of a name: a new one if there is room, else other.
func (t *toolTable) named(name string) *tool {
	if name == "" {
		return t.unknown
	}
	t.mu.RLock()
	found, full := t.byName[name], t.full()
	t.mu.RUnlock()
	if found != nil {
		return found
	}
	if full {
		t.homeless.Add(1)
		return t.other
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if found = t.byName[name]; found != nil {
		return found
	}
	if t.full() {
		t.homeless.Add(1)
		return t.other
	}
	name = strings.Clone(name)
	found = t.newTool(name)
	t.byName[name] = found
	return found
}

// all returns the tools in no order.
func (t *toolTable) all() []*tool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	tools := make([]*tool, 0, len(t.byName))
	for _, known := range t.byName {
		tools = append(tools, known)
	}
	return tools
}
