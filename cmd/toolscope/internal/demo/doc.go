// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package demo is the session that `toolscope demo` runs: a scripted model that
// uses real tools on real data through a wrapped registry, with the troubles a
// real session has. It serves what stands for the web to itself, on a loopback address,
// and needs no network.
package demo
