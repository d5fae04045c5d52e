// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Command recall scores the redactor on a labelled corpus: JSON lines, gzipped or
// not, with a text and either must_redact (secrets that must not survive) or
// must_keep (harmless values that must).
//
//	go run ./internal/recall CORPUS.jsonl.gz
//
// A secret is caught when no run of max(8, half its length) of its characters is
// left in the output, nor in any string that decoding the output as JSON gives.
// A harmless text is harmed when a value it must keep is gone.
package main
