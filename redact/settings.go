// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"fmt"

	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/scan"
)

// settings checks options and compiles them.
type settings struct {
	scan.Engine
	rules []toolRule
}

// eachKind changes set by the kinds of these names. The field is that of Options.
func eachKind(field string, names []string, set *kinds.Set, change func(*kinds.Set, kinds.ID)) error {
	for _, name := range names {
		id, ok := kinds.ByName[name]
		if !ok {
			return fmt.Errorf("redact: Options.%s: got %.60q, want a kind that redact.Kinds lists", field, name)
		}
		change(set, id)
	}
	return nil
}

// A toolRule is a rule that holds for one tool, or for some.
type toolRule struct {
	scan.PlaceRule
	tool    string
	ofKinds *kinds.Set // nil: it is for whole values
}
