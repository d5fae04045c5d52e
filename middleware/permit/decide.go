// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/toolscope/toolscope/middleware/permit/bash"
	"github.com/toolscope/toolscope/toolkit"
)

// view is a call as the rules look at it. Arguments and shell lines are read when a rule
// first asks.
type view struct {
	rules     *Rules
	name      string
	tool      *toolkit.Definition
	text      []byte // of the arguments
	args      *arguments
	lines     []*bash.Line // of a tool that runs shell commands
	moved     bool         // a line changes the directory to one outside the workspace, or not known
	dirs      []string     // other directories that a line changes to
	variables []string     // that the call sets for the command
}

func (v *view) arguments() *arguments {
	if v.args == nil {
		v.args = readArguments(v.text, v.rules.names)
	}
	return v.args
}

// Decide says what holds for a call, without acting on it. tool is the definition of
// the tool called, nil if it is not registered.
func (r *Rules) Decide(tool *toolkit.Definition, call toolkit.Call) Decision {
	p := r.plan(call.Name)
	if c := r.simple(p, tool); c != nil {
		return r.decision(c, "", nil)
	}
	v := &view{rules: r, name: call.Name, tool: tool, text: call.Arguments}
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
	return (c.Risks == nil || slices.Contains(c.Risks, d.Risk)) && (c.Categories == nil || anyGlob(c.Categories, d.Category)) &&
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
		for _, l := range v.lines {
			for i := range l.Commands {
				if words := l.Commands[i].Words; len(words) > 0 && l.Commands[i].Name != "" {
					programs = append(programs, words[0].Text)
				}
			}
		}
	}
	var best *compiled
	reason := ""
	take := func(c *compiled, why string) {
		if best == nil || c.Effect > best.Effect {
			best, reason = c, why
		}
	}
	cover := newCoverage(v)
	for _, c := range p.rules {
		if best != nil && c.Effect <= best.Effect || !c.fits(v.tool) {
			continue
		}
		if c.Effect == Allow && c.Shell != nil {
			if _, ok, err := c.conditions(v); ok && err == "" {
				cover.add(c)
			}
			continue
		}
		switch why, ok, err := c.holds(v); {
		case err != "" && c.Effect != Allow:
			take(r.doubted, err+", and the rule "+c.Name+" asks for it")
		case ok:
			take(c, why)
		}
	}
	if best == nil || best.Effect < Ask {
		if why := v.doubt(p.shell != ""); why != "" {
			take(r.doubted, why)
		}
	}
	if best == nil || best.Effect < Ask {
		switch c, part, why := cover.result(); {
		case c != nil && best == nil:
			best, reason = c, why
		case part:
			take(r.covered, why)
		}
	}
	if best == nil {
		best, reason = r.fallback, "no rule speaks of it"
	}
	return r.decision(best, reason, programs)
}

// decision is what the rule decides.
func (r *Rules) decision(c *compiled, reason string, programs []string) Decision {
	d := Decision{Effect: c.Effect, Door: c.door, Rule: c.Name, Reason: reason, Programs: programs, Shadow: r.spec.Shadow, told: c.told}
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

// holds reports whether all conditions hold, and why; err says that this cannot be told.
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
		if ok, err := c.when.holds(v); err != nil || !ok {
			return "", false, text(err)
		}
		why = c.when.source
	}
	for _, w := range c.where {
		if ok, err := w.holds(v); err != nil || !ok {
			return "", false, text(err)
		}
		why = "/" + strings.Join(w.pointer, "/") + ": " + w.source
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
	if args.err != nil {
		return "", args.err.Error()
	}
	var paths []string
	for _, p := range c.pointers {
		paths = append(paths, texts(pointer(args.root, p))...)
	}
	if c.pointers == nil {
		paths = v.paths()
	}
	for _, p := range paths {
		switch {
		case v.rules.space.inside(p) == c.Paths.Inside:
			path = cmp.Or(p, ".") // "" is the directory itself
		case c.Effect == Allow:
			return "", "" // all must be meant
		}
	}
	return path, ""
}

// paths are the values of arguments whose names are commonly used for paths.
func (v *view) paths() []string {
	var paths []string
	for name, values := range v.arguments().folded {
		if pathNames[name] {
			for _, value := range values {
				paths = append(paths, texts(value)...)
			}
		}
	}
	return paths
}
