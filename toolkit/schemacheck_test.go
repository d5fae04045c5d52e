// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/toolkit"
)

// TestASchemaIsCheckedWhereAToolIsRegistered: an error names the field, the place in the schema, what was got and what
// is wanted.
func TestASchemaIsCheckedWhereAToolIsRegistered(t *testing.T) {
	for schema, want := range map[string]string{
		`{}`: "",
		`{"type":"object","properties":{"a":{"type":["string","null"]},"b":true},"required":["a"]}`: "",
		`{"properties":{"a":{"required":true,"minimum":0,"exclusiveMinimum":true}},"x-mine":1}`:     "",
		`{"items":[{"type":"string"}],"additionalProperties":false,"$defs":{"x":{"$ref":"#"}}}`:     "",
		`{"type":"nonsense"}`:   `InputSchema: /type: got "\"nonsense\"", want "array", "boolean"`,
		`{"type":["string",1]}`: "/type: got",
		`{"type":[]}`:           "/type: got",
		`{"type":null}`:         "/type: got",
		`{"properties":["a"]}`:  `/properties: got "[\"a\"]", want an object of schemas`,
		`{"properties":null}`:   "/properties: got",
		`{"properties":{"a/b":{"items":{"type":"text"}}}}`: "/properties/a~1b/items/type: got",
		`{"properties":{"a":"string"}}`:                    `/properties/a: got "\"string\"", want a schema: an object, true or false`,
		`{"required":"a"}`:                                 "/required: got",
		`{"enum":{"a":1}}`:                                 "/enum: got",
		`{"anyOf":[]}`:                                     "/anyOf: got",
		`{"oneOf":[{"type":"string"},{"type":"int"}]}`:     "/oneOf/1/type: got",
		`{"items":5}`:                                      "/items: got",
		`{"additionalProperties":"no"}`:                    "/additionalProperties: got",
		`{"pattern":5}`:                                    "/pattern: got",
		`{"minLength":-1}`:                                 "/minLength: got",
		`{"maxItems":1.5}`:                                 "/maxItems: got",
		`{"minimum":"0"}`:                                  "/minimum: got",
		strings.Repeat(`{"not":`, 200) + `{}` + strings.Repeat(`}`, 200): "nested deeper than 100",
	} {
		def := toolkit.Definition{Name: "x", InputSchema: json.RawMessage(schema)}
		var r toolkit.Registry
		err := r.Register(toolkit.ToolFunc(def, nil))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.100s: got %v, want %q", schema, err, want)
		}
	}
}
