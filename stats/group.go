// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
)

// group is an error group. Its estimate is at most over above the truth; open is
// what was counted since the last seal.
type group struct {
	id                           uint64
	tool, kind, message, example string
	estimate, over, open         uint64
	first, last                  int64
	traces                       [maxTraces][16]byte // the latest first; zero ones are none
	at                           int                 // in the heap
}

// groupSize is what a group holds beside its texts, with its places in map and
// heap.
const groupSize = 360

// export is the group as readers see it, without its counts.
func (g *group) export(by *steadyClock) ErrorGroup {
	e := ErrorGroup{
		ID: idText(g.id), Tool: g.tool, Type: g.kind, Message: g.message, Example: g.example,
		FirstSeen: by.wall(g.first), LastSeen: by.wall(g.last),
	}
	for _, id := range g.traces {
		if id != [16]byte{} {
			e.TraceIDs = append(e.TraceIDs, hex.EncodeToString(id[:]))
		}
	}
	return e
}

func groupID(tool, kind, message string) uint64 {
	sum := sha256.Sum256([]byte(tool + "\x00" + kind + "\x00" + message))
	return binary.BigEndian.Uint64(sum[:])
}

func idText(id uint64) string {
	if id == 0 {
		return ""
	}
	return fmt.Sprintf("%016x", id)
}

// groupHeap has the least frequent group first, and of those the one that was
// seen last the longest time ago.
type groupHeap []*group

func (h groupHeap) Len() int { return len(h) }
func (h groupHeap) Less(i, j int) bool {
	if h[i].estimate != h[j].estimate {
		return h[i].estimate < h[j].estimate
	}
	return h[i].last < h[j].last
}
func (h groupHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].at, h[j].at = i, j
}
func (h *groupHeap) Push(x any) {
	g := x.(*group)
	g.at = len(*h)
	*h = append(*h, g)
}
func (h *groupHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
