// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package programs finds the programs on this machine that serve their statistics, and asks them,
// and others by their URLs, over HTTP.
package programs
