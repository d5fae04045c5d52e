// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package repocheck_test

import (
	"go/ast"
	"strings"
	"testing"
)

// sleepsInBubbles are files whose functions sleep and are called in synctest bubbles only, with the caller.
var sleepsInBubbles = map[string]string{
	"exporters/internal/spool/model_test.go": "TestModel",
}

// TestSleepsHaveAReason: a test that sleeps is slow, or fails on a slow machine, or both. It sleeps in a
// synctest bubble, at the end of each turn of a loop that polls, or a comment on the line or above it
// gives the reason. A helper named bubble calls its argument in a bubble.
func TestSleepsHaveAReason(t *testing.T) {
	walk(t, func(path string) {
		if !strings.HasSuffix(path, "_test.go") || sleepsInBubbles[path] != "" {
			return
		}
		file := parseFile(t, path)
		commented := map[int]bool{}
		for _, group := range file.Comments {
			for line := positions.Position(group.Pos()).Line; line <= positions.Position(group.End()).Line; line++ {
				commented[line] = true
			}
		}
		polls := map[ast.Node]bool{}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if isCall(n, "synctest", "Test") || isCall(n, "", "bubble") {
					return false
				}
				line := positions.Position(n.Pos()).Line
				if isCall(n, "time", "Sleep") && !polls[n] && !commented[line] && !commented[line-1] {
					t.Errorf("%s:%d: time.Sleep: wait in a synctest bubble, for a channel, or in a poll; "+
						"if it has to sleep, say why on this line or above it", path, line)
				}
			case *ast.ForStmt:
				last := n.Post
				if last == nil && len(n.Body.List) > 0 {
					last = n.Body.List[len(n.Body.List)-1]
				}
				if call, ok := last.(*ast.ExprStmt); ok {
					polls[call.X] = true
				}
			}
			return true
		})
	})
}

// isCall reports whether a call is of qualifier.name, or of name without a qualifier.
func isCall(call *ast.CallExpr, qualifier, name string) bool {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return qualifier == "" && f.Name == name
	case *ast.SelectorExpr:
		x, ok := f.X.(*ast.Ident)
		return ok && x.Name == qualifier && f.Sel.Name == name
	}
	return false
}
