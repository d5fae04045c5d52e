// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"slices"
	"unicode/utf8"

	"go.opentelemetry.io/otel/attribute"

	"github.com/toolscope/toolscope/exporters/internal/otlpsize"
)

// tooDeep stands for lists and maps below maxDepth.
const tooDeep = "[too deep]"

// What an item of a list takes at most.
func sizeOfByte(byte) int                       { return 1 }
func sizeOfBool(bool) int                       { return 4 }
func sizeOfInt(int64) int                       { return 13 }
func sizeOfFloat(float64) int                   { return 11 }
func sizeOfValue(v attribute.Value) int         { return otlpsize.Attribute(&attribute.KeyValue{Value: v}) }
func sizeOfAttribute(kv attribute.KeyValue) int { return otlpsize.Attribute(&kv) }

// valueFits reports whether a value can be sent as it is, at that depth.
func (l *Limits) valueFits(v attribute.Value, depth int) bool {
	switch v.Type() {
	case attribute.STRING:
		return fits(v.AsString(), l.Value)
	case attribute.STRINGSLICE:
		list := v.AsStringSlice()
		return listFits(list, l.Value, otlpsize.Text) &&
			!slices.ContainsFunc(list, func(s string) bool { return !utf8.ValidString(s) })
	case attribute.BYTESLICE:
		return listFits(v.AsByteSlice(), l.Value, sizeOfByte)
	case attribute.BOOLSLICE:
		return listFits(v.AsBoolSlice(), l.Value, sizeOfBool)
	case attribute.INT64SLICE:
		return listFits(v.AsInt64Slice(), l.Value, sizeOfInt)
	case attribute.FLOAT64SLICE:
		return listFits(v.AsFloat64Slice(), l.Value, sizeOfFloat)
	case attribute.SLICE:
		list := v.AsSlice()
		return depth < maxDepth && listFits(list, l.Value, sizeOfValue) &&
			!slices.ContainsFunc(list, func(inner attribute.Value) bool { return !l.valueFits(inner, depth+1) })
	case attribute.MAP:
		list := v.AsMap()
		return depth < maxDepth && listFits(list, l.Value, sizeOfAttribute) && l.attributesFit(list, depth+1)
	}
	return true
}

// listFits reports whether the items take at most max bytes together.
func listFits[T any](list []T, max int, size func(T) int) bool {
	n := 0
	for _, item := range list {
		if n += size(item); n > max {
			return false
		}
	}
	return true
}

func (l *Limits) attributesFit(list []attribute.KeyValue, depth int) bool {
	if len(list) > l.Count {
		return false
	}
	for i := range list {
		if !fits(string(list[i].Key), l.Name) || !l.valueFits(list[i].Value, depth) {
			return false
		}
	}
	return true
}

// value is a value that fits into max bytes.
func (m *mender) value(v attribute.Value, max, depth int) attribute.Value {
	switch v.Type() {
	case attribute.STRING:
		return attribute.StringValue(m.text(v.AsString(), max))
	case attribute.STRINGSLICE:
		list := v.AsStringSlice()
		for i := range list {
			list[i] = m.text(list[i], max)
		}
		return attribute.StringSliceValue(first(m, list, max, otlpsize.Text))
	case attribute.BYTESLICE:
		return attribute.ByteSliceValue(first(m, v.AsByteSlice(), max, sizeOfByte))
	case attribute.BOOLSLICE:
		return attribute.BoolSliceValue(first(m, v.AsBoolSlice(), max, sizeOfBool))
	case attribute.INT64SLICE:
		return attribute.Int64SliceValue(first(m, v.AsInt64Slice(), max, sizeOfInt))
	case attribute.FLOAT64SLICE:
		return attribute.Float64SliceValue(first(m, v.AsFloat64Slice(), max, sizeOfFloat))
	case attribute.SLICE:
		if depth >= maxDepth {
			m.cut++
			return attribute.StringValue(tooDeep)
		}
		list := v.AsSlice()
		for i := range list {
			list[i] = m.value(list[i], max, depth+1)
		}
		return attribute.SliceValue(first(m, list, max, sizeOfValue)...)
	case attribute.MAP:
		if depth >= maxDepth {
			m.cut++
			return attribute.StringValue(tooDeep)
		}
		list := m.attributes(v.AsMap(), m.limits.Count, max, depth+1)
		return attribute.MapValue(first(m, list, max, sizeOfAttribute)...)
	}
	return v
}

// first is as much of a list as fits into max bytes.
func first[T any](m *mender, list []T, max int, size func(T) int) []T {
	n := 0
	for i, item := range list {
		if n += size(item); n > max {
			m.cut++
			return list[:i]
		}
	}
	return list
}

// attributes are at most count attributes whose values fit into max bytes each.
func (m *mender) attributes(list []attribute.KeyValue, count, max, depth int) []attribute.KeyValue {
	if over := len(list) - count; over > 0 {
		m.dropped += over
		list = list[:count]
	}
	out := make([]attribute.KeyValue, len(list))
	for i, kv := range list {
		out[i] = attribute.KeyValue{Key: attribute.Key(m.text(string(kv.Key), m.limits.Name)),
			Value: m.value(kv.Value, max, depth)}
	}
	return out
}
