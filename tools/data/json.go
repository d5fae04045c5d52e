// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/internal/arg"
)

var jsonOperations = []string{"query", "jq", "validate", "format", "diff", "patch", "merge"}

func (t *Toolset) json(ctx context.Context, in jsonInput) (string, error) {
	if err := t.checkInputs("json", string(in.JSON), "other", string(in.Other), "schema", string(in.Schema), "query",
		in.Query); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, t.options.Timeout)
	defer cancel()
	return t.answer(t.processedJSON(ctx, in))
}

func (t *Toolset) processedJSON(ctx context.Context, in jsonInput) (string, error) {
	switch in.Operation {
	case "format":
		return formatJSON(in)
	case "validate":
		return validateJSON(in)
	}
	doc, err := parseJSON("json", string(in.JSON))
	if err != nil {
		return "", err
	}
	switch in.Operation {
	case "query":
		return t.jsonPath(doc, in)
	case "jq":
		if t.options.JQ {
			return t.jq(ctx, doc, in)
		}
	case "diff", "merge", "patch":
		other, err := parseJSON("other", string(in.Other))
		if err != nil {
			return "", err
		}
		switch in.Operation {
		case "diff":
			return t.diffJSON(doc, other, in.Style)
		case "merge":
			return arg.JSON(mergePatch(doc, other))
		}
		return t.patchJSON(ctx, doc, []byte(in.Other))
	}
	return "", arg.Invalid("operation", fmt.Sprintf("%.40q", in.Operation), strings.Join(t.operations(), ", "))
}

// operations are those that the options allow.
func (t *Toolset) operations() (list []string) {
	for _, o := range jsonOperations {
		if o != "jq" || t.options.JQ {
			list = append(list, o)
		}
	}
	return list
}

// formatJSON writes JSON on one line or on many. The members stay in order unless they
// are asked to be sorted.
func formatJSON(in jsonInput) (string, error) {
	v, err := parseJSON("json", string(in.JSON))
	if err != nil {
		return "", err
	}
	text := strings.TrimSpace(string(in.JSON))
	var b bytes.Buffer
	switch in.Style {
	case "", "indented":
		err = json.Indent(&b, []byte(text), "", "  ")
	case "compact":
		err = json.Compact(&b, []byte(text))
	case "sorted":
		if text, err = arg.JSON(v); err == nil {
			err = json.Indent(&b, []byte(text), "", "  ")
		}
	default:
		return "", arg.Invalid("style", fmt.Sprintf("%.40q", in.Style), "indented, compact or sorted")
	}
	if err != nil {
		return "", &toolkit.Error{Kind: toolkit.ErrTool, Message: "the JSON cannot be formatted"}
	}
	return b.String(), nil
}
