// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing

import (
	"slices"

	"go.opentelemetry.io/otel/attribute"

	"github.com/toolscope/toolscope/redact"
)

// redactedAttributes are what a span tells of the findings in a call's content. Calls of
// one tool have the same secrets at the same places, so the last ones are kept.
type redactedAttributes struct {
	findings  redact.Findings
	arguments int // the first ones are in the arguments, the rest in the result
	list      []attribute.KeyValue
}

// redacted makes the attributes of findings, or finds those of the last call. The list must
// not be changed.
func (i *toolInfo) redacted(findings redact.Findings, arguments int) []attribute.KeyValue {
	if last := i.found.Load(); last != nil && last.arguments == arguments && slices.Equal(last.findings, findings) {
		return last.list
	}
	made := &redactedAttributes{findings: slices.Clone(findings), arguments: arguments, list: []attribute.KeyValue{
		keyRedactedCount.Int(findings.Count()),
		keyRedactedKinds.StringSlice(kindsOf(findings)),
		keyRedactedPaths.StringSlice(pathsOf(findings, arguments)),
	}}
	i.found.Store(made)
	return made.list
}

// kindsOf lists the different kinds found, sorted.
func kindsOf(f redact.Findings) []string {
	kinds := make([]string, 0, len(f))
	for _, finding := range f {
		kinds = append(kinds, finding.Kind)
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// maxPaths is how many places of removed values a span names.
const maxPaths = 16

// pathsOf tells what was removed from which part of a call, as kind@part/path, with the path
// as a JSON Pointer.
func pathsOf(f redact.Findings, arguments int) []string {
	paths := make([]string, 0, min(len(f), maxPaths))
	for i := range f[:min(len(f), maxPaths)] {
		part := "result"
		if i < arguments {
			part = "arguments"
		}
		paths = append(paths, valid(f[i].Kind+"@"+part+f[i].Path))
	}
	return paths
}
