// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"fmt"
	"strings"

	"github.com/toolscope/toolscope/redact/internal/scan"
	"github.com/toolscope/toolscope/redact/internal/syntax"
)

// A Removal says why a value is removed, never the value.
type Removal struct {
	Offset  int    // of its first byte in the input
	Kind    string // as [Kinds] lists it
	Path    string // as [Finding] has it
	Trigger string // the name beside it, the beginning of an issuer's form, or the kind
	Score   int    // docs/redaction.md lists the points; 50 or more remove a value
}

// Undo returns the lines of a configuration file that would keep the value.
func (m Removal) Undo() string {
	if name, ok := strings.CutPrefix(m.Trigger, "name "); ok {
		return fmt.Sprintf("names: {off: [%q]}", name)
	}
	if m.Path != "" {
		path := "$"
		for part := range strings.SplitSeq(m.Path[1:], "/") {
			if strings.Trim(part, "0123456789") == "" {
				path += "[" + part + "]"
			} else {
				path += "['" + strings.NewReplacer("~1", "/", "~0", "~", "'", `\'`).Replace(part) + "']"
			}
		}
		return fmt.Sprintf("rules: [{path: %q, kinds: [%s], action: keep}]", path, m.Kind)
	}
	return fmt.Sprintf("kinds: {off: [%s]}", m.Kind)
}

// Explain lists what [Redactor.JSON] removes from src in its first pass, and why.
func (r *Redactor) Explain(src []byte) (list []Removal) {
	r = r.orDefault()
	if r.engine == nil || len(src) == 0 {
		return nil
	}
	engine := *r.engine
	engine.Explain = true
	s := syntax.Text(src)
	sc := scan.NewScanner(&engine, len(s))
	defer func() {
		if recover() != nil {
			list = []Removal{{Kind: "unscanned", Trigger: "unscanned", Score: 100}}
		}
	}()
	sc.Look(s, engine.Classify(""), true)
	for i := range sc.Spans {
		sp := &sc.Spans[i]
		reason := sp.Reason
		if reason.Trigger == "" {
			reason.Trigger, reason.Score = "form "+sp.Kind.Name(), 100
		}
		list = append(list, Removal{Offset: sp.Offset(), Kind: sp.Kind.Name(), Path: sp.Path,
			Trigger: reason.Trigger, Score: reason.Score})
	}
	sc.Release()
	return list
}
