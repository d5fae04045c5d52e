// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package linefile appends lines to files, which several processes may do at a time, and reads the lines of files. Call
// logs, recordings and audit logs are written and read by it.
package linefile
