// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing

import (
	"hash/maphash"
	"strings"
	"sync/atomic"
)

// cleanNames remembers names that come again with call after call, those of sessions and
// tenants, as they are redacted. Its size is fixed: a name may take another's place.
type cleanNames struct {
	seed  maphash.Seed
	slots [256]atomic.Pointer[cleanName]
}

type cleanName struct{ raw, clean string }

// cleanName is name as clean makes it. Safe for concurrent use.
func (c *cleanNames) cleanName(name string, clean func(string) string) string {
	if len(name) > maxIdentifier { // is not kept in memory
		return clean(name)
	}
	slot := &c.slots[maphash.String(c.seed, name)%uint64(len(c.slots))]
	if known := slot.Load(); known != nil && known.raw == name {
		return known.clean
	}
	made := clean(name)
	slot.Store(&cleanName{strings.Clone(name), made})
	return made
}
