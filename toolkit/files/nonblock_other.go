// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package files

// nonblock is 0 where opening a file does not wait for others.
const nonblock = 0
