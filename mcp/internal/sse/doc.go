// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package sse cuts streams of server-sent events into events, byte for byte, in bounded memory.
package sse
