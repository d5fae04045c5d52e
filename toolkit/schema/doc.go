// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package schema derives the JSON Schema of a tool's arguments from the Go type
// that they are decoded into, so that the two cannot differ.
//
//	type args struct {
//		City string `json:"city" jsonschema:"the city's name"`
//		Days int    `json:"days,omitempty" jsonschema:"how many days ahead, 0 for today"`
//	}
//	forecast := toolkit.Definition{Name: "forecast", Description: "Tells the weather."}
//	tool, err := schema.NewTool(forecast, func(ctx context.Context, in args) (string, error) { … })
//
// The rules are those of github.com/google/jsonschema-go, on which this package is a
// thin layer: members are named by the json tag, are required unless it says
// omitempty or omitzero, are described by the jsonschema tag, and others are not
// allowed. It stands apart from package toolkit to keep that one on the
// standard library.
//
// Enumerations, ranges and patterns cannot be said in tags: give such a schema by
// hand, as [toolkit.Definition].InputSchema.
package schema
