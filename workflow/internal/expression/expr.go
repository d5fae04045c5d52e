// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/types"
	"github.com/expr-lang/expr/vm"
)

const (
	maxSource = 4 << 10   // bytes of an expression
	maxNodes  = 500       // of its syntax tree
	maxMemory = 1_000_000 // elements that an evaluation may make
)

// functions are the built-in functions of expressions: those whose result depends on their arguments alone, and whose
// size is in proportion to them.
var functions = []string{
	"abs", "all", "any", "ceil", "concat", "count", "countBy", "filter", "find", "findIndex", "findLast", "findLastIndex",
	"first", "flatten", "float", "floor", "fromJSON", "get", "groupBy", "hasPrefix", "hasSuffix", "indexOf", "int", "join",
	"last", "lastIndexOf", "len", "lower", "map", "max", "mean", "median", "min", "none", "one", "replace", "reverse",
	"round", "sort", "sortBy", "split", "string", "sum", "take", "toJSON", "trim", "trimPrefix", "trimSuffix", "type",
	"uniq", "upper",
}

// memberFunction is what access to members is compiled to.
const memberFunction = "__member"

// Reserved reports whether the name has a meaning in expressions that a step of the name would hide.
func Reserved(name string) bool {
	return ordered[name] != nil || slices.Contains([]string{"true", "false", "nil", "not", "in", "and", "or", "matches",
		"contains", "startsWith", "endsWith", "let", "if", "else"}, name)
}

// ordered are functions over maps, in place of built-in ones whose order is random.
var ordered = map[string]func(m map[string]any, keys []string) any{
	"keys": func(_ map[string]any, keys []string) any { return listOf(keys, func(k string) any { return k }) },
	"values": func(m map[string]any, keys []string) any {
		return listOf(keys, func(k string) any { return m[k] })
	},
	"toPairs": func(m map[string]any, keys []string) any {
		return listOf(keys, func(k string) any { return []any{k, m[k]} })
	},
}

func listOf(keys []string, element func(string) any) []any {
	list := make([]any, len(keys))
	for i, k := range keys {
		list[i] = element(k)
	}
	return list
}

func compileExpression(source string, scope Scope, at string) (*Value, error) {
	if len(source) > maxSource {
		return nil, &Error{at, fmt.Sprintf("an expression of %d bytes", len(source)), fmt.Sprintf("at most %d", maxSource)}
	}
	env := types.Map{}
	for _, name := range scope.Names {
		env[name] = types.Any
	}
	seen := &visitor{scope: scope}
	options := []expr.Option{
		expr.Env(env), expr.MaxNodes(maxNodes), expr.DisableAllBuiltins(), expr.Patch(seen),
		expr.Function(memberFunction, func(p ...any) (any, error) { return member(p[0], p[1]) }),
	}
	for _, f := range functions {
		options = append(options, expr.EnableBuiltin(f))
	}
	for name, f := range ordered {
		options = append(options, expr.Function(name, func(p ...any) (any, error) {
			m, ok := p[0].(map[string]any)
			if !ok {
				return nil, fmt.Errorf("%s: got %s, want a mapping", name, TypeName(p[0]))
			}
			return f(m, slices.Sorted(maps.Keys(m))), nil
		}, new(func(any) []any)))
	}
	program, err := expr.Compile(source, options...)
	if seen.err != nil {
		seen.err.Path = at
		return nil, seen.err
	}
	if err != nil {
		return nil, &Error{at, fmt.Sprintf("the expression %.60q: %s", source, firstLine(err)), ""}
	}
	slices.Sort(seen.names)
	return &Value{names: seen.names, bare: true, dynamic: func(env map[string]any) (any, error) {
		machine := vm.VM{MemoryBudget: maxMemory}
		out, err := machine.Run(program, env)
		if err != nil {
			return nil, fmt.Errorf("${ %.60s }: %s", source, firstLine(err))
		}
		return out, nil
	}}, nil
}

func firstLine(err error) string {
	first, _, _ := strings.Cut(err.Error(), "\n")
	return first
}

// A visitor collects the names of an expression, and makes each access to a member one that fails if there is none.
// a?.b stays as it is: it is nil.
type visitor struct {
	scope Scope
	names []string
	err   *Error
}

func (v *visitor) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		if n.Value == memberFunction || ordered[n.Value] != nil {
			return
		}
		v.check([]string{n.Value})
		v.names = append(v.names, n.Value)
	case *ast.BuiltinNode: // those with predicates are not among the functions that the library disables
		if !slices.Contains(functions, n.Name) && v.err == nil {
			v.err = &Error{Got: fmt.Sprintf("the unknown function %q", n.Name), Want: "one of " + strings.Join(functions, ", ")}
		}
	case *ast.CallNode: // a step's id hides the function of the same name
		if id, ok := n.Callee.(*ast.IdentifierNode); ok && slices.Contains(v.scope.Names, id.Value) && v.err == nil {
			v.err = &Error{Got: fmt.Sprintf("a call of %q, which is a value here", id.Value), Want: "another id for the step"}
		}
	case *ast.MemberNode:
		if id, ok := n.Node.(*ast.IdentifierNode); ok {
			if name, ok := n.Property.(*ast.StringNode); ok && !n.Optional {
				v.check([]string{id.Value, name.Value})
			}
		}
		if !n.Optional {
			ast.Patch(node, &ast.CallNode{
				Callee: &ast.IdentifierNode{Value: memberFunction}, Arguments: []ast.Node{n.Node, n.Property},
			})
		}
	}
}

func (v *visitor) check(segments []string) {
	if err := v.scope.check(segments, ""); err != nil && v.err == nil {
		v.err = err.(*Error)
	}
}
