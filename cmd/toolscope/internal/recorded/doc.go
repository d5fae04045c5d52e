// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package recorded reads whole sessions: recordings, call logs, audit logs, OTLP JSON lines and transcripts. It is the
// reader of the commands that need each call, unlike package logfile, which adds up calls in bounded memory.
package recorded
