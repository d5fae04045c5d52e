// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"path/filepath"
	"testing"
	"time"
)

// TestWritingAgain: a disk that works again is no problem any more, and Close reports that something was lost.
func TestWritingAgain(t *testing.T) {
	dir := t.TempDir()
	j := &Journal{options: Options{Directory: dir, MaxBytes: 1 << 20, Retention: time.Hour, Now: time.Now}}
	write := func() {
		t.Helper()
		j.Append([]byte("a record"))
		j.mu.Lock()
		idle := j.idle
		j.mu.Unlock()
		if idle != nil {
			<-idle
		}
	}
	for _, away := range []bool{true, false} {
		if away {
			j.options.Directory = filepath.Join(dir, "away")
		} else {
			j.options.Directory = dir
		}
		write()
		if err := j.Failure(); (err != nil) != away {
			t.Errorf("the directory is away: %t, got the failure %v", away, err)
		}
	}
	if err := j.Close(t.Context()); err == nil {
		t.Error("got nil from close, want the interval that was lost")
	}
}
