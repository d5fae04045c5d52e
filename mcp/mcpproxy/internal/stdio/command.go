// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stdio

import "os"

// A Command is a server that speaks over its standard input and output, and the client's
// ends of both.
type Command struct {
	Path string   // as exec.LookPath finds it
	Args []string // with the name that the server is to have first
	Env  []string // nil is this process's
	// Stdin, Stdout and Stderr are the client's ends. They are closed as the server closes
	// its own.
	Stdin, Stdout, Stderr *os.File
	// Signals are passed on to the server; nil passes none.
	Signals <-chan os.Signal
}

// An Exit is how a server ended.
type Exit struct {
	Code   int       // of the process, -1 if a signal ended it
	Signal os.Signal // nil if none did
}
