// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package shell holds what is known of a command line: its commands, words, redirections,
// variables and doubts, and the options of a command's words. Package bash fills it in.
package shell
