// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package replay reads recorded sessions, makes their calls again, and gives the recorded answers as a registry, so that
// an agent's test runs offline.
//
// It reads recordings and call logs of the command toolscope (docs/recordings.md). For other files there is "toolscope
// replay".
package replay
