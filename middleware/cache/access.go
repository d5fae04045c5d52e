// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/internal/handoff"
	"github.com/toolscope/toolscope/middleware/internal/reuse"
	"github.com/toolscope/toolscope/toolkit"
)

// ask looks into a store outside the process; recall has looked into one in memory.
func (c *Policy) ask(ctx context.Context, l *look) (err error) {
	switch {
	case c.memory != nil:
	case c.lost.recently(l.key.Reach):
		l.stamp = reuse.Begin // as if a write were under way: nothing is given or stored
	default:
		if l.entry, l.stamp, err = c.outside.get(ctx, l.key); err == nil {
			c.health.Answered()
		}
	}
	return err
}

// set stores an answer. The call may have ended when the store reads the answer.
func (c *Policy) set(ctx context.Context, l *look, entry Entry, keep time.Duration) error {
	if c.memory != nil {
		c.memory.set(l.hash, &l.key, entry)
		return nil
	}
	key, kept := l.key, entry // a copy: what a store outside is given is on the heap
	key.Arguments = key.Arguments.Keep()
	c.lost.stored(keep)
	return c.outside.set(ctx, key, &kept, keep)
}

// failed tells and counts that the store failed: the call goes on without it.
func (c *Policy) failed(call toolkit.Call, err error) {
	c.health.Failed(err)
	call.Record.Tag("cache", "store_error")
}

// writing is a call under way that may write.
type writing struct {
	cache   *Policy
	ctx     context.Context
	call    toolkit.Call
	write   Write
	counted bool // whether the store has counted its begin
}

// begin counts that a write begins. A write of a call without an owner is everybody's.
func (c *Policy) begin(ctx context.Context, call toolkit.Call, tool *toolkit.Definition) writing {
	w := writing{c, ctx, call, Write{c.scope.Writer(call), reuse.Resources(tool)}, true}
	w.counted = w.addToCounters(reuse.Begin)
	c.counts.writes.Add(1)
	return w
}

// ended counts that the write has ended, when its tool has: one that a time limit abandoned
// may write until then. err is what the call ended with; nil if it panicked.
func (w writing) ended(err error) {
	if tool := handoff.AbandonedOf(w.call, err); tool == nil || !w.endsWith(tool) {
		w.end()
	}
}

func (w writing) endsWith(tool *handoff.Abandoned) bool { return tool.OnEnd(w.end) }

// end counts that the tool has ended. What could not be counted when it began is made up
// for.
func (w writing) end() {
	if w.counted {
		w.addToCounters(reuse.End)
		return
	}
	w.addToCounters(reuse.Begin + reuse.End)
}

func (w writing) addToCounters(n uint64) bool {
	c := w.cache
	if c.memory != nil {
		c.memory.counters.Add(reuse.OwnerHash(w.write.Owner), w.write.Resources, n)
		return true
	}
	if err := c.outside.addToCounters(w.ctx, w.write, n); err != nil {
		c.lost.write(w.write.Owner)
		c.failed(w.call, err)
		return false
	}
	return true
}

// lostWrites remembers whose writes a store outside the process has not counted: until
// all that was stored before is too old, this process takes nothing of theirs from it.
type lostWrites struct {
	start time.Time
	until [256]atomic.Int64 // by the owner's hash: nanoseconds since start
	keep  atomic.Int64      // the longest that anything was stored for, nanoseconds
}

// defaultKeep is the least time for which a store is not trusted, as other processes may store
// for longer than this one has.
const defaultKeep = int64(time.Hour)

func (l *lostWrites) slot(o middleware.Owner) *atomic.Int64 {
	return &l.until[reuse.OwnerHash(o)%uint64(len(l.until))]
}

func (l *lostWrites) stored(keep time.Duration) {
	for {
		longest := l.keep.Load()
		if int64(keep) <= longest || l.keep.CompareAndSwap(longest, int64(keep)) {
			return
		}
	}
}

func (l *lostWrites) write(o middleware.Owner) {
	l.slot(o).Store(int64(time.Since(l.start)) + max(l.keep.Load(), defaultKeep))
}

// recently reports whether a write of the owner, or one that is everybody's, was lost.
func (l *lostWrites) recently(o middleware.Owner) bool {
	own, everybodys := l.slot(o).Load(), l.slot(middleware.Owner{}).Load()
	latest := max(own, everybodys)
	return latest > 0 && int64(time.Since(l.start)) < latest
}
