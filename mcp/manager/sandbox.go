// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/toolscope/toolscope/internal/process"
)

// The values of [Sandbox].Files.
const (
	noFiles    = "none"
	readFiles  = "read"
	writeFiles = "readwrite"
)

// A Sandbox is what a child process and its descendants are kept within by Linux
// (Landlock: 5.13 or later, 6.7 to refuse connections); where the system cannot, the server
// does not start. The zero value allows least.
type Sandbox struct {
	// Network allows TCP. Other protocols are not refused.
	Network bool
	// Files is what may be done with Paths, absolute ones, and all below them: "none", which is the
	// default, "read" or "readwrite". What programs need of the system (/usr, /etc and the like) can be read and executed, and so
	// can the directories of PATH and the program's own.
	Files string
	Paths []string
}

// base is what programs need of the system. /proc/self is not among it: opened here, it is
// this process's, with its environment.
var base = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix/store",
	"/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/version",
}

// check returns an error that names the field that is wrong.
func (b *Sandbox) check() error {
	switch b.Files {
	case "", noFiles, readFiles, writeFiles:
	default:
		return fmt.Errorf("Sandbox.Files: got %.40q, want %q, %q or %q", b.Files, noFiles, readFiles, writeFiles)
	}
	for i, path := range b.Paths {
		if !filepath.IsAbs(path) {
			return fmt.Errorf("Sandbox.Paths[%d]: got a path that is not absolute, want one that is", i)
		}
	}
	return nil
}

// walls are those of a process that runs program with env; nil has none.
func (b *Sandbox) walls(program string, env map[string]string) (process.Walls, error) {
	if b == nil {
		return process.Walls{}, nil
	}
	if !b.Network && !process.RefusesTCP() {
		return process.Walls{}, errors.New("Server.Sandbox.Network: got false, but this system cannot refuse " +
			"connections (Linux 6.7 or later with Landlock can), want true")
	}
	path, ok := env["PATH"]
	if !ok {
		path = os.Getenv("PATH")
	}
	read := slices.Concat(base,
		slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool { return !filepath.IsAbs(dir) }))
	for _, p := range []string{program, resolved(program)} {
		if filepath.IsAbs(p) {
			read = append(read, filepath.Dir(p))
		}
	}
	reach := &process.Reach{Read: read, Offline: !b.Network}
	switch b.Files {
	case readFiles:
		reach.Read = append(reach.Read, b.Paths...)
	case writeFiles:
		reach.Write = b.Paths
	}
	return process.Walls{Reach: reach}, nil
}

// resolved is a path without symbolic links, as far as that is known.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}
