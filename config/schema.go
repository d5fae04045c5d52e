// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"encoding/json"
	"reflect"
)

// Schema is the JSON Schema (2020-12) of a file, for editors: in YAML's language server by
//
//	# yaml-language-server: $schema=toolscope.schema.json
func Schema(registered ...Section) json.RawMessage {
	s := schemaOf(reflect.TypeFor[Config](), "")
	for _, r := range registered {
		s["properties"].(map[string]any)[r.name] = schemaOf(r.settings, "")
	}
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["title"] = "toolscope's configuration"
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		panic(err) // made of texts, lists and maps only
	}
	return append(text, '\n')
}

// schemaOf describes a type as the decoder reads it.
func schemaOf(t reflect.Type, doc string) map[string]any {
	s := map[string]any{}
	if doc != "" {
		s["description"] = doc
	}
	switch {
	case t == durationType:
		s["type"], s["pattern"] = "string", `^-?([0-9.]+(ns|us|µs|ms|s|m|h))+$|^0$`
		return s
	case t == sizeType:
		s["type"], s["pattern"] = []string{"string", "integer"}, `^-?[0-9]+ *(B|KiB|MiB|GiB)?$`
		return s
	}
	switch t.Kind() {
	case reflect.Pointer:
		inner := schemaOf(t.Elem(), doc)
		if t.Elem().Kind() == reflect.Struct {
			inner["type"] = []string{"object", "null"}
		}
		return inner
	case reflect.Struct:
		properties := map[string]any{}
		for _, f := range fields(t) {
			p := schemaOf(f.Type, f.Tag.Get("doc"))
			if allowed := allowedOf(f); allowed != nil {
				p["enum"] = allowed
			}
			properties[f.Tag.Get("yaml")] = p
		}
		s["type"], s["properties"], s["additionalProperties"] = "object", properties, false
	case reflect.Map:
		s["type"], s["additionalProperties"] = "object", schemaOf(t.Elem(), "")
	case reflect.Slice:
		s["type"], s["items"] = "array", schemaOf(t.Elem(), "")
	case reflect.Bool:
		s["type"] = "boolean"
	case reflect.Int:
		s["type"] = "integer"
	case reflect.Float64:
		s["type"] = "number"
	case reflect.String:
		s["type"] = "string"
	}
	return s
}
