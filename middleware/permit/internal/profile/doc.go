// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package profile knows which subcommands and options of programs are safe, as data: profiles.txt. A level of a
// program includes the levels above it. What a profile does not list is not safe: unknown and abbreviated
// options, other subcommands.
package profile
