// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package announce

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
)

// place is where the directory is, or would be.
func place() (string, error) {
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "toolscope"), nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("announce: got no $XDG_RUNTIME_DIR and no cache directory: %w", err)
	}
	return filepath.Join(dir, "toolscope", "running"), nil
}

// directory makes the directory if need be.
func directory() (string, error) {
	dir, err := place()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("announce: %w", err)
	}
	return dir, check(dir)
}

// check refuses a directory that others could write to.
func check(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("announce: %w", err)
	}
	if !info.IsDir() || runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("announce: %s: got %v, want a directory that no other user may write to", dir, info.Mode())
	}
	return nil
}

// isLoopback tells whether a host is this machine's loopback, or stands for any of
// its addresses.
func isLoopback(host string) (local, every bool) {
	if host == "localhost" {
		return true, false
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return false, false
	}
	return ip.Unmap().IsLoopback(), ip.IsUnspecified()
}
