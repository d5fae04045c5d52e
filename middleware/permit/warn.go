// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import (
	"fmt"
	"reflect"
	"strings"
	"time"
)

// warn looks for rules that are probably mistakes.
func (r *Rules) warn(now time.Time) {
	say := func(format string, args ...any) {
		if len(r.warnings) < 100 {
			r.warnings = append(r.warnings, fmt.Sprintf(format, args...))
		}
	}
	for i, a := range r.spec.Rules {
		if !a.Expires.IsZero() && !now.Before(a.Expires) {
			say("rule %s ended on %s", a.Name, a.Expires.Format(time.RFC3339))
		}
		for _, tool := range a.Tools {
			if _, ok := r.ShellArgument(tool); a.Shell != nil && !ok && !strings.ContainsAny(tool, "*?") {
				say("rule %s is about shell commands, and the tool %s is no shell: name it under shells", a.Name, tool)
			}
		}
		if a.Effect == Allow && a.Shell != nil {
			for _, p := range append(append([]string(nil), a.Shell.Prefix...), a.Shell.Programs...) {
				if words := strings.Fields(p); len(words) == 1 && runsAnything[strings.TrimRight(words[0], "*0123456789.")] {
					say("rule %s allows %s, which runs any code that a file holds", a.Name, p)
				}
			}
		}
		for _, b := range r.spec.Rules[i+1:] {
			if a.Effect == b.Effect {
				continue
			}
			weak, strong := a, b
			if a.Effect > b.Effect {
				weak, strong = b, a
			}
			switch {
			case sameConditions(a, b):
				say("rules %s and %s contradict each other: the same conditions, %s and %s; %s wins", a.Name, b.Name, a.Effect, b.Effect, strong.Effect)
			case unconditional(strong) && coversTools(strong.Tools, weak.Tools):
				say("rule %s (%s) never speaks: rule %s (%s) speaks of the same tools without a condition", weak.Name, weak.Effect, strong.Name, strong.Effect)
			}
		}
	}
}

var runsAnything = map[string]bool{
	"sh": true, "bash": true, "zsh": true, "dash": true, "ksh": true, "fish": true, "python": true, "perl": true, "ruby": true, "node": true, "php": true, "lua": true, "make": true, "npm": true, "npx": true, "docker": true, "env": true, "xargs": true, "find": true, "ssh": true,
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
		if !anyGlob(wide, n) {
			return false
		}
	}
	return narrow != nil
}
