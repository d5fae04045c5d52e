// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package secretfile warns of files with secrets that others than their owner can read.
package secretfile

import (
	"log/slog"
	"os"
	"runtime"
	"sync"
)

var warned sync.Map // paths

// Warn logs once for each path, on the default logger, that group or others can read the file of a secret. Windows has
// no such modes: there it does nothing. What is no regular file, such as a pipe, is not looked at.
func Warn(path string) {
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS == "windows" || !info.Mode().IsRegular() || info.Mode().Perm()&0o044 == 0 {
		return
	}
	if _, before := warned.LoadOrStore(path, true); !before {
		slog.Warn("a file with a secret can be read by its group or by others: chmod 600",
			"file", path, "mode", info.Mode().Perm().String())
	}
}
