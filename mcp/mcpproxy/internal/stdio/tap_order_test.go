// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stdio

import (
	"io"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/frames"
)

// A server that answered before the copier came to give its copy to the tap had the answer
// looked at first: it belonged to no call, and the call ran for ever and was in no log. On a
// busy machine that were 2 to 5 of 100 calls.
func TestARequestIsQueuedBeforeItsAnswer(t *testing.T) {
	for name, size := range map[string]int{"small": 100, "large": 3 * frames.SmallBuffer} {
		t.Run(name, func(t *testing.T) {
			pipe := func() (r, w *os.File) {
				r, w, err := os.Pipe()
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _, _ = w.Close(), r.Close() })
				return r, w
			}
			from, client := pipe()
			server, to := pipe()
			tap, requests, answers := frames.NewTap(), &frames.Stream{}, &frames.Stream{}
			done := make(chan struct{})
			go func() {
				defer close(done)
				(&copier{to: to, from: from, tap: tap, stream: requests, exited: new(atomic.Bool)}).copyAll()
			}()
			defer func() { _ = client.Close(); <-done }() // which ends the copier
			message := make([]byte, size)
			for i := range 500 {
				if _, err := client.Write(message); err != nil {
					t.Fatal(err)
				}
				if _, err := io.ReadFull(server, make([]byte, size)); err != nil {
					t.Fatal(err)
				}
				tap.CopyBytes(answers, time.Now(), []byte("answer"))
				queue, _ := tap.TakeQueue(nil)
				before := 0
				for j := range queue {
					if queue[j].Stream == answers {
						break
					}
					before += len(queue[j].Data.Data)
				}
				if before != size {
					t.Fatalf("message %d: got %d of %d bytes in the queue before the answer", i, before, size)
				}
			}
		})
	}
}
