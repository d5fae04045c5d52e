// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package pins compares the tools that a server lists with those that a user has accepted, stores these, and removes
// other ones from what the server sends.
package pins
