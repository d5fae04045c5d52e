// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/toolscope/toolscope/middleware/permit/internal/arguments"
	"github.com/toolscope/toolscope/middleware/permit/internal/workspace"
	"github.com/toolscope/toolscope/toolkit"
)

// The bounds of a spec.
const (
	maxRules    = 1000
	maxPatterns = 200 // of one field
	maxText     = 4 << 10
	maxPlans    = 1024
)

// defaultShells are the tools that are taken for shells, with the argument that holds
// the command.
var defaultShells = map[string]string{
	"shell_run": "command", "shell_start": "command", "bash": "command", "Bash": "command", "sh": "command",
	"shell": "command", "terminal": "command",
	"*run_command": "command", "*execute_command": "command", "*exec_command": "command", "*run_shell*": "command",
	"*run_terminal*": "command", "*bash_tool": "command",
	"*shell_command": "command", "*execute_shell*": "command", "*shell_exec*": "command",
	"*execute_bash*": "command", "*run_bash*": "command", "*run_in_terminal": "command", "*run_cli*": "command",
	"local_shell": "command", "zsh": "command", "exec": "command",
	"powershell": "command", "pwsh": "command",
}

// Rules are compiled rules. They do not change; safe for concurrent use.
type Rules struct {
	spec     Spec
	rules    []*compiled
	space    *workspace.Workspace
	version  string
	warnings []string
	shells   []shellTool
	names    map[string]string // folded names that conditions use, and their spelling
	byName   map[string]*compiled
	plans    atomic.Pointer[map[string]*plan]

	fallback, doubted, covered *compiled
}

// shellTool is a pattern of tools and the folded name of their argument.
type shellTool struct{ pattern, argument string }

// compiled is a rule that is ready to be asked.
type compiled struct {
	Rule
	when     *arguments.Condition
	where    []*arguments.Condition
	pointers [][]string
	prefixes [][]string
	programs []string
	levels   map[string]int // of profiles, by program
	least    []int          // the level of each prefix's profile, in a rule that allows
	door     Door
	told     *told
	message  string
	every    bool // no condition on the tool's definition
	deep     bool // conditions on the arguments
}

// A specError is one thing that is wrong with a spec. Rule is the rule's index, -1 for
// the spec itself; Field is as in a file: "shell.prefix[0]".
type specError struct {
	Rule  int
	Field string
	Text  string // what was got and what is wanted
}

// Error is the field and the text.
func (e *specError) Error() string {
	if e.Rule < 0 {
		return "permit: " + e.Field + ": " + e.Text
	}
	return fmt.Sprintf("permit: rules[%d].%s: %s", e.Rule, e.Field, e.Text)
}

// Compile checks a spec and makes it ready. The error is a [*specError]. The spec may be
// changed afterwards.
func Compile(spec Spec) (*Rules, error) {
	spec.Rules = slices.Clone(spec.Rules)
	spec.Workspace = slices.Clone(spec.Workspace)
	spec.Shells = maps.Clone(spec.Shells)
	wrong := func(field, format string, args ...any) (*Rules, error) {
		return nil, &specError{-1, field, fmt.Sprintf(format, args...)}
	}
	if spec.Default > Deny {
		return wrong("default", "got effect %d, want allow, ask or deny", spec.Default)
	}
	if len(spec.Rules) > maxRules {
		return wrong("rules", "got %d rules, want at most %d", len(spec.Rules), maxRules)
	}
	if len(spec.Workspace) > maxPatterns || len(spec.Shells) > maxPatterns {
		return wrong(
			"workspace", "got %d directories and %d shells, want at most %d each", len(spec.Workspace),
			len(spec.Shells), maxPatterns,
		)
	}
	space, err := workspace.New(spec.Workspace)
	if err != nil {
		return wrong("workspace", "the working directory cannot be found: %v", err)
	}
	r := &Rules{spec: spec, space: space, names: map[string]string{}, byName: map[string]*compiled{}}
	shells := spec.Shells
	if shells == nil {
		shells = defaultShells
	}
	for _, pattern := range slices.Sorted(maps.Keys(shells)) {
		if pattern == "" || shells[pattern] == "" {
			return wrong("shells", "got an empty pattern or argument, want a pattern of tool names and the name of an argument")
		}
		r.shells = append(r.shells, shellTool{pattern, arguments.Fold(shells[pattern])})
	}
	all := spec.Rules
	if !spec.NoBuiltin {
		all = append(builtins(), all...)
	}
	for i, rule := range all {
		c, err := r.compile(rule, i-(len(all)-len(spec.Rules)))
		if err != nil {
			return nil, err
		}
		r.rules = append(r.rules, c)
	}
	// The strictest first: a rule that cannot change the decision is not asked.
	slices.SortStableFunc(r.rules, func(a, b *compiled) int { return int(b.Effect) - int(a.Effect) })
	if spec.Default == Unsaid {
		r.spec.Default = Allow
	}
	r.fallback = r.own("", r.spec.Default, DoorDefault, "no rule allows it")
	r.doubted = r.own(
		ruleUnderstood, Ask, DoorRules,
		"it cannot be understood without running it; write it as one plain command, without computed names and "+
			"without code for other programs",
	)
	r.covered = r.own(
		ruleCovered, Ask, DoorRules,
		"a rule allows a part of the command only; run the allowed part by itself, without redirections, variables and '&'",
	)
	empty := map[string]*plan{}
	r.plans.Store(&empty)
	r.version = digest(&spec, space)
	r.warn(time.Now())
	return r, nil
}

// own is a rule of the gate's own.
func (r *Rules) own(name string, effect Effect, door Door, text string) *compiled {
	c := &compiled{Rule: Rule{Name: name, Effect: effect}, door: door}
	c.told = newTold(effect, door, name, r.spec.Shadow)
	c.message = refusal(effect, text)
	return c
}

// refusal is a text for the model.
func refusal(effect Effect, text string) string {
	if effect == Ask {
		return "needs a person's approval, and no approver is configured: " + text
	}
	return "not permitted: " + text
}

// compile checks one rule.
func (r *Rules) compile(rule Rule, index int) (*compiled, error) {
	c := &compiled{Rule: rule, door: DoorRules}
	if rule.builtin && rule.Effect == Deny {
		c.door = DoorDenyList
	}
	for _, step := range []func(c *compiled) (field, wrong string){
		r.compileName, (*compiled).checkFields, r.compileConditions, r.compilePaths, (*compiled).compileShell,
	} {
		if field, wrong := step(c); wrong != "" {
			return nil, &specError{index, field, wrong}
		}
	}
	c.every = rule.Categories == nil && rule.Risks == nil &&
		rule.ReadOnly|rule.Idempotent|rule.Destructive|rule.OpenWorld == toolkit.Unsaid
	c.deep = c.when != nil || c.where != nil || c.Paths != nil || c.view != nil || c.Shell != nil
	c.told = newTold(rule.Effect, c.door, rule.Name, r.spec.Shadow)
	text := rule.ForModel
	if text == "" {
		text = "the rule " + rule.Name + " says so; choose another way, or ask the user"
	}
	c.message = refusal(rule.Effect, text)
	return c, nil
}

func (r *Rules) compileName(c *compiled) (field, wrong string) {
	other := r.byName[c.Name]
	switch {
	case !goodName(c.Name):
		wrong = fmt.Sprintf("got %.80q, want 1 to 64 letters, digits, '-', '_' or '.'", c.Name)
	case c.Name == ruleUnderstood || c.Name == ruleCovered:
		wrong = fmt.Sprintf("got %q, want a name that the gate does not use itself", c.Name)
	case other != nil && other.builtin:
		wrong = fmt.Sprintf("got %q, want a name that no built-in rule has", c.Name)
	case other != nil:
		wrong = fmt.Sprintf("got %q twice, want a name of its own", c.Name)
	}
	r.byName[c.Name] = c
	return "name", wrong
}

// checkFields checks what needs no compiling.
func (c *compiled) checkFields() (field, wrong string) {
	if c.Effect == Unsaid || c.Effect > Deny {
		return "effect", fmt.Sprintf("got %q, want allow, ask or deny", c.Effect)
	}
	if wrong := patterns(c.Tools); wrong != "" {
		return "tools", wrong
	}
	if wrong := patterns(c.Categories); wrong != "" {
		return "categories", wrong
	}
	for _, risk := range c.Risks {
		if risk != toolkit.RiskLow && risk != toolkit.RiskMedium && risk != toolkit.RiskHigh {
			return "risks", fmt.Sprintf("got %.40q, want low, medium or high", string(risk))
		}
	}
	for i, hint := range []toolkit.Hint{c.ReadOnly, c.Idempotent, c.Destructive, c.OpenWorld} {
		if hint > toolkit.No {
			return []string{"read_only", "idempotent", "destructive", "open_world"}[i], fmt.Sprintf(
				"got hint %d, want yes, no or nothing", hint,
			)
		}
	}
	if len(c.ForModel) > maxText || len(c.ForPerson) > maxText {
		return "for_model", fmt.Sprintf("got a text of more than %d bytes", maxText)
	}
	return "", ""
}

// compileConditions compiles when and where.
func (r *Rules) compileConditions(c *compiled) (field, wrong string) {
	var err error
	if c.When != "" {
		if c.when, err = arguments.CompileCondition(c.When, nil, r.names); err != nil {
			return "when", err.Error()
		}
	}
	if len(c.Where) > maxPatterns {
		return "where", fmt.Sprintf("got %d conditions, want at most %d", len(c.Where), maxPatterns)
	}
	for _, p := range slices.Sorted(maps.Keys(c.Where)) {
		keys, err := arguments.ParsePointer(p)
		if err != nil {
			return "where", err.Error()
		}
		one, err := arguments.CompileCondition(c.Where[p], keys, r.names)
		if err != nil {
			return "where[" + p + "]", err.Error()
		}
		c.where = append(c.where, one)
	}
	return "", ""
}

func (r *Rules) compilePaths(c *compiled) (field, wrong string) {
	if c.Paths == nil {
		return "", ""
	}
	if c.Paths.Inside == c.Paths.Outside {
		return "paths", "got neither or both of inside and outside, want one"
	}
	if len(c.Paths.Arguments) > maxPatterns {
		return "paths", fmt.Sprintf("got %d arguments, want at most %d", len(c.Paths.Arguments), maxPatterns)
	}
	for _, p := range c.Paths.Arguments {
		keys, err := arguments.ParsePointer(p)
		if err != nil {
			return "paths", err.Error()
		}
		for _, k := range keys {
			r.names[arguments.Fold(k)] = k
		}
		c.pointers = append(c.pointers, keys)
	}
	return "", ""
}

func (c *compiled) compileShell() (field, wrong string) {
	s := c.Shell
	if s == nil {
		return "", ""
	}
	if field, wrong := c.compileProfiles(); wrong != "" {
		return field, wrong
	}
	if len(s.Prefix)+len(s.Programs)+len(s.Profiles)+len(s.Arguments)+len(s.Writes) == 0 {
		return "shell", "got no condition, want prefix, programs, profiles, arguments or writes"
	}
	if c.Effect == Allow && len(s.Prefix)+len(s.Programs)+len(s.Profiles) == 0 {
		return "shell", "got a rule that allows without prefix, programs or profiles, want one of them"
	}
	if c.Effect == Allow && len(s.Writes) > 0 {
		return "shell.writes", "got it in a rule that allows, want it in one that asks or denies"
	}
	for _, list := range []struct {
		field  string
		values []string
	}{{"shell.prefix", s.Prefix}, {"shell.programs", s.Programs}, {"shell.arguments", s.Arguments}, {"shell.writes", s.Writes}} {
		if err := patterns(list.values); err != "" {
			return list.field, err
		}
	}
	for _, p := range s.Prefix {
		words := strings.Fields(strings.TrimSuffix(strings.TrimSuffix(p, "*"), ":"))
		if len(words) == 0 || strings.ContainsAny(strings.Join(words, ""), "*?;|&<>()$`\\\"'") {
			return "shell.prefix", fmt.Sprintf("got %.80q, want the first words of a command without patterns, quotes and operators", p)
		}
		c.prefixes = append(c.prefixes, words)
		if c.Effect == Allow {
			c.least = append(c.least, lowest(words))
		}
	}
	for _, p := range s.Programs {
		if c.Effect == Allow && strings.Trim(p, "*?") == "" {
			return "shell.programs", fmt.Sprintf("got %q in a rule that allows, want names", p)
		}
		c.programs = append(c.programs, strings.ToLower(p))
	}
	return "", ""
}

func patterns(values []string) string {
	if len(values) > maxPatterns {
		return fmt.Sprintf("got %d patterns, want at most %d", len(values), maxPatterns)
	}
	for _, v := range values {
		if v == "" || len(v) > 256 {
			return fmt.Sprintf("got a pattern of %d bytes, want 1 to 256", len(v))
		}
	}
	return ""
}

func goodName(s string) bool {
	for i := range len(s) {
		if c := s[i]; !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c == '.') {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

// digest names what was compiled.
func digest(spec *Spec, space *workspace.Workspace) string {
	h := sha256.New()
	fmt.Fprintf(h, "%v %d %v %q %q", spec.Shadow, spec.Default, spec.NoBuiltin, space.Roots, spec.Shells)
	for _, r := range spec.Rules {
		fmt.Fprintf(h, "\n%q %d %q %q %q %d%d%d%d %q %q %q %q %v", r.Name, r.Effect, r.Tools, r.Categories, r.Risks,
			r.ReadOnly, r.Idempotent, r.Destructive, r.OpenWorld, r.When, r.Where, r.ForModel, r.ForPerson, r.Expires)
		if r.Paths != nil {
			fmt.Fprintf(h, " %q %v", r.Paths.Arguments, *r.Paths)
		}
		if r.Shell != nil {
			fmt.Fprintf(h, " %q %q %q %q %q %v", r.Shell.Prefix, r.Shell.Programs, r.Shell.Arguments, r.Shell.Writes,
				r.Shell.Profiles, r.Shell.Network)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
