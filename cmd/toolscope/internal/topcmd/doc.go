// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package topcmd is the command toolscope top: where its view gets what it shows.
package topcmd
