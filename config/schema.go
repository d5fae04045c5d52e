// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"

	"github.com/toolscope/toolscope/internal/strictyaml"
	"github.com/toolscope/toolscope/workflow"
)

// Schema is the JSON Schema (2020-12) of a file, for editors: in YAML's language server by
//
//	# yaml-language-server: $schema=toolscope.schema.json
func Schema(registered ...Section) json.RawMessage {
	s := schemaOf(reflect.TypeFor[document](), "")
	properties := s["properties"].(map[string]any)
	properties["policies"] = schemaOf(policySections, reflect.StructTag(fmt.Sprintf("doc:%q", policiesDoc)))
	for _, r := range registered {
		properties[r.name] = schemaOf(r.settings, "")
	}
	step := structSchema(stepType)
	step["description"] = "A step of a workflow."
	s["$defs"] = map[string]any{stepName: step}
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["title"] = "toolscope's configuration"
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		panic(err) // made of texts, lists and maps only
	}
	return append(text, '\n')
}

// schemaOf describes a type as a file has it. tag is that of its field.
func schemaOf(t reflect.Type, tag reflect.StructTag) map[string]any {
	if t.Kind() == reflect.Pointer {
		s := schemaOf(t.Elem(), tag)
		if t.Elem().Kind() == reflect.Struct {
			s["type"] = []string{"object", "null"}
		}
		return s
	}
	s := map[string]any{}
	if doc := tag.Get("doc"); doc != "" {
		s["description"] = doc
	}
	unit := reflect.StructTag("")
	if tag.Get("unit") != "" {
		unit = `unit:"bytes"` // elements have it, too
	}
	switch {
	case t == durationType:
		s["type"], s["pattern"] = "string", `^-?([0-9.]+(ns|us|µs|ms|s|m|h))+$|^0$`
	case t == timeType:
		s["type"], s["format"] = "string", "date-time"
	case unit != "" && t.Kind() == reflect.Int:
		s["type"], s["pattern"] = []string{"string", "integer"}, `^-?[0-9]+ *(B|KiB|MiB|GiB)?$`
	case t == stepType:
		s["$ref"] = "#/$defs/" + stepName
	case t.Kind() == reflect.Interface: // any value
	case t.Kind() == reflect.Struct:
		maps.Copy(s, structSchema(t))
	case t.Kind() == reflect.Map:
		s["type"], s["additionalProperties"] = "object", schemaOf(t.Elem(), unit)
	case t.Kind() == reflect.Slice:
		s["type"], s["items"] = "array", schemaOf(t.Elem(), unit)
	default:
		s["type"] = jsonTypes[t.Kind()]
	}
	if allowed := strictyaml.Allowed(tag); allowed != nil {
		s["enum"] = allowed
	}
	return s
}

// A step holds steps, so that its schema is in a place of its own.
var stepType = reflect.TypeFor[workflow.Step]()

const stepName = "STEP"

func structSchema(t reflect.Type) map[string]any {
	properties := map[string]any{}
	for _, f := range strictyaml.Fields(t) {
		properties[f.Tag.Get("yaml")] = schemaOf(f.Type, f.Tag)
	}
	return map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
}

var jsonTypes = map[reflect.Kind]string{
	reflect.Bool: "boolean", reflect.Int: "integer", reflect.Float64: "number", reflect.String: "string", reflect.Uint8: "string",
}
