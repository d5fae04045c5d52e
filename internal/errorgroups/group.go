// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package errorgroups

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"time"
)

const (
	// MaxText is how many bytes of an error's text are kept at most.
	MaxText = 1024
	// MaxTraces is how many trace ids of a group are kept at most.
	MaxTraces = 5
	// GroupSize is how many bytes a group holds in addition to its message and example, with its
	// places in map and heap.
	GroupSize = 360
)

// A Group is an error group. Open is what was counted since the last [Table.TakeOpen].
type Group struct {
	ID                           uint64
	Tool, Kind, Message, Example string
	Open                         uint64
	First, Last                  int64
	Traces                       [MaxTraces][16]byte // the latest first; zero ones are none

	slot     any    // what Slot made; nil before the first call of Slot
	estimate uint64 // at least the true number
	at       int    // in the heap
}

// A View is a group as readers see it. Its fields are those of stats.ErrorGroup, which explains
// them, so that one converts to the other.
type View struct {
	ID, Tool, Type, Message, Example string
	Count, CountMax                  uint64
	Trend                            []uint64
	FirstSeen, LastSeen              time.Time
	TraceIDs                         []string
}

// view is the group without its counts.
func (g *Group) view(wall func(int64) time.Time) View {
	v := View{
		ID: IDText(g.ID), Tool: g.Tool, Type: g.Kind, Message: g.Message, Example: g.Example,
		FirstSeen: wall(g.First), LastSeen: wall(g.Last),
	}
	for _, id := range g.Traces {
		if id != [16]byte{} {
			v.TraceIDs = append(v.TraceIDs, hex.EncodeToString(id[:]))
		}
	}
	return v
}

// ID is the id of the group of a tool, an error.type and a normalised message. It is the same in
// every process.
func ID(tool, kind, message string) uint64 {
	sum := sha256.Sum256([]byte(tool + "\x00" + kind + "\x00" + message))
	return binary.BigEndian.Uint64(sum[:])
}

// IDText is an id in hexadecimal digits; "" for 0, which is none.
func IDText(id uint64) string {
	if id == 0 {
		return ""
	}
	return fmt.Sprintf("%016x", id)
}

// groupHeap has the least frequent group first, and of those the one that was
// seen last the longest time ago.
type groupHeap []*Group

func (h groupHeap) Len() int { return len(h) }
func (h groupHeap) Less(i, j int) bool {
	if h[i].estimate != h[j].estimate {
		return h[i].estimate < h[j].estimate
	}
	return h[i].Last < h[j].Last
}
func (h groupHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].at, h[j].at = i, j
}
func (h *groupHeap) Push(x any) {
	g := x.(*Group)
	g.at = len(*h)
	*h = append(*h, g)
}
func (h *groupHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
