// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/scan"
)

// An Action is what becomes of a value.
type Action uint8

// The actions. The zero value masks.
const (
	Mask    Action = iota // a mark stands for it
	Keep                  // it stays, and is not looked at
	Drop                  // the whole member or item goes, without a mark
	Replace               // another text stands for it; only for [Options].Callback
)

// String is the action's name, as configuration writes it.
func (a Action) String() string {
	switch a {
	case Mask:
		return "mask"
	case Keep:
		return "keep"
	case Drop:
		return "drop"
	case Replace:
		return "replace"
	}
	return "Action(" + strconv.Itoa(int(a)) + ")"
}

// A Rule says what becomes of the values at a place in JSON, whatever they are.
type Rule struct {
	// Tool is the name of the tool it holds for; a '*' in it stands for any text. "" holds for all.
	Tool string
	// Path is a JSONPath query (RFC 9535) of names, indices, slices with step 1, wildcards and
	// descendants: $.user.email, $['api key'], $.items[0:2].token, $..password. Filters
	// and functions are an error. "" and "$" are the whole value.
	Path   string
	Action Action
	// Kinds limits the rule to values of these kinds, at the path and below it: they are left as
	// they are, so the action has to be [Keep]. Nil is a rule for the whole value, whatever it is.
	Kinds []string
}

func (s *settings) setRules(o *Options) error {
	for i, r := range o.Rules {
		if r.Action > Drop {
			return fmt.Errorf("redact: Options.Rules[%d]: got action %v, want mask, keep or drop", i, r.Action)
		}
		path, err := scan.ParsePath(r.Path)
		if err != nil {
			return fmt.Errorf("redact: Options.Rules[%d]: path %.80q: %w", i, r.Path, err)
		}
		rule := toolRule{PlaceRule: scan.PlaceRule{Path: path, Action: scan.Action(r.Action)}, tool: r.Tool}
		if len(r.Kinds) > 0 {
			if r.Action != Keep {
				return fmt.Errorf("redact: Options.Rules[%d]: got action %v with kinds, want keep", i, r.Action)
			}
			rule.ofKinds = new(kinds.Set)
			if err := eachKind(fmt.Sprintf("Rules[%d].Kinds", i), r.Kinds, rule.ofKinds, (*kinds.Set).Add); err != nil {
				return err
			}
		}
		s.rules = append(s.rules, rule)
	}
	return nil
}

func (c *toolRule) forTool(name string) bool {
	return c.tool == "" || scan.Glob(c.tool, name)
}

// rulesFor lists the rules for one tool, and those for all; with "" only those.
func rulesFor(rules []toolRule, tool string) (list []scan.PlaceRule, ofKinds []scan.KindRule) {
	for i := range rules {
		r := &rules[i]
		switch {
		case !r.forTool(tool):
		case r.ofKinds != nil:
			ofKinds = append(ofKinds, scan.KindRule{Path: r.Path, Kinds: *r.ofKinds})
		default:
			list = append(list, r.PlaceRule)
		}
	}
	return list, ofKinds
}

// maxToolViews is how many tools' redactors are kept; of more, each is made anew.
const maxToolViews = 1024

// toolViews keeps the redactors of tools. Nil keeps none: no rule is for one tool.
type toolViews struct {
	rules  []toolRule
	byName sync.Map
	n      atomic.Int32
}

func newToolViews(rules []toolRule) *toolViews {
	if slices.ContainsFunc(rules, func(r toolRule) bool { return r.tool != "" }) {
		return &toolViews{rules: rules}
	}
	return nil
}
