// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scrub

import (
	"strings"

	"go.opentelemetry.io/otel/attribute"
)

// text redacts one text. changed is false if it stays.
func (v *visit) text(s string, how reading, key string) (out string, changed bool) {
	if s == "" {
		return s, false
	}
	if v.left -= min(len(s), maxValue); v.left < 0 {
		v.values++
		return notExamined, true
	}
	r := v.exporter.redactor
	out = s
	switch {
	case len(s) > maxValue && (how == asNamed || how == asURL):
		out = notExamined
	case how == asJSON:
		out, _ = r.JSONTextMax(s, maxValue)
	case how == asNamed:
		out = r.Named(key, s)
	case how == asURL:
		out, _ = r.TextMax(v.exporter.url(s), maxValue)
	default:
		out, _ = r.TextMax(s, maxValue)
	}
	if out == s {
		return s, false
	}
	v.values++
	return out, true
}

// value redacts a value. Numbers stay unless the name says that they are secret.
func (v *visit) value(value attribute.Value, how reading, key string, depth int) (out attribute.Value, changed bool) {
	switch value.Type() {
	case attribute.STRING:
		if text, changed := v.text(value.AsString(), how, key); changed {
			return attribute.StringValue(text), true
		}
	case attribute.STRINGSLICE:
		return v.texts(value, how, key)
	case attribute.BYTESLICE:
		if text, changed := v.text(string(value.AsByteSlice()), how, key); changed {
			return attribute.ByteSliceValue([]byte(text)), true
		}
	case attribute.INT64, attribute.FLOAT64, attribute.INT64SLICE, attribute.FLOAT64SLICE:
		if how != asNamed {
			return value, false
		}
		if text, changed := v.text(value.String(), how, key); changed {
			return attribute.StringValue(text), true
		}
	case attribute.SLICE:
		return v.list(value, how, key, depth)
	case attribute.MAP:
		if depth >= maxDepth {
			v.values++
			return attribute.StringValue(notExamined), true
		}
		if list, changed := v.attributes(value.AsMap(), depth+1); changed {
			return attribute.MapValue(list...), true
		}
	}
	return value, false
}

// texts redacts a list of texts: each of them, and what they are together if one tells of the next.
func (v *visit) texts(value attribute.Value, how reading, key string) (attribute.Value, bool) {
	list, changed := value.AsStringSlice(), false // a copy
	if how == asCommand {
		if line, differs := v.text(strings.Join(list, " "), asText, key); differs {
			return attribute.StringSliceValue([]string{line}), true
		}
		return value, false
	}
	for i := range list {
		text, differs := v.text(list[i], how, key)
		list[i] = text
		changed = changed || differs
	}
	if !changed {
		return value, false
	}
	return attribute.StringSliceValue(list), true
}

func (v *visit) list(value attribute.Value, how reading, key string, depth int) (attribute.Value, bool) {
	if depth >= maxDepth {
		v.values++
		return attribute.StringValue(notExamined), true
	}
	list, changed := value.AsSlice(), false // a copy
	for i := range list {
		item, differs := v.value(list[i], how, key, depth+1)
		list[i] = item
		changed = changed || differs
	}
	if !changed {
		return value, false
	}
	return attribute.SliceValue(list...), true
}

// hidden stands for the value of a parameter of an address.
const hidden = "[REDACTED:parameter]"

// url removes the values of parameters whose names are those of secrets, and the password in front
// of the host, whatever they look like.
func (e *Exporter) url(s string) string {
	_, query, found := strings.Cut(s, "?")
	if !found {
		if query = s; strings.HasPrefix(s, "/") || strings.Contains(s, "://") {
			return s
		}
	}
	var out []byte
	for rest := query; rest != ""; {
		end := strings.IndexAny(rest, "&;#")
		if end < 0 {
			end = len(rest) - 1
		}
		p := rest[:end+1] // with what separates it from the next one
		rest = rest[end+1:]
		name, value, _ := strings.Cut(strings.TrimRight(p, "&;#"), "=")
		if value == "" || value == hidden || !e.readers.secretParameter(name) {
			if out != nil {
				out = append(out, p...)
			}
			continue
		}
		if out == nil {
			out = append(out, s[:len(s)-len(rest)-len(p)]...)
		}
		out = append(append(append(append(out, name...), '='), hidden...), p[len(name)+1+len(value):]...)
	}
	if out == nil {
		return s
	}
	return string(out)
}
