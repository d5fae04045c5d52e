// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package bash reads a command line as bash would and lists what it starts: every
// simple command, wherever it hides (lists, pipes, loops, substitutions,
// here-documents, the arguments of env, xargs, find -exec, sh -c and their like), every
// redirection, every assignment.
//
//	line := bash.Parse("git log | xargs -n1 git show")
//	line.Programs() // git xargs git
//
// What cannot be determined without running the line is a [Doubt]: a command name that is
// computed, code for another interpreter, a variable that changes what names mean.
// A line without doubts starts the listed commands and no others, as far as the
// shell itself and the programs of this package's tables go. It cannot know that some
// program starts another by itself: a Makefile, a hook, a script with a harmless
// name. Rules about such programs belong to the caller.
//
// Nothing is run, no file is read, no variable of the process is looked up. Work is
// bounded by the length of the line, at most [MaxLength], and by depth.
package bash
