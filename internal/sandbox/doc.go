// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package sandbox passes to a tool what the Permit policy allowed a call to reach, in the call's context. The
// tools that start processes enforce it as far as the system can.
package sandbox
