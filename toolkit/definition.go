// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"
	"unicode"
	"unicode/utf8"
)

// ToolType is the value of gen_ai.tool.type.
type ToolType string

// The types of the OpenTelemetry conventions. "" counts as ToolFunction.
const (
	ToolFunction  ToolType = "function"  // runs on the client's side
	ToolExtension ToolType = "extension" // runs on the agent's side, against outside systems
	ToolDatastore ToolType = "datastore" // looks up data
)

// Risk is how much harm a tool can do; "" says nothing.
type Risk string

// The risks.
const (
	RiskLow    Risk = "low"
	RiskMedium Risk = "medium"
	RiskHigh   Risk = "high"
)

// A Hint is yes, no, or nothing said (the zero value). A policy treats a tool that
// says nothing as one that may write, destroy and must not be repeated.
type Hint uint8

// The hints.
const (
	Unsaid Hint = iota
	Yes
	No
)

// HintOf is Yes for true and No for false.
func HintOf(b bool) Hint {
	if b {
		return Yes
	}
	return No
}

// A RateLimit is how many calls are allowed in a window; MaxCalls 0 is no limit.
type RateLimit struct {
	MaxCalls int           `yaml:"calls" doc:"0 is no limit."`
	Window   time.Duration `yaml:"window" doc:"How long the window is."`
}

// A Definition describes a tool: what the model sees, and what policies need.
// It is fixed once the tool is registered.
type Definition struct {
	// Name is 1 to 128 printable bytes without blanks, as the model calls it.
	Name string
	// Title is for people; Description is for the model.
	Title, Description string
	// InputSchema is a JSON Schema object; nil counts as {"type":"object"}.
	InputSchema json.RawMessage
	// OutputSchema is the JSON Schema of the structured result; nil if it has none.
	OutputSchema json.RawMessage

	Type     ToolType // gen_ai.tool.type; "" is ToolFunction
	Category string   // for grouping and rules; "" is none
	Risk     Risk

	// ReadOnly, Idempotent, Destructive and OpenWorld are MCP's annotations.
	ReadOnly, Idempotent, Destructive, OpenWorld Hint
	// RequiresApproval asks for a person before each call.
	RequiresApproval bool
	// CallsTools says that the tool calls other tools through the same policies, as a workflow does. The Limit policy gives
	// its calls no slot, which they would hold while their own calls wait for one. Rate limits hold. The Approve policy
	// asks because of their risk and arguments instead of the tool's own; RequiresApproval and rules hold.
	CallsTools bool

	Timeout   time.Duration // running time of one attempt; 0 leaves it to the host, below 0 is none
	RateLimit RateLimit
	CacheTTL  time.Duration // how long an answer may be stored; 0 leaves it to the host, below 0 is never
	Cost      float64       // estimated cost of one call, in your application's currency

	// Resources are tags of what the tool reads or writes: "files", "db:main". A
	// write makes stored reads with a tag in common stale; nil may be anything, so
	// it has a tag in common with every tool.
	Resources []string
	// WorkDir is the directory to which the tool's names of files are relative, absolute; "" is the process's
	// working directory. Rules about files need it.
	WorkDir string
	// Volatile are the names of top-level arguments that do not count when two
	// calls are compared (a request id, a timestamp); nil: all count.
	Volatile []string
	// Skill says which arguments name an agent skill that the tool loads or reads; the zero value says none.
	Skill SkillArguments
}

// SkillArguments are the names of top-level arguments of a tool for agent skills. Spans of calls carry their values, as
// gen_ai.skill.name and gen_ai.skill.resource.name.
type SkillArguments struct {
	// Name is the argument with the skill's name; "" is none.
	Name string
	// Resource is the argument with the path of a file inside the skill, for tools that read one; "" is none.
	Resource string
}

// maxName is the longest tool name a definition may have, in bytes: MCP's limit.
const maxName = 128

// Validate returns an error that names the first field that is wrong, what it is
// and what is wanted; nil if the definition can be registered.
func (d *Definition) Validate() error {
	wrong := func(field, got, want string) error {
		return fmt.Errorf("toolkit: definition of %s: %s: got %s, want %s", quote(d.Name), field, got, want)
	}
	if err := checkName(d.Name); err != "" {
		return wrong("Name", err, "1 to 128 printable bytes without blanks")
	}
	for _, s := range []struct {
		field  string
		schema json.RawMessage
	}{{"InputSchema", d.InputSchema}, {"OutputSchema", d.OutputSchema}} {
		if len(s.schema) > 0 && !isObject(s.schema) {
			return wrong(s.field, "text that is no JSON object", "a JSON Schema object, or nil")
		}
	}
	switch d.Type {
	case "", ToolFunction, ToolExtension, ToolDatastore:
	default:
		return wrong("Type", quote(string(d.Type)), `"function", "extension" or "datastore"`)
	}
	switch d.Risk {
	case "", RiskLow, RiskMedium, RiskHigh:
	default:
		return wrong("Risk", quote(string(d.Risk)), `"low", "medium" or "high"`)
	}
	if l := d.RateLimit; l.MaxCalls < 0 || l.MaxCalls > 0 && l.Window <= 0 {
		return wrong(
			"RateLimit", fmt.Sprintf("%d calls in %v", l.MaxCalls, l.Window),
			"no calls, or a number of calls in a window above 0",
		)
	}
	if !(d.Cost >= 0) || math.IsInf(d.Cost, 0) {
		return wrong("Cost", fmt.Sprint(d.Cost), "a number of 0 or more")
	}
	return nil
}

// OfCategory returns the definitions of one category, in their order: those of a [Registry], or of any other source of
// definitions.
func OfCategory(defs []Definition, category string) []Definition {
	var of []Definition
	for i := range defs {
		if defs[i].Category == category {
			of = append(of, defs[i])
		}
	}
	return of
}

// isObject reports whether text is one JSON object.
func isObject(text []byte) bool {
	text = bytes.TrimSpace(text)
	return len(text) > 0 && text[0] == '{' && json.Valid(text)
}

// checkName says what is wrong with a tool's name; "" if nothing is.
func checkName(name string) string {
	switch {
	case name == "":
		return "an empty name"
	case len(name) > maxName:
		return fmt.Sprintf("%d bytes", len(name))
	case !utf8.ValidString(name):
		return "invalid UTF-8"
	}
	for _, r := range name {
		if !unicode.IsGraphic(r) || unicode.IsSpace(r) {
			return fmt.Sprintf("the character %U", r)
		}
	}
	return ""
}

func (d Definition) clone() *Definition {
	d.InputSchema = slices.Clone(d.InputSchema)
	d.OutputSchema = slices.Clone(d.OutputSchema)
	d.Resources = slices.Clone(d.Resources)
	d.Volatile = slices.Clone(d.Volatile)
	return &d
}
