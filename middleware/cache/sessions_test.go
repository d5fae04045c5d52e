// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package cache_test

import (
	"strconv"
	"testing"

	"github.com/toolscope/toolscope/middleware/cache"
)

// More sessions than fit take no more than the bytes told, and none is given another's answer.
func TestManySessions(t *testing.T) {
	const sessions = 50_000 // several times what fits
	c, err := cache.New(cache.Options{MaxBytes: 4 << 20})
	if err != nil {
		t.Fatal(err)
	}
	handle := observed(search, c)
	read := call("", "search", `{"q":1}`)
	for i := range sessions {
		if res, err := handle(in(session("t", strconv.Itoa(i))), read); err != nil || len(res.Output) != 500 {
			t.Fatalf("%d: got %v, %v", i, res, err)
		}
	}
	if s := c.Stats(); s.Hits != 0 || s.Fills != uint64(sessions) {
		t.Errorf("got %+v, want that no session was given another's answer", s)
	}
	if n := cache.Bytes(c); n > 4<<20 {
		t.Errorf("%d bytes, want at most 4 MiB", n)
	}
}
