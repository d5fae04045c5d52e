// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/toolscope/toolscope/tools/internal/arg"
)

// maxDepth is how deep JSON may be nested, so that what walks it is bounded.
const maxDepth = 500

// jsonInput is what the tool json takes. Each JSON text may be given as text, or as
// the value itself.
type jsonInput struct {
	Operation string   `json:"operation"`
	JSON      jsonText `json:"json"`
	Other     jsonText `json:"other"`
	Schema    jsonText `json:"schema"`
	Query     string   `json:"query"`
	Style     string   `json:"style"`
}

// jsonText is JSON: a string holds it as text, any other value is it.
type jsonText string

// UnmarshalJSON unpacks a string.
func (j *jsonText) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, (*string)(j))
	}
	*j = jsonText(b)
	return nil
}

// parseJSON reads one JSON value. Numbers stay as they are written.
func parseJSON(field, text string) (any, error) {
	if strings.TrimSpace(text) == "" {
		return nil, arg.Invalid(field, "nothing", "JSON")
	}
	if err := checkDepth(field, text); err != nil {
		return nil, err
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, arg.Invalid(field, "text that is no JSON: "+where(text, err), "JSON")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, arg.Invalid(field, fmt.Sprintf("more after the first value, at byte %d", d.InputOffset()), "one JSON value")
	}
	return v, nil
}

// where says what is wrong with JSON, and in which line and column.
func where(text string, err error) string {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return "it ends early"
	}
	before := text[:max(0, min(len(text), int(syntax.Offset)-1))]
	return fmt.Sprintf("%s (line %d, column %d)", syntax.Error(), 1+strings.Count(before, "\n"),
		len(before)-strings.LastIndexByte(before, '\n'))
}

// checkDepth refuses JSON that is nested too deep, before anything recurses into it.
func checkDepth(field, text string) error {
	if depthOf(text) > maxDepth {
		return arg.Invalid(field, "JSON nested too deep", fmt.Sprintf("at most %d levels", maxDepth))
	}
	return nil
}

// depthOf counts the brackets that are open at once, outside of strings.
func depthOf(text string) int {
	depth, most, inString := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			inString = !inString
		case inString:
			if c == '\\' {
				i++
			}
		case c == '{' || c == '[':
			depth++
			most = max(most, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return most
}
