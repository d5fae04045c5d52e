// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package dialect adds the attributes of other conventions to toolscope's spans when they are exported, for
// backends that do not read the OpenTelemetry conventions for generative AI.
//
//	exporter = dialect.New(exporter, []string{"openinference"})
//
// The recorded span stays as it is. Every added value is a constant or a copy of an attribute that toolscope
// has set, so it is redacted and truncated as that one is. A key that the span has already keeps its value.
package dialect
