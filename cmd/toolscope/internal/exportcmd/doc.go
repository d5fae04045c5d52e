// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package exportcmd is the command toolscope export.
package exportcmd
