// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package spool keeps spans on disk while their destination does not take them, and sends them
// when it does. A [Spool] is a span exporter in front of an OTLP client, or of any exporter
// ([Around]):
//
//	s, err := spool.New(dir, otlptracegrpc.NewClient(
//		otlptracegrpc.WithRetry(otlptracegrpc.RetryConfig{Enabled: false})), spool.Options{})
//	if err != nil {
//		return err
//	}
//	processor := exporters.NewBatcher(s, exporters.BatchOptions{})
//
// exporters.Options.SpoolDir does all that for a program that uses exporters.Setup.
//
// It stands at the level of the OTLP client, so that spans are turned into protobuf's messages
// once, whether they are sent, written, or both, and what is read after a restart goes
// out as it was.
//
// # Two ways
//
// By default a batch is sent, and written only if the destination does not take it
// within Options.Patience or fails. While something waits, or the destination fails, what comes
// is written at once, behind it. With Options.WriteAhead every batch is written before it is
// sent: then a span that has ended is on disk as soon as its batch is exported, which a batcher with a delay of
// 50 ms does in less than 100 ms.
//
// # What is guaranteed
//
// What ExportSpans has written survives kill -9, and with Options.Sync a loss of power. It is sent
// in the order in which it was written, at least once: twice only if the process ends or
// the connection breaks while a request is under way. While requests take longer than 10 ms and
// all succeed, up to 16 are under way at the same time, so that a distant destination does not
// slow the sending; their order is not defined. Records carry checksums: an end that was torn and
// stretches that were damaged are passed over and counted. No caller waits for the destination
// longer than Options.Patience, or for the disk longer than 1 s. The directory is bounded in bytes and
// spans in age; at the limit those that did not fail go first. While the disk takes nothing, a
// bounded number of spans is kept in memory and sent from there; it is tried again with each
// batch, and the directory is made anew if it was deleted. Files can be read by their owner
// only.
//
// Several processes may use one directory. Each has a folder in it, locked for as long
// as it lives; the folder of one that ended is taken over by one of the others within 5 s, or
// by the next that starts.
//
// Answers are judged by the OTLP specification, and by evidence. What is worth another try is sent again,
// with growing pauses or when the destination says. A refusal is final only if the destination takes an
// empty request right after it: an address with a wrong scheme or port, a login page or a proxy that
// answers 400 loses nothing. What is refused as invalid is dropped and counted, alone and not
// with its batch. A record whose requests time out or break while others are taken is given up
// after the third time; one that fails with UNAVAILABLE or the like is sent after all others.
// [Spool.Stats] counts all of it.
//
// # What is left out
//
// Exactly-once delivery, which OTLP does not have. Encryption: what is on disk is as it
// would be sent, redacted by package tracing. File systems without working locks, such as
// some network ones: use a local directory. Systems other than Linux, macOS, the BSDs and
// Windows have no such lock; there nothing can be written, and Stats says so.
package spool
