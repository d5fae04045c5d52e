// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import (
	"fmt"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/vm"
)

const maxExpression = 4 << 10 // bytes

// A condition is a compiled expression.
type condition struct {
	source  string
	program *vm.Program
	pointer []string // of a where condition; nil for when
}

// functions are what expressions may call: what takes time or memory in proportion to
// its input only.
var functions = []string{"all", "any", "none", "one", "len", "lower", "upper", "trim", "hasPrefix", "hasSuffix", "split", "int", "float", "string", "abs", "min", "max", "keys", "values", "type", "get", "now", "date", "duration"}

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

// newCondition compiles an expression. Names of members are added to names.
func newCondition(source string, keys []string, names map[string]string) (*condition, error) {
	if len(source) > maxExpression {
		return nil, fmt.Errorf("got an expression of %d bytes, want at most %d", len(source), maxExpression)
	}
	var env any = callEnv{}
	if keys != nil {
		env = valueEnv{}
	}
	options := []expr.Option{expr.Env(env), expr.AsBool(), expr.MaxNodes(500), expr.DisableAllBuiltins(), expr.Patch(&members{names})}
	for _, f := range functions {
		options = append(options, expr.EnableBuiltin(f))
	}
	program, err := expr.Compile(source, options...)
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return nil, fmt.Errorf("got an expression that does not compile: %s", first)
	}
	for _, k := range keys {
		names[fold(k)] = k
	}
	return &condition{source, program, keys}, nil
}

// members collects the names of members in an expression.
type members struct{ names map[string]string }

func (m *members) Visit(node *ast.Node) {
	if member, ok := (*node).(*ast.MemberNode); ok {
		if key, ok := member.Property.(*ast.StringNode); ok {
			m.names[fold(key.Value)] = key.Value
		}
	}
}

// holds evaluates the condition; an error says that it cannot be told.
func (c *condition) holds(v *view) (ok bool, err error) {
	args := v.arguments()
	if args.err != nil {
		return false, args.err
	}
	var env any
	if c.pointer != nil {
		env = valueEnv{pointer(args.root, c.pointer)}
	} else {
		call := callEnv{Tool: v.name}
		call.Args, _ = args.root.(map[string]any)
		if v.tool != nil {
			call.Category = v.tool.Category
		}
		env = call
	}
	machine := vm.VM{MemoryBudget: 100_000}
	out, err := machine.Run(c.program, env)
	if err != nil {
		return false, fmt.Errorf("the condition %.60q cannot be evaluated", c.source)
	}
	if ok, is := out.(bool); is {
		return ok, nil
	}
	return false, fmt.Errorf("the condition %.60q is neither true nor false", c.source)
}
