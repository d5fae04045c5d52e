// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package signin

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What others could read is repaired, and what they could write is refused, each with a line that says so.
func TestModesOfCredentials(t *testing.T) {
	s, dir := protected(t), filepath.Join(t.TempDir(), "oauth")
	over, c, _ := signing(t, s, dir)
	call(t, over, s, "read")
	for _, tt := range []struct {
		path      string
		mode, now os.FileMode
		status    int
		want      string
	}{
		{c.path, 0o644, 0o600, http.StatusOK, "had mode 0644"}, {dir, 0o755, 0o700, http.StatusOK, "had mode 0755"},
		{c.path, 0o620, 0o620, http.StatusBadGateway, "others could change it"},
		{dir, 0o770, 0o770, http.StatusBadGateway, "others could change it"},
	} {
		if err := os.Chmod(tt.path, tt.mode); err != nil {
			t.Fatal(err)
		}
		over, _, p := signing(t, s, dir)
		status, text := call(t, over, s, "read")
		if status != tt.status || !strings.Contains(p.heard()+text, tt.want) {
			t.Errorf("%o: got %d %s, and said %q", tt.mode, status, text, p.heard())
		}
		if info, err := os.Stat(tt.path); err != nil || info.Mode().Perm() != tt.now {
			t.Errorf("%o: got %v, %v, want %o", tt.mode, info.Mode(), err, tt.now)
		}
		if err := os.Chmod(tt.path, tt.now&0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(c.path, c.path+".moved"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(c.path+".moved", c.path); err != nil {
		t.Fatal(err)
	}
	over, _, _ = signing(t, s, dir)
	if status, text := call(t, over, s, "read"); status != http.StatusBadGateway || !strings.Contains(text, "no regular file") {
		t.Errorf("a link: got %d %s", status, text)
	}
}
