// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"context"
	"fmt"
	"strings"

	"github.com/itchyny/gojq"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/internal/arg"
)

// maxResults is how many values a jq program may give.
const maxResults = 10_000

// jq runs a jq program over a document: no modules, no environment, no input of its own.
func (t *Toolset) jq(ctx context.Context, doc any, in jsonInput) (string, error) {
	if in.Query == "" || len(in.Query) > maxQuery {
		return "", arg.Invalid("query", fmt.Sprintf("%d bytes", len(in.Query)), fmt.Sprintf("1 to %d", maxQuery))
	}
	query, err := gojq.Parse(in.Query)
	if err != nil {
		return "", arg.Invalid("query", fmt.Sprintf("%.100q, which is no jq program (%v)", in.Query, err),
			"one such as .items[] | select(.price < 10) | .name")
	}
	code, err := gojq.Compile(query)
	if err != nil {
		return "", arg.Invalid("query", fmt.Sprintf("a jq program that cannot be run (%v)", err),
			"one without input, modules and unknown functions")
	}
	var b strings.Builder
	values := code.RunWithContext(ctx, doc)
	for n := 0; ; n++ {
		v, ok := values.Next()
		if !ok {
			return strings.TrimSuffix(b.String(), "\n"), nil
		}
		if err, ok := v.(error); ok {
			if ctx.Err() != nil {
				return "", &toolkit.Error{Kind: toolkit.ErrTimeout,
					Message: fmt.Sprintf("the jq program was given %v at most and did not end in time",
						t.options.Timeout), Cause: ctx.Err()}
			}
			return "", &toolkit.Error{Kind: toolkit.ErrTool, Message: "the jq program failed: " + err.Error()}
		}
		text, err := gojq.Marshal(v)
		if err != nil {
			return "", &toolkit.Error{Kind: toolkit.ErrTool, Message: "a result cannot be written as JSON"}
		}
		if b.Write(text); b.Len() > t.options.MaxOutput || n == maxResults {
			return "", t.tooLong("more")
		}
		b.WriteByte('\n')
	}
}
