// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package reuse

import (
	"hash/maphash"
	"sync/atomic"

	"github.com/toolscope/toolscope/internal/mix"
	"github.com/toolscope/toolscope/middleware"
)

// What a write adds to its counters. The low 24 bits count the writes under way, the
// rest how many there were.
const (
	Begin uint64 = 1<<24 + 1
	End   uint64 = 1<<24 - 1
)

// Writing reports whether a write was under way at the stamp.
func Writing(stamp uint64) bool { return stamp&(1<<24-1) != 0 }

// slots is how many counters there are, a power of two: two resources that share one
// make each other's answers stale, which is safe, and no number of sessions makes it
// grow, or forgets a count. 512 KiB, so that even a thousand long writes at once
// leave most of other sessions' answers alone.
const slots = 1 << 16

// Counters are the counters of one process. The zero value is ready to use. Safe for
// concurrent use.
type Counters struct{ slots [slots]atomic.Uint64 }

var (
	seed         = maphash.MakeSeed()
	anyWrite     = maphash.String(seed, "any write")         // counts all of an owner's writes
	unknownWrite = maphash.String(seed, "write of anything") // counts writes of nil resources
	everybody    = OwnerHash(middleware.Owner{})
)

// OwnerHash is a hash of the owner, of this process.
func OwnerHash(o middleware.Owner) uint64 {
	return mix.Hashes(maphash.String(seed, o.Tenant), maphash.String(seed, o.Session))
}

func (c *Counters) slot(owner, resource uint64) *atomic.Uint64 {
	return &c.slots[mix.Hashes(owner, resource)%slots]
}

// Stamp is the sum of the counters of what is read: the owner's, and those of writes
// that have no owner, which concern all owners. Nil and empty resources are
// anything. ownerHash is [OwnerHash] of the owner.
func (c *Counters) Stamp(ownerHash uint64, resources []string) uint64 {
	if len(resources) == 0 {
		return c.slot(ownerHash, anyWrite).Load() + c.slot(everybody, anyWrite).Load()
	}
	sum := c.slot(ownerHash, unknownWrite).Load() + c.slot(everybody, unknownWrite).Load()
	for _, r := range resources {
		tag := maphash.String(seed, r)
		sum += c.slot(ownerHash, tag).Load() + c.slot(everybody, tag).Load()
	}
	return sum
}

// Add adds n to the counters of what is written.
func (c *Counters) Add(ownerHash uint64, resources []string, n uint64) {
	c.slot(ownerHash, anyWrite).Add(n)
	if len(resources) == 0 {
		c.slot(ownerHash, unknownWrite).Add(n)
	}
	for _, r := range resources {
		c.slot(ownerHash, maphash.String(seed, r)).Add(n)
	}
}

// Own is what the stamp will be when owner itself has added n to the counters of
// resources, if nothing else wrote: for answers of tools that write.
func Own(stamp uint64, owner middleware.Owner, resources []string, n uint64) uint64 {
	var common uint64 // counters of the read that the write counts
	for _, read := range resources {
		for _, written := range resources {
			if read == written {
				common++
			}
		}
	}
	if len(resources) == 0 {
		common = 1
	}
	if owner == (middleware.Owner{}) { // counted as the owner's and as everybody's
		common *= 2
	}
	return stamp + common*n
}
