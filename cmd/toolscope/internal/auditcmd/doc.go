// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package auditcmd is the command that verifies and shows audit logs.
package auditcmd
