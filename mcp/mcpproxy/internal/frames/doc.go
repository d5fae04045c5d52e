// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package frames cuts streams of bytes into messages, and has a tap that copies the traffic without making it
// wait: a queue of a fixed size that one goroutine reads.
package frames
