// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp

import "sync"

// names is a bounded set. The zero value is empty and works.
type names struct {
	mu  sync.RWMutex
	set map[string]struct{}
}

// has reports whether a name is in the set.
func (n *names) has(name string) bool {
	n.mu.RLock()
	defer n.mu.RUnlock()
	_, ok := n.set[name]
	return ok
}

// maxName is how long a name or an id may be that is remembered, in bytes: peers make them up.
const maxName = 1024

// addName puts a name into a set of at most max, and reports whether it is in it.
func (n *names) addName(name string, max int) bool {
	if n.has(name) {
		return true
	}
	if len(name) > maxName {
		return false
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.set) >= max {
		_, ok := n.set[name]
		return ok
	}
	if n.set == nil {
		n.set = map[string]struct{}{}
	}
	n.set[name] = struct{}{}
	return true
}
