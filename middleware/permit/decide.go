// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/toolscope/toolscope/middleware/permit/internal/arguments"
	"github.com/toolscope/toolscope/middleware/permit/internal/glob"
	"github.com/toolscope/toolscope/middleware/permit/internal/shell"
	"github.com/toolscope/toolscope/toolkit"
)

// Decide says what holds for a call, without acting on it. tool is the definition of
// the tool called, nil if it is not registered.
func (r *Rules) Decide(tool *toolkit.Definition, call toolkit.Call) Decision {
	p := r.plan(call.Name)
	if c := r.simple(p, tool); c != nil {
		return r.decision(c, "", nil)
	}
	space := r.space
	if tool != nil {
		space = space.In(tool.WorkDir)
	}
	v := &view{rules: r, name: call.Name, tool: tool, text: call.Arguments, space: space.Place()}
	return r.judge(p, v)
}

// simple is the rule that decides where no rule needs the arguments; nil if one that
// could decide does.
func (r *Rules) simple(p *plan, tool *toolkit.Definition) *compiled {
	if p.shell != "" {
		return nil
	}
	for _, c := range p.rules {
		if !c.fits(tool) {
			continue
		}
		if c.deep {
			return nil
		}
		return c
	}
	return r.fallback
}

// fits reports whether the conditions on the tool's definition and on time hold.
func (c *compiled) fits(tool *toolkit.Definition) bool {
	if !c.Expires.IsZero() && !time.Now().Before(c.Expires) {
		return false
	}
	if c.every {
		return true
	}
	d := tool
	if d == nil {
		d = &unsaid
	}
	// Who says nothing is not read-only and not idempotent, and is destructive and open.
	return (c.Risks == nil || slices.Contains(c.Risks, d.Risk)) &&
		(c.Categories == nil || glob.MatchAny(c.Categories, d.Category)) &&
		hinted(c.ReadOnly, d.ReadOnly == toolkit.Yes) && hinted(c.Idempotent, d.Idempotent == toolkit.Yes) &&
		hinted(c.Destructive, d.Destructive != toolkit.No) && hinted(c.OpenWorld, d.OpenWorld != toolkit.No)
}

// unsaid is the definition of a tool that is not registered.
var unsaid toolkit.Definition

func hinted(want toolkit.Hint, is bool) bool {
	return want == toolkit.Unsaid || (want == toolkit.Yes) == is
}

// judge asks all rules that could decide.
func (r *Rules) judge(p *plan, v *view) Decision {
	var programs []string
	if p.shell != "" {
		v.readLines(p.shell)
		programs = v.programs()
	}
	var best verdict
	cover := newCoverage(v)
	for _, c := range p.rules {
		if best.below(c.Effect) && c.fits(v.tool) {
			r.askRule(c, v, &best, cover)
		}
	}
	if best.below(Ask) {
		if why := v.doubt(p.shell != ""); why != "" {
			best.consider(r.doubted, why)
		}
	}
	if best.below(Ask) {
		switch c, part, why := cover.result(); {
		case c != nil && best.rule == nil:
			best = verdict{c, why}
		case part:
			best.consider(r.covered, why)
		}
	}
	if best.rule == nil {
		best = verdict{r.fallback, "no rule speaks of it"}
	}
	if r.fallback.Effect == Deny && best.rule.Effect == Ask {
		if why := r.unlisted(p, v); why != "" {
			best = verdict{r.fallback, why}
		}
	}
	var runs execution
	if p.shell != "" && best.rule.Effect == Allow {
		var why string
		if runs.arguments, why = v.canonical(p.shell); why != "" {
			best = verdict{r.doubted, why}
		}
		if runs.sandbox = open; best.rule.Shell != nil {
			runs.sandbox = cover.sandbox()
		}
	}
	d := r.decision(best.rule, best.reason, programs)
	d.runs = runs
	return d
}

// unlisted says what of a call no rule of the user's speaks of, which `default: deny` denies whatever else would
// ask; "" if the rules speak of all.
func (r *Rules) unlisted(p *plan, v *view) string {
	var listing []*compiled
	for _, c := range p.rules {
		if c.builtin || c.Effect == Deny || !c.fits(v.tool) {
			continue
		}
		if c.Shell == nil || p.shell == "" {
			if _, ok, err := c.holds(v); ok || err != "" {
				return ""
			}
			continue
		}
		listing = append(listing, c)
	}
	if p.shell == "" {
		return "no rule speaks of it"
	}
	for _, l := range v.lines {
		for i := range l.Commands {
			if c := &l.Commands[i]; !slices.ContainsFunc(listing, func(rule *compiled) bool { return rule.lists(c) }) && !v.helps(l, i) {
				return "no rule speaks of " + line(c)
			}
		}
	}
	if len(listing) == 0 {
		return "no rule speaks of it"
	}
	return ""
}

// lists reports whether a rule for shell commands speaks of the command.
func (c *compiled) lists(command *shell.Command) bool {
	if len(command.Words) == 0 {
		return false
	}
	if c.Effect == Allow {
		if _, named := c.level(command); named {
			return true
		}
	}
	return c.matchCommand(command)
}

// verdict is the strictest rule that holds so far, and why it does.
type verdict struct {
	rule   *compiled
	reason string
}

// below reports whether a rule of the effect would change the verdict.
func (b *verdict) below(e Effect) bool { return b.rule == nil || b.rule.Effect < e }

func (b *verdict) consider(c *compiled, why string) {
	if b.below(c.Effect) {
		b.rule, b.reason = c, why
	}
}

// askRule asks one rule. Rules that allow shell commands are collected: several may cover a line.
func (r *Rules) askRule(c *compiled, v *view, best *verdict, cover *coverage) {
	if c.Effect == Allow && c.Shell != nil {
		if _, ok, err := c.conditions(v); ok && err == "" {
			cover.addRule(c)
		}
		return
	}
	switch why, ok, err := c.holds(v); {
	case err != "" && c.Effect != Allow:
		best.consider(r.doubted, err+", and the rule "+c.Name+" asks for it")
	case ok:
		best.consider(c, why)
	}
}

// decision is what the rule decides.
func (r *Rules) decision(c *compiled, reason string, programs []string) Decision {
	d := Decision{
		Effect: c.Effect, Door: c.door, Rule: c.Name, Reason: reason, Programs: programs, Shadow: r.spec.Shadow,
		told: c.told,
	}
	if c.Effect > Allow {
		d.Message = c.message
	}
	if c.ForPerson != "" && c.Effect > Allow {
		if d.Reason != "" {
			d.Reason = c.ForPerson + " (" + d.Reason + ")"
		} else {
			d.Reason = c.ForPerson
		}
	}
	return d
}

// holds reports whether all conditions hold, and why; err says that this cannot be determined.
func (c *compiled) holds(v *view) (why string, ok bool, err string) {
	why, ok, err = c.conditions(v)
	if !ok || err != "" {
		return "", false, err
	}
	switch {
	case c.view != nil:
		why = c.view(v)
		return why, why != "", ""
	case c.Shell != nil:
		why = c.matchShell(v)
		return why, why != "", ""
	}
	return why, true, ""
}

// conditions evaluates when, where and paths, and says what held.
func (c *compiled) conditions(v *view) (why string, ok bool, err string) {
	why = "the rule " + c.Name
	if c.when != nil {
		if ok, err := v.evaluate(c.when); err != nil || !ok {
			return "", false, text(err)
		}
		why = c.when.Source
	}
	for _, w := range c.where {
		if ok, err := v.evaluate(w); err != nil || !ok {
			return "", false, text(err)
		}
		why = "/" + strings.Join(w.Lookup, "/") + ": " + w.Source
	}
	if c.Paths != nil {
		path, err := c.matchPaths(v)
		return "the path " + shown(path), path != "" && err == "", err
	}
	return why, true, ""
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// matchPaths is a path among the arguments that the rule means; "" if there is none.
func (c *compiled) matchPaths(v *view) (path, err string) {
	args := v.arguments()
	if args.Err != nil {
		return "", args.Err.Error()
	}
	var paths []string
	for _, p := range c.pointers {
		paths = append(paths, arguments.Texts(arguments.Lookup(args.Root, p))...)
	}
	if c.pointers == nil {
		paths = v.paths()
	}
	for _, p := range paths {
		switch {
		case v.space.Inside(p) == c.Paths.Inside:
			path = cmp.Or(p, ".") // "" is the directory itself
		case c.Effect == Allow:
			return "", "" // all must be meant
		}
	}
	return path, ""
}
