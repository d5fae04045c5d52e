// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpclients

import (
	"fmt"
	"io"
	"os"
)

// ReadFile reads a client's file. Pipes and devices, which may have no end, are an error, as are directories.
func ReadFile(path string) ([]byte, error) {
	info, err := os.Stat(path) // before it is opened: that waits for the writer of a pipe
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: got %s, want a regular file", path, kindOf(info.Mode()))
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("%s: got more than %d bytes, want at most as many", path, maxFile)
	}
	return text, err
}

// kindOf names what is no regular file.
func kindOf(mode os.FileMode) string {
	switch {
	case mode.IsDir():
		return "a directory"
	case mode&os.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&os.ModeDevice != 0:
		return "a device"
	case mode&os.ModeSocket != 0:
		return "a socket"
	}
	return "something else"
}
