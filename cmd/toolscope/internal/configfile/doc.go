// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package configfile opens configuration files with the sections that the command knows in addition to the
// core's: "redis", for policies that share their state, and "recording", for recorded sessions.
package configfile
