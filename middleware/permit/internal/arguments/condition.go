// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package arguments

import (
	"fmt"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/vm"
)

const maxExpression = 4 << 10 // bytes

// A Condition is a compiled expression.
type Condition struct {
	Source  string
	program *vm.Program
	Lookup  []string // of a where condition; nil for when
}

// functions are what expressions may call: what takes time or memory in proportion to
// its input only.
var functions = []string{"all", "any", "none", "one", "len", "lower", "upper", "trim", "hasPrefix", "hasSuffix",
	"split", "int", "float", "string", "abs", "min", "max", "keys", "values", "type", "get", "now", "date", "duration"}

// callEnv is what a when condition sees, valueEnv what a where condition does.
type (
	callEnv struct {
		Args     map[string]any `expr:"args"`
		Tool     string         `expr:"tool"`
		Category string         `expr:"category"`
	}
	valueEnv struct {
		Value any `expr:"value"`
	}
)

// CompileCondition compiles an expression. Names of members are added to names.
func CompileCondition(source string, keys []string, names map[string]string) (*Condition, error) {
	if len(source) > maxExpression {
		return nil, fmt.Errorf("got an expression of %d bytes, want at most %d", len(source), maxExpression)
	}
	var env any = callEnv{}
	if keys != nil {
		env = valueEnv{}
	}
	options := []expr.Option{
		expr.Env(env), expr.AsBool(), expr.MaxNodes(500), expr.DisableAllBuiltins(), expr.Patch(&members{names}),
	}
	for _, f := range functions {
		options = append(options, expr.EnableBuiltin(f))
	}
	program, err := expr.Compile(source, options...)
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return nil, fmt.Errorf("got an expression that does not compile: %s", first)
	}
	for _, k := range keys {
		names[Fold(k)] = k
	}
	return &Condition{source, program, keys}, nil
}

// members collects the names of members in an expression.
type members struct{ names map[string]string }

func (m *members) Visit(node *ast.Node) {
	if member, ok := (*node).(*ast.MemberNode); ok {
		if key, ok := member.Property.(*ast.StringNode); ok {
			m.names[Fold(key.Value)] = key.Value
		}
	}
}

// Holds evaluates the condition; an error says that it cannot be determined.
func (c *Condition) Holds(args *Arguments, tool, category string) (ok bool, err error) {
	if args.Err != nil {
		return false, args.Err
	}
	var env any
	if c.Lookup != nil {
		env = valueEnv{Lookup(args.Root, c.Lookup)}
	} else {
		members, _ := args.Root.(map[string]any)
		env = callEnv{Args: members, Tool: tool, Category: category}
	}
	machine := vm.VM{MemoryBudget: 100_000}
	out, err := machine.Run(c.program, env)
	if err != nil {
		return false, fmt.Errorf("the condition %.60q cannot be evaluated", c.Source)
	}
	if ok, is := out.(bool); is {
		return ok, nil
	}
	return false, fmt.Errorf("the condition %.60q is neither true nor false", c.Source)
}
