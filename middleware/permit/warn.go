// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/toolscope/toolscope/middleware/permit/internal/glob"
)

// warn looks for rules that are probably mistakes.
func (r *Rules) warn(now time.Time) {
	for i, a := range r.spec.Rules {
		r.warnRule(a, now)
		for _, b := range r.spec.Rules[i+1:] {
			switch {
			case a.Effect < b.Effect:
				r.warnPair(a, b, a, b)
			case a.Effect > b.Effect:
				r.warnPair(a, b, b, a)
			}
		}
	}
}

func (r *Rules) addWarning(format string, args ...any) {
	if len(r.warnings) < 100 {
		r.warnings = append(r.warnings, fmt.Sprintf(format, args...))
	}
}

// warnRule looks at a rule by itself.
func (r *Rules) warnRule(a Rule, now time.Time) {
	if !a.Expires.IsZero() && !now.Before(a.Expires) {
		r.addWarning("rule %s ended on %s", a.Name, a.Expires.Format(time.RFC3339))
	}
	if a.Shell == nil {
		return
	}
	for _, tool := range a.Tools {
		if _, ok := r.ShellArgument(tool); !ok && !strings.ContainsAny(tool, "*?") {
			r.addWarning("rule %s is about shell commands, and the tool %s is no shell: name it under shells", a.Name, tool)
		}
	}
	if a.Effect != Allow {
		return
	}
	for _, p := range slices.Concat(a.Shell.Prefix, a.Shell.Programs) {
		words := strings.Fields(p)
		switch reads := reads(words[0]); {
		case len(words) > 1:
		case runsAnything[strings.TrimRight(words[0], "*0123456789.")]:
			r.addWarning("rule %s allows %s, which runs any code that a file holds", a.Name, p)
		case manyLevels(words[0]):
			r.addWarning("rule %s allows %s, which means %s: name a level under profiles", a.Name, p, reads)
		case reads == "" && !strings.ContainsAny(words[0], "*?"):
			r.addWarning("rule %s allows %s, which has no profile: all its options are allowed", a.Name, p)
		}
	}
}

// warnPair looks at two rules of different effects.
func (r *Rules) warnPair(a, b, weak, strong Rule) {
	switch {
	case sameConditions(a, b):
		r.addWarning(
			"rules %s and %s contradict each other: the same conditions, %s and %s; %s wins", a.Name, b.Name,
			a.Effect, b.Effect, strong.Effect,
		)
	case unconditional(strong) && coversTools(strong.Tools, weak.Tools):
		r.addWarning(
			"rule %s (%s) never speaks: rule %s (%s) speaks of the same tools without a condition", weak.Name,
			weak.Effect, strong.Name, strong.Effect,
		)
	}
}

var runsAnything = map[string]bool{
	"sh": true, "bash": true, "zsh": true, "dash": true, "ksh": true, "fish": true, "python": true, "perl": true,
	"ruby": true, "node": true, "php": true, "lua": true, "make": true, "npm": true, "npx": true, "docker": true,
	"env": true, "xargs": true, "ssh": true,
}

// conditions are a rule without what it is called and says.
func conditions(r Rule) Rule {
	r.Name, r.Effect, r.ForModel, r.ForPerson, r.Expires = "", Unsaid, "", "", time.Time{}
	r.view = nil
	return r
}

func sameConditions(a, b Rule) bool { return reflect.DeepEqual(conditions(a), conditions(b)) }

func unconditional(r Rule) bool {
	r.Tools = nil
	return r.Expires.IsZero() && reflect.DeepEqual(conditions(r), Rule{})
}

// coversTools reports whether each of the patterns is matched by one of the wide ones.
func coversTools(wide, narrow []string) bool {
	if wide == nil {
		return true
	}
	for _, n := range narrow {
		if !glob.MatchAny(wide, n) {
			return false
		}
	}
	return narrow != nil
}
