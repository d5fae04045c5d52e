// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package adaptertest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
	"github.com/toolscope/toolscope/tracing"
)

// updateEnv is the variable that makes [Run] rewrite [File]. It is no flag: a test may have one of that name.
const updateEnv = "ADAPTERTEST_UPDATE"

// File is the table of an adapter, in its directory.
const File = "conformance.txt"

// Run runs all rows as tests of their own and compares the table with [File].
func Run(t *testing.T, f Framework) {
	t.Helper()
	var table strings.Builder
	for _, row := range rows {
		reason, excused := f.Cannot[row.name]
		var err error
		t.Run(row.name, func(t *testing.T) {
			if excused && slices.Contains(f.Deadly, row.name) {
				t.Skip(reason)
			}
			err = row.check(&bench{f: f})
			switch {
			case excused && err == nil:
				t.Errorf("passes, but Cannot has %q", reason)
			case excused:
				t.Logf("cannot: %s (%v)", reason, err)
			case err != nil:
				t.Error(err)
			}
		})
		says := "yes"
		if excused {
			says = "no: " + reason
		}
		fmt.Fprintf(&table, "%s\t%s\n", row.name, says)
	}
	for name := range f.Cannot {
		if !slices.ContainsFunc(rows, func(r row) bool { return r.name == name }) {
			t.Errorf("Cannot has %q, which is no row", name)
		}
	}
	compare(t, table.String())
}

func compare(t *testing.T, table string) {
	t.Helper()
	if os.Getenv(updateEnv) != "" {
		if err := os.WriteFile(File, []byte(table), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	was, err := os.ReadFile(File)
	if err != nil || !bytes.Equal(was, []byte(table)) {
		t.Errorf("%s (%v): got\n%s\nwant\n%s(ADAPTERTEST_UPDATE=1 go test rewrites it)", File, err, was, table)
	}
}

// bench is what one row needs.
type bench struct {
	f    Framework
	seen tooltest.Recorder
	prov provider
	made trace.TracerProvider // by Framework.Provider
}

// tracers is where the spans of the framework and of toolscope go.
func (b *bench) tracers() trace.TracerProvider {
	if b.made == nil {
		b.made = &b.prov
		if b.f.Provider != nil {
			b.made = b.f.Provider(&b.prov)
		}
	}
	return b.made
}

// run lets the framework's loop run with a scope that has these policies. It ends with the calls that
// toolscope has recorded.
func (b *bench) run(ctx context.Context, t Turn, policies ...middleware.Policy) ([]Answer, []toolkit.Ended, error) {
	scope, err := b.scope(policies)
	if err != nil {
		return nil, nil, err
	}
	answers, ended, err := b.with(ctx, scope, t)
	return answers, ended, errors.Join(err, scope.Shutdown(context.Background()))
}

func (b *bench) scope(policies []middleware.Policy) (*toolscope.Scope, error) {
	return toolscope.New(toolscope.Options{
		Observers: []toolkit.Observer{&b.seen}, Policies: policies, TracerProvider: b.tracers(),
		Content: tracing.ContentOn,
	})
}

// with lets the loop run once in a scope.
func (b *bench) with(ctx context.Context, scope *toolscope.Scope, t Turn) ([]Answer, []toolkit.Ended, error) {
	t.Scope = scope
	answers, err := b.guarded(ctx, t)
	if n := b.seen.Open(); n != 0 {
		return nil, nil, fmt.Errorf("%d calls have begun and not ended", n)
	}
	return answers, b.seen.TakeAll(), err
}

// bare is the same without toolscope.
func (b *bench) bare(ctx context.Context, t Turn) ([]Answer, error) { return b.guarded(ctx, t) }

// errPanicked is a panic that left the framework's loop.
var errPanicked = errors.New("the loop panicked")

func (b *bench) guarded(ctx context.Context, t Turn) (answers []Answer, err error) {
	t.Provider = b.tracers()
	defer func() {
		if v := recover(); v != nil {
			answers, err = nil, fmt.Errorf("%w: %v", errPanicked, v)
		}
	}()
	return b.f.Run(ctx, t)
}

// one runs one call of one tool, with and without toolscope, and returns the recorded call if both
// gave the model the same.
func (b *bench) one(ctx context.Context, tool Tool) (toolkit.Ended, error) {
	ended, err := b.all(ctx, tool)
	if err != nil {
		return toolkit.Ended{}, err
	}
	if len(ended) != 1 {
		return toolkit.Ended{}, fmt.Errorf("got %d recorded calls, want 1", len(ended))
	}
	return ended[0], nil
}

// all is one, with all that was recorded.
func (b *bench) all(ctx context.Context, tool Tool) ([]toolkit.Ended, error) {
	turn := Turn{Tools: []Tool{tool}, Calls: []toolkit.Call{searchCall}}
	want, wantErr := b.bare(ctx, turn)
	if errors.Is(wantErr, ErrKind) {
		return nil, wantErr
	}
	got, ended, gotErr := b.run(ctx, turn)
	same := text(gotErr) == text(wantErr) ||
		tool.Kind == Suspends && gotErr != nil && wantErr != nil // its error may have an id
	if !slices.Equal(got, want) || !same {
		return nil, fmt.Errorf("the model was given %+v (%v), without toolscope %+v (%v)", got, gotErr, want, wantErr)
	}
	return ended, nil
}

// searchCall calls the tool that plain makes.
var searchCall = toolkit.Call{ID: "call_1", Name: "search", Arguments: json.RawMessage(`{"q":"x"}`)}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// ErrKind is what [Framework].Run returns for a tool of a kind that the framework does not have.
var ErrKind = errors.New("the framework has no tool of this kind")

// plain is a tool named "search".
func plain(kind Kind, run func(ctx context.Context, arguments json.RawMessage) (string, error)) Tool {
	return Tool{Definition: definition("search"), Kind: kind, Run: run}
}

func definition(name string) toolkit.Definition {
	return toolkit.Definition{
		Name: name, Description: "Finds pages.", ReadOnly: toolkit.Yes,
		InputSchema: json.RawMessage(`{"type":"object","properties":{"q":{"type":"string"}}}`),
	}
}

func answer(output string, err error) func(context.Context, json.RawMessage) (string, error) {
	return func(context.Context, json.RawMessage) (string, error) { return output, err }
}

// names are the keys of a map in order.
func names[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
