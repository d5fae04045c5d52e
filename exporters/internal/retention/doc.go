// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package retention removes one session from the files that are kept: call logs, audit
// logs, and OTLP JSON lines of spans.
//
//	report, err := retention.Forget{Session: "s-42"}.Audit("audit.jsonl")
//
// # How
//
// What goes is overwritten where it stands, with as many bytes: a program that has the
// file open goes on appending to it, and the number of lines stays the same. In a
// call log a line becomes spaces, in an audit log an entry that says that something was
// forgotten and when, in a line of spans the other spans stay. Compressed files are
// written anew and replace the old ones at once.
//
// A run that was interrupted is completed by another one: it finds what is left, and
// a line that is no JSON any more and names the session goes as a whole.
//
// # What is left out
//
// Copies: what a collector, a backend, a backup or the disk itself still has. Logs that
// were redacted name a session as redaction left it, which is what has to be given
// here. The statistics of [stats.Recorder] have Forget methods of their own; histograms
// hold no sessions.
package retention
