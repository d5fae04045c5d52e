// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stdio

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/frames"
)

// The client's pipes are widened, too, but not made narrower than the client made them, and what is no pipe is left alone.
func TestPipesAreOnlyWidened(t *testing.T) {
	for _, before := range []int{frames.NarrowRead, frames.WideRead, 2 * frames.WideRead} {
		r, w, err := newPipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		defer w.Close()
		if _, err := unix.FcntlInt(w.Fd(), unix.F_SETPIPE_SZ, before); err != nil {
			t.Logf("no pipe of %d here: %v", before, err)
			continue
		}
		widen(r, w)
		after, err := unix.FcntlInt(r.Fd(), unix.F_GETPIPE_SZ, 0)
		if err != nil || after < before || after > max(before, frames.WideRead) {
			t.Errorf("a pipe of %d: got %d and %v", before, after, err)
		}
	}
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	widen(file)
}
