// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package configcmd is the command toolscope config.
package configcmd
