// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package adaptertest has the tests that any adapter of an agent framework must pass. They let the
// framework's own loop run, with a scripted model, and compare what toolscope recorded with what
// happened:
//
//	func TestConformance(t *testing.T) {
//		adaptertest.Run(t, adaptertest.Framework{Run: run})
//	}
//
// A framework that cannot pass a row names it with the reason, in [Framework.Cannot]. A row that
// is named and passes is an error too, so that the table is true. Run compares the table with the
// file conformance.txt in the adapter's directory; `ADAPTERTEST_UPDATE=1 go test` rewrites it.
package adaptertest
