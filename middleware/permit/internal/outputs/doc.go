// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package outputs knows which files a command line writes: by redirections, operands of well-known
// programs, and options such as --output.
package outputs
