// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing

import (
	"hash/maphash"
	"reflect"
	"strings"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
)

// talks remembers the start options of tools' calls in conversations, which come again with
// call after call. Its size is fixed: a conversation may take another's place.
type talks struct {
	seed  maphash.Seed
	slots [256]atomic.Pointer[talk]
}

// talk are the start options of a tool's calls in a conversation.
type talk struct {
	info  *toolInfo
	raw   string
	start []trace.SpanStartOption
}

// startOptions are the start options of a tool's calls in a conversation, whose id name makes fit to
// leave. Safe for concurrent use.
func (t *talks) startOptions(info *toolInfo, conversation string, name func(string) string) []trace.SpanStartOption {
	if len(conversation) > maxIdentifier { // is not kept in memory
		return info.inConversation(name(conversation))
	}
	slot := &t.slots[(maphash.String(t.seed, conversation)+uint64(reflect.ValueOf(info).Pointer())*spread)>>56]
	if known := slot.Load(); known != nil && known.info == info && known.raw == conversation {
		return known.start
	}
	made := info.inConversation(name(conversation))
	slot.Store(&talk{info, strings.Clone(conversation), made})
	return made
}

// inConversation makes the start options of calls in a conversation. All attributes are in
// one option, since the API copies what it has for each.
func (i *toolInfo) inConversation(id string) []trace.SpanStartOption {
	attributes := append([]attribute.KeyValue(nil), i.atStart...)
	attributes = append(attributes, keyConversation.String(id))
	return append([]trace.SpanStartOption{trace.WithAttributes(attributes...)}, i.start[1:]...)
}
