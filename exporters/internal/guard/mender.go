// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import "go.opentelemetry.io/otel/sdk/resource"

// resources is a resource with what is sent instead of it, which may be itself.
type resources struct{ given, sent *resource.Resource }

// note counts what was mended.
func (e *Exporter) note(m *mender) {
	e.invalid.Add(uint64(m.invalid))
	e.cut.Add(uint64(m.cut))
	e.dropped.Add(uint64(m.dropped))
}

// A mender makes what fits, and counts.
type mender struct {
	limits                *Limits
	invalid, cut, dropped int
}
