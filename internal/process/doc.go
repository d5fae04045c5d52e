// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package process runs the child processes of tools: each in a process group of its
// own that is ended with it, for a limited time, with output of a limited size, and
// where the system has them within walls ([Walls]).
package process
