// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"io"
	"os"
	"runtime"
)

// Colored reports whether a tree on w should have colours: w is a terminal, NO_COLOR
// (https://no-color.org) is not set, TERM is not "dumb", and it is not Windows, where
// older consoles would print the codes.
func Colored(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" || runtime.GOOS == "windows" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// A style adds a terminal's codes, or nothing.
type style bool

func (s style) code(number, text string) string {
	if !s || text == "" {
		return text
	}
	return "\x1b[" + number + "m" + text + "\x1b[0m"
}

func (s style) bold(text string) string  { return s.code("1", text) }
func (s style) faint(text string) string { return s.code("2", text) }
func (s style) red(text string) string   { return s.code("31", text) }
