// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package otlpwire

import (
	"math"

	"go.opentelemetry.io/otel/attribute"
	"google.golang.org/protobuf/encoding/protowire"
)

// The fields of an AnyValue. One of them is written, also if it is empty or 0.
const (
	textValue   = 1
	boolValue   = 2
	intValue    = 3
	floatValue  = 4
	listValue   = 5
	mapValue    = 6
	binaryValue = 7
)

// appendAttribute adds a KeyValue.
func appendAttribute(b []byte, field protowire.Number, kv *attribute.KeyValue) []byte {
	if kv.Value.Type() == attribute.STRING {
		return appendTextAttribute(b, field, string(kv.Key), kv.Value.AsString())
	}
	b, at := begin(b, field)
	b = appendText(b, 1, string(kv.Key))
	b = appendValue(b, 2, kv.Value)
	return end(b, at)
}

// appendTextAttribute is appendAttribute for a text, which most values are and long ones as
// good as all: its lengths are known before, so that nothing moves.
func appendTextAttribute(b []byte, field protowire.Number, key, text string) []byte {
	value := protowire.SizeTag(textValue) + protowire.SizeBytes(len(text))
	n := protowire.SizeTag(2) + protowire.SizeBytes(value)
	if key != "" {
		n += protowire.SizeTag(1) + protowire.SizeBytes(len(key))
	}
	b = protowire.AppendVarint(protowire.AppendTag(b, field, protowire.BytesType), uint64(n))
	b = appendText(b, 1, key)
	b = protowire.AppendVarint(protowire.AppendTag(b, 2, protowire.BytesType), uint64(value))
	return protowire.AppendString(protowire.AppendTag(b, textValue, protowire.BytesType), text)
}

// appendValue adds an AnyValue.
func appendValue(b []byte, field protowire.Number, v attribute.Value) []byte {
	b, at := begin(b, field)
	switch v.Type() {
	case attribute.STRING:
		b = protowire.AppendString(protowire.AppendTag(b, textValue, protowire.BytesType), v.AsString())
	case attribute.BOOL:
		b = appendTruth(b, v.AsBool())
	case attribute.INT64:
		b = appendInt(b, v.AsInt64())
	case attribute.FLOAT64:
		b = appendFloat(b, v.AsFloat64())
	case attribute.BYTESLICE:
		b = protowire.AppendBytes(protowire.AppendTag(b, binaryValue, protowire.BytesType), v.AsByteSlice())
	case attribute.STRINGSLICE:
		b = appendList(b, v.AsStringSlice(), func(b []byte, s string) []byte {
			return protowire.AppendString(protowire.AppendTag(b, textValue, protowire.BytesType), s)
		})
	case attribute.BOOLSLICE:
		b = appendList(b, v.AsBoolSlice(), appendTruth)
	case attribute.INT64SLICE:
		b = appendList(b, v.AsInt64Slice(), appendInt)
	case attribute.FLOAT64SLICE:
		b = appendList(b, v.AsFloat64Slice(), appendFloat)
	case attribute.SLICE:
		list, inner := begin(b, listValue)
		for _, item := range v.AsSlice() {
			list = appendValue(list, 1, item)
		}
		b = end(list, inner)
	case attribute.MAP:
		members, inner := begin(b, mapValue)
		for _, member := range v.AsMap() {
			members = appendAttribute(members, 1, &member)
		}
		b = end(members, inner)
	case attribute.EMPTY:
	default:
		b = protowire.AppendString(protowire.AppendTag(b, textValue, protowire.BytesType), "INVALID")
	}
	return end(b, at)
}

// appendList adds an ArrayValue of values of one kind.
func appendList[T any](b []byte, items []T, add func([]byte, T) []byte) []byte {
	b, list := begin(b, listValue)
	for _, item := range items {
		var at int
		b, at = begin(b, 1)
		b = end(add(b, item), at)
	}
	return end(b, list)
}

func appendTruth(b []byte, yes bool) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, boolValue, protowire.VarintType), protowire.EncodeBool(yes))
}

func appendInt(b []byte, n int64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, intValue, protowire.VarintType), uint64(n))
}

func appendFloat(b []byte, x float64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(b, floatValue, protowire.Fixed64Type), math.Float64bits(x))
}
