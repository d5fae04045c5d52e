// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package shell gives an agent a shell: the tool shell_run runs one command line
// in a work directory and answers with exit code, duration, stdout and stderr.
//
//	tool, err := shell.New(shell.Options{Dir: workspace})
//	err = registry.Register(tool)
//
// What takes longer runs in the background: [NewJobs] gives the tools shell_start,
// shell_poll and shell_stop.
//
// # What is guaranteed
//
// The command gets a clean environment, no input, and a process group of its own
// that is killed when the time is over, when the caller gives up, and when the shell
// has ended and left processes behind. Memory stays bounded whatever the command
// prints: the beginning and the end of each stream are kept. A command that fails is
// an answer, not an error; one that was killed is a failure of type timeout or
// canceled whose answer keeps what was printed.
//
// # What is left out
//
// Without [Options.Confine], which needs Landlock, this is no sandbox: the command may
// read and write whatever the user of the process may. Put a permission policy in front of
// it either way. A process that leaves its
// group is found again on Linux by a mark in its environment, unless it clears that
// too; with [Options.PIDNamespace] nothing survives. Elsewhere a process that detaches
// itself may live on; the answer says so where that can be noticed. Systems other
// than Unix are refused by [New].
package shell
