// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"
)

// An Encoder is a client that only writes what it is given in protobuf. It gets what was on disk as it was,
// in messages that hold nothing but bytes: to decode spans and encode them again is most of the work of
// sending them. [Count] counts them.
type Encoder interface{ OnlyEncodes() bool }

// encoded makes messages of a record's payload without decoding the spans; ok is false if it cannot.
func encoded(payload []byte) (all []*tracepb.ResourceSpans, ok bool) {
	const resourceSpans = 1 // field of TracesData
	for len(payload) > 0 {
		number, kind, tag := protowire.ConsumeTag(payload)
		if tag < 0 || number != resourceSpans || kind != protowire.BytesType {
			return nil, false
		}
		message, n := protowire.ConsumeBytes(payload[tag:])
		if n < 0 {
			return nil, false
		}
		r := new(tracepb.ResourceSpans)
		r.ProtoReflect().SetUnknown(message)
		all, payload = append(all, r), payload[tag+n:]
	}
	return all, true
}

// Count is how many spans there are, also where they are encoded.
func Count(all []*tracepb.ResourceSpans) int {
	const scopeSpans, spans = 2, 2 // fields of ResourceSpans and ScopeSpans
	n := count(all)
	for _, r := range all {
		fields(r.ProtoReflect().GetUnknown(), scopeSpans, func(scope []byte) {
			fields(scope, spans, func([]byte) { n++ })
		})
	}
	return n
}

// fields calls found with the content of every field of that number in a message.
func fields(message []byte, wanted protowire.Number, found func([]byte)) {
	for len(message) > 0 {
		number, kind, tag := protowire.ConsumeTag(message)
		if tag < 0 {
			return
		}
		n := protowire.ConsumeFieldValue(number, kind, message[tag:])
		if n < 0 {
			return
		}
		if number == wanted && kind == protowire.BytesType {
			content, _ := protowire.ConsumeBytes(message[tag:])
			found(content)
		}
		message = message[tag+n:]
	}
}
