// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package limit

// Gates is how many gates of keys and of tools a policy keeps.
func Gates(p *Policy) (keys, tools int) {
	p.slots.mu.Lock()
	defer p.slots.mu.Unlock()
	return len(p.slots.keys.all), len(p.slots.tools.all)
}
