// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"fmt"
	"testing"
	"time"
)

// Whatever pieces come, and into whatever room they were read, what waits takes no more memory than it may, and as much
// waits as there is memory for. Pieces of 20 KiB, as bodies over HTTP come, once held a MiB each: 16 of them were all.
func TestWhatWaitsIsBoundedByMemory(t *testing.T) {
	for _, tt := range []struct{ piece, room, least int }{
		{1, narrowRead, 64 << 10},
		{100, wideRead, 4 << 20},
		{smallBuffer, wideRead, 4 << 20},
		{20 << 10, narrowRead, 4 << 20},
		{20 << 10, wideRead, 4 << 20},
		{narrowRead, narrowRead, 15 << 20},
		{narrowRead, wideRead, 15 << 20},
		{narrowRead + 1, wideRead, 15 * narrowRead},
		{wideRead, wideRead, 15 << 20},
	} {
		t.Run(fmt.Sprintf("%d in %d", tt.piece, tt.room), func(t *testing.T) {
			tap, s := newTap(), new(stream)
			b := newBuffer(tt.room)
			for tap.lost() == 0 {
				b.data = b.room()[:tt.piece]
				tap.lend(s, time.Now(), b)
				b = b.instead(tt.room)
			}
			queue, _ := tap.takeQueue(nil)
			kept, taken := 0, 0
			for i := range queue {
				kept += len(queue[i].data.data)
				taken += cap(queue[i].data.data) + perChunk
			}
			if kept < tt.least || taken > maxHeld {
				t.Errorf("got %d bytes in %d of memory, want %d or more in %d or less", kept, taken, tt.least, maxHeld)
			}
		})
	}
}
