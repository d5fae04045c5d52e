// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/internal/arg"
)

// maxShown is how many faults a validation tells.
const maxShown = 50

// validateJSON says whether a document is JSON and, given a JSON Schema, fits it. That it
// does not is an answer and no failure.
func validateJSON(in jsonInput) (string, error) {
	doc, err := parseJSON("json", string(in.JSON))
	if err != nil {
		var own *toolkit.Error
		if errors.As(err, &own) && strings.TrimSpace(string(in.JSON)) != "" {
			return "not valid: " + strings.TrimSuffix(strings.TrimPrefix(own.Message, "json: got "), ", want JSON"), nil
		}
		return "", err
	}
	if in.Schema == "" {
		return "valid JSON", nil
	}
	schema, err := parseJSON("schema", string(in.Schema))
	if err != nil {
		return "", err
	}
	if err := checkWork(schema, string(in.JSON)); err != nil {
		return "", err
	}
	compiled, err := compileSchema(schema)
	if err != nil {
		return "", err
	}
	if err := compiled.Validate(doc); err != nil {
		var faults *jsonschema.ValidationError
		if !errors.As(err, &faults) {
			return "", arg.Invalid("schema", "one that cannot be used on this document", "another")
		}
		return tellFaults(faults), nil
	}
	return "valid: the document fits the schema", nil
}

// compileSchema makes a schema usable. Nothing is loaded: neither files nor the web.
func compileSchema(schema any) (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	c.AssertFormat()
	const name = "schema:argument"
	if err := c.AddResource(name, schema); err != nil {
		return nil, arg.Invalid("schema", "one that is not valid", "a JSON Schema")
	}
	compiled, err := c.Compile(name)
	if err != nil {
		why := err.Error()
		var invalidSchema *jsonschema.SchemaValidationError
		var faults *jsonschema.ValidationError
		if errors.As(err, &invalidSchema) && errors.As(invalidSchema.Err, &faults) {
			why = tellFaults(faults)
		}
		return nil, arg.Invalid("schema", "one that is not valid: "+strings.ReplaceAll(why, name, ""), "a JSON Schema")
	}
	return compiled, nil
}

type noLoader struct{}

// Load refuses.
func (noLoader) Load(string) (any, error) {
	return nil, errors.New("other documents are not loaded")
}

var english = message.NewPrinter(language.English)

// tellFaults lists the faults at the ends of the tree.
func tellFaults(root *jsonschema.ValidationError) string {
	var lines []string
	var walk func(e *jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		if len(e.Causes) == 0 {
			at := "/" + strings.Join(e.InstanceLocation, "/")
			line := fmt.Sprintf("- %.200s: %s", at, e.ErrorKind.LocalizedString(english))
			if r := []rune(line); len(r) > 500 {
				line = string(r[:500]) + "…"
			}
			if !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
		for _, c := range e.Causes {
			if len(lines) <= maxShown {
				walk(c)
			}
		}
	}
	walk(root)
	slices.Sort(lines) // members are checked in any order
	if len(lines) > maxShown {
		lines = append(lines[:maxShown], "- and more")
	}
	return "not valid:\n" + strings.Join(lines, "\n")
}
