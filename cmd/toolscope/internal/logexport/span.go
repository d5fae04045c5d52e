// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package logexport

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"time"

	"github.com/toolscope/toolscope/internal/calllog"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
)

// spanOf is a call as a span.
func spanOf(c *calllog.Call, ids *identities) *tracepb.Span {
	trace, span, parent := ids.idsOf(c)
	s := &tracepb.Span{
		TraceId: trace, SpanId: span, ParentSpanId: parent, Name: "execute_tool " + c.Tool, Kind: tracepb.Span_SPAN_KIND_INTERNAL,
		StartTimeUnixNano: uint64(max(0, c.End.Add(-c.Duration).UnixNano())), EndTimeUnixNano: uint64(c.End.UnixNano()),
		Attributes: []*commonpb.KeyValue{
			text("gen_ai.operation.name", "execute_tool"), text("gen_ai.tool.name", c.Tool),
			text("toolscope.outcome", c.Outcome.String()),
		},
	}
	for _, a := range []struct{ key, value string }{
		{"gen_ai.tool.call.id", c.ID}, {
			"gen_ai.agent.name", c.Agent,
		}, {"session.id", c.Session}, {"error.type", c.ErrorType}, {
			"gen_ai.tool.call.arguments", string(c.Arguments),
		},
		{"toolscope.intent", c.Intent},
	} {
		if a.value != "" {
			s.Attributes = append(s.Attributes, text(a.key, a.value))
		}
	}
	if c.Turn > 0 {
		s.Attributes = append(
			s.Attributes,
			&commonpb.KeyValue{
				Key:   "toolscope.turn",
				Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_IntValue{IntValue: int64(c.Turn)}},
			},
		)
	}
	switch result := c.ResultText(); {
	case c.ErrorType != "": // a failure's text is in the status, as the conventions have it
		s.Status = &tracepb.Status{Code: tracepb.Status_STATUS_CODE_ERROR, Message: c.Error}
	case result != "":
		s.Attributes = append(s.Attributes, text("gen_ai.tool.call.result", result))
	}
	return s
}

func text(key, value string) *commonpb.KeyValue {
	return &commonpb.KeyValue{Key: key, Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: value}}}
}

// maxIdentities is how many different calls are remembered, twice, to tell those apart
// of which nothing differs: they have the same time, and so stand close to each other.
const maxIdentities = 1 << 15

// identities makes ids of what is known of calls.
type identities struct{ young, old map[[32]byte]uint64 }

func newIdentities() *identities { return &identities{young: make(map[[32]byte]uint64)} }

// idsOf are the ids of a call: those of its line, else made ones. Content is not part of
// them, so that removed text cannot be guessed by trying.
func (i *identities) idsOf(c *calllog.Call) (trace, span, parent []byte) {
	trace, span, parent = bytesOf(c.TraceID), bytesOf(c.SpanID), bytesOf(c.ParentID)
	if span == nil {
		call := digest(
			"call", c.Tool, c.Session, c.ID, c.ErrorType, c.Outcome.String(), number(c.End.UnixNano()),
			number(int64(c.Duration)), number(int64(c.Turn)),
		)
		span = firstOf(digest("span", string(call[:]), number(int64(i.count(call)))), 8)
	}
	if trace == nil {
		whole := digest("trace", c.Session, c.End.Truncate(time.Hour).UTC().Format(time.RFC3339))
		if c.Session == "" {
			whole = digest("trace", "", string(span))
		}
		trace = firstOf(whole, 16)
	}
	return trace, span, parent
}

// count is how many calls of an identity came before.
func (i *identities) count(call [32]byte) uint64 {
	n, known := i.young[call]
	if !known {
		n = i.old[call]
	}
	if len(i.young) >= maxIdentities {
		i.old, i.young = i.young, make(map[[32]byte]uint64)
	}
	i.young[call] = n + 1
	return n
}

// digest is a hash of texts, in which they cannot be confused with each other.
func digest(parts ...string) (sum [32]byte) {
	h := sha256.New()
	for _, p := range parts {
		_, _ = io.WriteString(h, number(int64(len(p)))+p) // a hash takes everything
	}
	h.Sum(sum[:0])
	return sum
}

func number(n int64) string { return string(binary.BigEndian.AppendUint64(nil, uint64(n))) }

// firstOf is the beginning of a hash as an id, which is never all zeros.
func firstOf(sum [32]byte, n int) []byte {
	id := sum[:n]
	id[n-1] |= 1
	return id
}

// bytesOf reads an id; nil for none.
func bytesOf(id string) []byte {
	b, err := hex.DecodeString(id)
	if err != nil || len(b) == 0 {
		return nil
	}
	return b
}
