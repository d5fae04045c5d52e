// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"

	"github.com/toolscope/toolscope/toolkit"
)

// TestKindsAreTheConstants: Kinds lists exactly the constants that errors.go declares.
func TestKindsAreTheConstants(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "errors.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var declared []string
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		if of, ok := spec.Type.(*ast.Ident); ok && of.Name == "Kind" {
			text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			declared = append(declared, text)
		}
		return true
	})
	var listed []string
	for _, k := range toolkit.Kinds() {
		listed = append(listed, string(k))
	}
	slices.Sort(declared)
	slices.Sort(listed)
	if !slices.Equal(declared, listed) {
		t.Errorf("errors.go declares %q,\nbut Kinds lists %q: add the kind to the table of kinds in errors.go",
			declared, listed)
	}
	for _, k := range toolkit.Kinds() {
		if got := toolkit.TypeOf(k); got != string(k) || !k.Known() {
			t.Errorf("%q: got error.type %q, known %t", string(k), got, k.Known())
		}
	}
}

// TestRefusalKinds says of each kind whether it is a refusal, once more beside the table.
func TestRefusalKinds(t *testing.T) {
	refusals := map[toolkit.Kind]bool{
		toolkit.ErrTool: false, toolkit.ErrTimeout: false, toolkit.ErrCanceled: false, toolkit.ErrPanic: false,
		toolkit.ErrUnknownTool: true, toolkit.ErrInvalidArguments: true, toolkit.ErrPermissionDenied: true,
		toolkit.ErrApprovalDenied: true, toolkit.ErrApprovalExpired: true, toolkit.ErrRateLimited: true,
		toolkit.ErrOverloaded: true, toolkit.ErrCircuitOpen: true, toolkit.ErrLoopDetected: true, toolkit.ErrBudgetExceeded: true,
	}
	for _, k := range toolkit.Kinds() {
		want, said := refusals[k]
		if !said {
			t.Errorf("%s: the test does not say whether it is a refusal", string(k))
		}
		if got := k.Refusal(); got != want {
			t.Errorf("%s: got a refusal %t, want %t", string(k), got, want)
		}
	}
	for _, k := range []toolkit.Kind{"", "db_down", toolkit.TypeOther} {
		if k.Refusal() || k.Known() {
			t.Errorf("%q: got a known kind or a refusal, want neither", string(k))
		}
	}
}

// TestOutcomesAndEndings: each has a name of its own, by which it is found, and values beyond them do
// no harm.
func TestOutcomesAndEndings(t *testing.T) {
	names := map[string]bool{"unknown": true}
	for _, o := range toolkit.Outcomes() {
		if names[o.String()] {
			t.Errorf("outcome %d: got the name %q, want one of its own", o, o)
		}
		names[o.String()] = true
		if got, ok := toolkit.ParseOutcome(o.String()); got != o || !ok {
			t.Errorf("%s: got %s, %t back", o, got, ok)
		}
		if o.Answered() && (o == toolkit.OutcomeExecuted || o == toolkit.OutcomeRefused) {
			t.Errorf("%s: got answered without a run", o)
		}
	}
	if len(toolkit.Outcomes()) != toolkit.OutcomeCount {
		t.Errorf("got %d outcomes, want %d", len(toolkit.Outcomes()), toolkit.OutcomeCount)
	}
	beyond := toolkit.Outcome(toolkit.OutcomeCount)
	if _, ok := toolkit.ParseOutcome("unknown"); ok || beyond.String() != "unknown" || beyond.Answered() {
		t.Errorf("got %s, answered %t, for a value beyond the outcomes", beyond, beyond.Answered())
	}
	names = map[string]bool{"unknown": true}
	for e := range toolkit.Ending(toolkit.EndingCount) {
		if names[e.String()] {
			t.Errorf("ending %d: got the name %q, want one of its own", e, e)
		}
		names[e.String()] = true
	}
	if e := toolkit.Ending(toolkit.EndingCount); e.String() != "unknown" || e.CameBack() {
		t.Errorf("got %s, came back %t, for a value beyond the endings", e, e.CameBack())
	}
}
