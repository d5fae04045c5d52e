// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"context"
	"fmt"
	"path/filepath"
	"time"
)

// Walls are what a process is kept within by the system. The zero value is none.
type Walls struct {
	PID     bool   // a PID namespace of its own, with which all its processes end (Linux)
	Network bool   // a network namespace of its own, which has no network (Linux)
	Reach   *Reach // nil: the process reaches every file that its user may
}

// A Reach is the files that a process and its descendants reach, whatever their user
// may: Landlock, of Linux since 5.13. Paths that do not exist are passed over. The
// process also gets no new privileges: sudo and the like do not work.
type Reach struct {
	List  []string // directories whose entries may be listed, with all below
	Read  []string // files, and directories with all below, to read and execute
	Write []string // the same to read, execute and write
	// Offline refuses TCP connections, where the kernel knows how (since 6.7).
	Offline bool
}

// checkTime is how long [Check] waits at most.
const checkTime = 10 * time.Second

// Check tries whether this machine can keep a process within the walls, by running a
// program that must succeed within them.
func Check(w Walls, env []string, program string, args ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), checkTime)
	defer cancel()
	ended, err := Command{Path: program, Args: args, Env: env, Limit: checkTime, MaxOutput: 1 << 10, Walls: w}.Run(ctx)
	switch {
	case err != nil:
		return err
	case !ended.State.Success():
		return fmt.Errorf("%s, tried within them, ended by %v", filepath.Base(program), ended.State)
	}
	return nil
}
