// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package mcpcmd

// lockDir does nothing: a directory cannot be locked there.
func lockDir(string) (unlock func(), err error) { return func() {}, nil }
