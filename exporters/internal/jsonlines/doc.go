// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package jsonlines exports spans to files of OTLP JSON, one object a line, as the
// OpenTelemetry file exporter's specification says
// (https://opentelemetry.io/docs/specs/otel/protocol/file-exporter/):
//
//	e, err := jsonlines.New("/var/lib/agent/traces", jsonlines.Options{})
//	if err != nil {
//		return err
//	}
//	provider := trace.NewTracerProvider(trace.WithSpanProcessor(exporters.NewBatcher(e, exporters.BatchOptions{})))
//
// [exporters.Options].JSONLines does that as one destination of several. A collector's
// otlpjsonfile receiver reads the files, and each line can be sent as it is to
// an OTLP endpoint over HTTP with the content type application/json.
//
// # What is guaranteed
//
// A file is written by one process only, so several may share a directory. A
// batch is written with one call; what a full disk took of it is cut off again, the
// batch is an error of ExportSpans, and the next one is tried as if nothing had
// been. A process that is killed leaves at most the last line of its file torn, and
// no process appends to that file again. Files are set aside by size and age and
// compressed; the oldest are removed beyond the limits of number, bytes and age.
// Directories are made with mode 0700 and files with 0600. A file or a directory that
// another process removes while it is in use is made anew.
//
// # What is left out
//
// Metrics and logs. Waiting for the disk: a file is synced when it is set aside and
// at Shutdown, so that a power failure can take what the system had not yet
// written. Redaction: it was done before.
package jsonlines
