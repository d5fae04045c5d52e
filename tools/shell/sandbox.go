// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/toolscope/toolscope/internal/process"
	"github.com/toolscope/toolscope/internal/sandbox"
)

// unconfined begins the answer of a command that a rule allows on a machine without the sandbox.
const unconfined = "note: this machine cannot confine commands (Landlock, Linux 5.13 or later): " +
	"it ran with all rights of the user\n"

// confined is a command with what the permission gate allows it to reach. done removes its temporary directory. note
// says what the machine cannot enforce.
func (o Options) confined(s *sandbox.Sandbox, line string, limit time.Duration) (c process.Command, done func(), note string) {
	c, done = o.command(line, limit), func() {}
	switch {
	case s == nil || o.Confine != nil: // the application's own confinement stays
		return c, done, ""
	case s.Workspace == nil:
		if process.Confines() {
			c.Reach = &process.Reach{Write: []string{"/"}} // other processes are out of reach for a confined one
		}
		return c, done, ""
	case !process.Confines():
		return c, done, unconfined
	}
	temporary, err := os.MkdirTemp("", "toolscope-shell-")
	if err == nil {
		done = func() { _ = os.RemoveAll(temporary) }
		c.Env = append(slices.Clone(c.Env), "TMPDIR="+temporary)
	}
	reach := &process.Reach{Read: slices.Concat(system, o.programs()), Offline: !s.Network, Write: []string{temporary}}
	for _, dir := range append(slices.Clone(s.Workspace), o.Dir) {
		if !slices.Contains(reach.List, dir) {
			open := survey(dir, s.Git)
			reach.List = append(reach.List, dir)
			reach.Read, reach.Write = append(reach.Read, open.read...), append(reach.Write, open.write...)
		}
	}
	home, _ := os.UserHomeDir()
	reach.Read = append(reach.Read, filepath.Join(home, ".gitconfig"), filepath.Join(home, ".config/git/config"))
	for _, name := range s.Caches {
		c.Env = caches[name].open(reach, home, s.Network, c.Env)
	}
	// A directory that looks like a bare repository has settings, and git would execute them.
	c.Env = append(c.Env, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.bareRepository", "GIT_CONFIG_VALUE_0=explicit")
	c.Reach = reach
	if reach.Offline && !process.RefusesTCP() {
		note = "note: this kernel cannot refuse TCP connections (Linux 6.7 or later can)\n"
	}
	return c, done, note
}
