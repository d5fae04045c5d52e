// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing

import (
	"go.opentelemetry.io/otel/attribute"

	"github.com/toolscope/toolscope/internal/errtype"
	"github.com/toolscope/toolscope/toolkit"
)

// tags remembers the keys of policies' tags as attributes, and their values as they are redacted: most come
// again with call after call.
type tags struct {
	keys, values cleanNames
	safe         *errtype.Guard
}

// key is the attribute's key. A key that is not safe to export is replaced: see [errtype.NewKeys].
func (t *tags) key(tag string) attribute.Key {
	return attribute.Key(t.keys.cleanName(tag, func(tag string) string { return prefix + t.safe.Export(tag) }))
}

// tag adds what a policy told.
func (a *attributes) tag(o *Observer, t toolkit.Tag) {
	switch key := o.tags.key(t.Key); {
	case t.Value == "":
	case t.Varies():
		a.text(key, o.identifier(t.Value))
	default:
		a.text(key, o.tags.values.cleanName(t.Value, o.clean))
	}
}
