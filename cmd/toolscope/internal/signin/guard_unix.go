// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package signin

import (
	"fmt"
	"os"
	"syscall"
)

// guard has a file or a directory of credentials be the user's alone. It returns what it changed, "" for nothing. What
// others could write may name an address of theirs to send tokens to, so that is an error.
func guard(path string, info os.FileInfo, mode os.FileMode) (changed string, err error) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok && os.Geteuid() != 0 && int(s.Uid) != os.Geteuid() {
		return "", fmt.Errorf("signin: %s: got one of another user, want your own: delete it, and sign in again", path)
	}
	switch got := info.Mode().Perm(); {
	case got&0o022 != 0:
		return "", fmt.Errorf("signin: %s: got mode %04o, with which others could change it, want %04o: "+
			"if you trust what is there, run 'chmod %o' on it, else delete it and sign in again", path, got, mode, mode)
	case got&0o077 != 0:
		if err := os.Chmod(path, mode); err != nil {
			return "", err
		}
		return fmt.Sprintf("%s had mode %04o, with which others could read it, and has %04o now: "+
			"sign out and in again if others use this machine", path, got, mode), nil
	}
	return "", nil
}
