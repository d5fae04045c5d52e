// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package spoolcmd is the command "toolscope spool".
package spoolcmd
