// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package frames

import (
	"fmt"
	"testing"
	"time"
)

// Whatever pieces come, and into whatever room they were read, what waits takes no more memory than it may, and as much
// waits as there is memory for. Pieces of 20 KiB, as bodies over HTTP come, once held a MiB each: 16 of them were all.
func TestWhatWaitsIsBoundedByMemory(t *testing.T) {
	for _, tt := range []struct{ piece, room, least int }{
		{1, NarrowRead, 64 << 10},
		{100, WideRead, 4 << 20},
		{SmallBuffer, WideRead, 4 << 20},
		{20 << 10, NarrowRead, 4 << 20},
		{20 << 10, WideRead, 4 << 20},
		{NarrowRead, NarrowRead, 15 << 20},
		{NarrowRead, WideRead, 15 << 20},
		{NarrowRead + 1, WideRead, 15 * NarrowRead},
		{WideRead, WideRead, 15 << 20},
	} {
		t.Run(fmt.Sprintf("%d in %d", tt.piece, tt.room), func(t *testing.T) {
			tap, s := NewTap(), new(Stream)
			b := NewBuffer(tt.room)
			for tap.Lost() == 0 {
				b.Data = b.Room()[:tt.piece]
				tap.Lend(s, time.Now(), b)
				b = b.Instead(tt.room)
			}
			queue, _ := tap.TakeQueue(nil)
			kept, taken := 0, 0
			for i := range queue {
				kept += len(queue[i].Data.Data)
				taken += cap(queue[i].Data.Data) + perChunk
			}
			if kept < tt.least || taken > MaxHeld {
				t.Errorf("got %d bytes in %d of memory, want %d or more in %d or less", kept, taken, tt.least, MaxHeld)
			}
		})
	}
}
