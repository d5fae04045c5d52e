// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// maxSchemaDepth bounds how deep schemas may nest.
const maxSchemaDepth = 100

// checkRegistered is [Definition.Validate] and more: what models and validators would stumble over later is an
// error where a tool is registered.
func (d *Definition) checkRegistered() error {
	if err := d.Validate(); err != nil {
		return err
	}
	for _, s := range []struct {
		field  string
		schema json.RawMessage
	}{{"InputSchema", d.InputSchema}, {"OutputSchema", d.OutputSchema}} {
		if len(s.schema) == 0 {
			continue
		}
		if f := checkSchema(s.schema, "", 0); f != nil {
			return fmt.Errorf("toolkit: definition of %s: %s: %s: got %s, want %s",
				quote(d.Name), s.field, f.place, f.got, f.want)
		}
	}
	return nil
}

// schemaFault is what is wrong with a schema, at a JSON Pointer.
type schemaFault struct{ place, got, want string }

// checkKeyword checks the value of a keyword. Keywords that are not listed may have any value, as the specification
// says (https://json-schema.org/draft/2020-12/json-schema-core, 4.3.1); older drafts' forms are allowed as well.
func checkKeyword(name string, value json.RawMessage, place string, depth int) *schemaFault {
	switch name {
	case "type":
		return checkType(value, place)
	case "required":
		return checkRequired(value, place)
	case "enum", "examples":
		return checkFirst(value, place, '[', "an array")
	case "pattern", "format", "$ref", "$schema", "$id", "title", "description":
		return checkFirst(value, place, '"', "a string")
	case "minimum", "maximum", "multipleOf":
		return checkNumber(value, place)
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		return checkCount(value, place)
	case "properties", "patternProperties", "dependentSchemas", "$defs", "definitions":
		return checkSchemas(value, place, depth)
	case "allOf", "anyOf", "oneOf", "prefixItems":
		return checkSchemaArray(value, place, depth)
	case "items":
		if value[0] == '[' { // before draft 2020-12
			return checkSchemaArray(value, place, depth)
		}
		return checkSchema(value, place, depth+1)
	case "additionalProperties", "additionalItems", "not", "if", "then", "else", "contains", "propertyNames",
		"unevaluatedItems", "unevaluatedProperties":
		return checkSchema(value, place, depth+1)
	}
	return nil
}

// checkSchema finds the first thing that makes text no JSON Schema; nil if there is none.
func checkSchema(text json.RawMessage, place string, depth int) *schemaFault {
	if depth > maxSchemaDepth {
		return &schemaFault{at(place), "schemas nested deeper than " + strconv.Itoa(maxSchemaDepth), "fewer"}
	}
	switch string(text) {
	case "true", "false":
		return nil
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil || members == nil {
		return wanted(place, text, "a schema: an object, true or false")
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if f := checkKeyword(name, members[name], place+"/"+escape(name), depth); f != nil {
			return f
		}
	}
	return nil
}

var schemaTypes = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

func checkType(value json.RawMessage, place string) *schemaFault {
	const want = `"array", "boolean", "integer", "null", "number", "object", "string", or an array of these`
	var names []string
	if value[0] == '"' {
		names = make([]string, 1)
		_ = json.Unmarshal(value, &names[0])
	} else if json.Unmarshal(value, &names) != nil || len(names) == 0 {
		return wanted(place, value, want)
	}
	for _, name := range names {
		if !slices.Contains(schemaTypes, name) {
			return wanted(place, value, want)
		}
	}
	return nil
}

// checkRequired allows the boolean of draft 3 as well.
func checkRequired(value json.RawMessage, place string) *schemaFault {
	var names []string
	var flag bool
	if json.Unmarshal(value, &names) != nil && json.Unmarshal(value, &flag) != nil {
		return wanted(place, value, "an array of names")
	}
	return nil
}

func checkSchemas(value json.RawMessage, place string, depth int) *schemaFault {
	var schemas map[string]json.RawMessage
	if json.Unmarshal(value, &schemas) != nil || schemas == nil {
		return wanted(place, value, "an object of schemas")
	}
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		if f := checkSchema(schemas[name], place+"/"+escape(name), depth+1); f != nil {
			return f
		}
	}
	return nil
}

func checkSchemaArray(value json.RawMessage, place string, depth int) *schemaFault {
	var schemas []json.RawMessage
	if json.Unmarshal(value, &schemas) != nil || len(schemas) == 0 {
		return wanted(place, value, "an array of schemas")
	}
	for i, schema := range schemas {
		if f := checkSchema(schema, place+"/"+strconv.Itoa(i), depth+1); f != nil {
			return f
		}
	}
	return nil
}

// checkFirst checks what a value is by its first byte.
func checkFirst(value json.RawMessage, place string, first byte, want string) *schemaFault {
	if value[0] != first {
		return wanted(place, value, want)
	}
	return nil
}

func checkNumber(value json.RawMessage, place string) *schemaFault {
	var n float64
	if json.Unmarshal(value, &n) != nil || string(value) == "null" {
		return wanted(place, value, "a number")
	}
	return nil
}

func checkCount(value json.RawMessage, place string) *schemaFault {
	var n float64
	if json.Unmarshal(value, &n) != nil || string(value) == "null" || n < 0 || n != float64(int64(n)) {
		return wanted(place, value, "a whole number of 0 or more")
	}
	return nil
}

func wanted(place string, value json.RawMessage, want string) *schemaFault {
	return &schemaFault{at(place), quote(string(value)), want}
}

func at(place string) string {
	if place == "" {
		return "the schema"
	}
	return place
}

// escape makes a name part of a JSON Pointer (RFC 6901).
func escape(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}
