// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import (
	"github.com/toolscope/toolscope/middleware/permit/internal/glob"
)

import (
	"maps"
	"slices"
	"strings"
)

// plan is what is known of a tool by its name alone.
type plan struct {
	rules []*compiled
	shell string // folded name of the command's argument; "" if the tool is no shell
}

// Version names the rules: it differs when what they say differs.
func (r *Rules) Version() string { return r.version }

// Shadow reports whether decisions are recorded only.
func (r *Rules) Shadow() bool { return r.spec.Shadow }

// Warnings are what is allowed and probably a mistake: rules that contradict each
// other, can never speak, have ended, or allow more than they seem to.
func (r *Rules) Warnings() []string { return slices.Clone(r.warnings) }

// ShellArgument is the argument that holds the command of a tool that runs shell
// commands, in a spelling in which case does not count; false if the rules take the tool for
// none.
func (r *Rules) ShellArgument(tool string) (argument string, ok bool) {
	p := r.plan(tool)
	return p.shell, p.shell != ""
}

// ShellTool is the name of a tool that the rules take for one that runs shell
// commands: the first that a rule on commands names, else bash, else any; "" if there is none.
// It is for those who ask about a command and not about a call.
func (r *Rules) ShellTool() string {
	var names []string
	for _, rule := range r.spec.Rules {
		if rule.Shell != nil {
			names = append(names, rule.Tools...)
		}
	}
	names = append(names, "bash")
	for _, s := range r.shells {
		names = append(names, strings.ReplaceAll(strings.ReplaceAll(s.pattern, "*", ""), "?", "x"))
	}
	for _, name := range names {
		if _, ok := r.ShellArgument(name); ok {
			return name
		}
	}
	return ""
}

// shellArgument is the argument of a tool that holds a shell command; "" if it is no shell. The default names
// are also recognised in any case and behind the name of a server: files__shell_run, mcp.bash.
func (r *Rules) shellArgument(name string) string {
	names := []string{name}
	if r.spec.Shells == nil {
		name = strings.ToLower(name)
		names = append(names, name)
		for _, separator := range []string{"__", ".", "/", ":"} {
			if i := strings.LastIndex(name, separator); i >= 0 {
				names = append(names, name[i+len(separator):])
			}
		}
	}
	for _, s := range r.shells {
		if slices.ContainsFunc(names, func(n string) bool { return glob.Match(s.pattern, n) }) {
			return s.argument
		}
	}
	return ""
}

// plan is what is known of the tool's name. Names come from models, so only so many
// are kept.
func (r *Rules) plan(name string) *plan {
	old := r.plans.Load()
	if p := (*old)[name]; p != nil {
		return p
	}
	p := &plan{}
	p.shell = r.shellArgument(name)
	for _, c := range r.rules {
		if c.Shell != nil && p.shell == "" || c.Tools != nil && !glob.MatchAny(c.Tools, name) {
			continue
		}
		p.rules = append(p.rules, c)
	}
	if len(*old) < maxPlans && len(name) <= 128 {
		more := maps.Clone(*old)
		more[strings.Clone(name)] = p
		r.plans.CompareAndSwap(old, &more) // a lost race costs making it once more
	}
	return p
}
