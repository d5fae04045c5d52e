// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package python lets an agent compute with Python: the tool python_run runs a program
// in a process of its own and answers with exit code, duration and what was printed.
//
//	tool, err := python.New(python.Options{Level: python.Strict})
//	err = registry.Register(tool)
//
// # What is guaranteed
//
// A program gets no input, an empty directory that is removed afterwards, a clean
// environment, limits of memory and time, and output of a bounded size. Its processes are
// killed when the time is over. A program that fails is an answer, not an error.
//
// At [Standard] and [Strict] a guard in the child reads the program with Python's own
// parser before anything runs, and refuses modules, builtins, attributes and syntax that
// the level does not allow, all of them at once. While the program runs, modules are stand-ins that
// hold public names only, attributes are read through the guard, and the interpreter
// itself ends the process if it is asked for files, processes, sockets or foreign code.
//
// Around that stand walls of the system, as far as the machine has them: Landlock keeps the
// process to Python's own files, a network namespace from the network, and a PID
// namespace ends what it started. The tool's description says which there are;
// [Options.RequireWalls] insists on all.
//
// # What is left out
//
// A guard inside the interpreter is an obstacle and no wall: Python was not made for it.
// Where the walls are missing, and at [Lenient], a program can do in the end what the
// user of the process can. Root's processes are not limited in number. Python 3.8 and
// later are taken, on Unix systems. Without one the tool exists, says so in its description, and
// answers each call with a failure.
package python
