// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package adaptertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/cache"
	"github.com/toolscope/toolscope/toolkit"
)

type row struct {
	name  string
	check func(*bench) error
}

var rows = []row{
	{CallID, checkCallID},
	{Parent, checkParent},
	{Session, checkSession},
	{Definition, checkDefinition},
	{Arguments, checkArguments},
	{Result, checkResult},
	{GoError, checkGoError},
	{SoftError, checkSoftError},
	{Panic, checkPanic},
	{Unknown, checkUnknown},
	{Suspended, checkSuspended},
	{Parallel, checkParallel},
	{Stream, checkStream},
	{Refused, checkRefused},
	{Cached, checkCached},
	{OneSpan, checkOneSpan},
}

func checkCallID(b *bench) error {
	e, err := b.one(context.Background(), plain(Plain, answer("1 hit", nil)))
	if err != nil {
		return err
	}
	return want("id", e.Call.ID, "call_1")
}

// checkParent: the span belongs to the caller's trace, and what the tool does belongs to the span.
func checkParent(b *bench) error {
	ctx, root := b.prov.Tracer("test").Start(context.Background(), "root")
	defer root.End()
	var inside trace.SpanContext
	tool := plain(Plain, func(ctx context.Context, _ json.RawMessage) (string, error) {
		inside = trace.SpanContextFromContext(ctx)
		return "1 hit", nil
	})
	e, err := b.one(ctx, tool)
	if err != nil {
		return err
	}
	if got := trace.TraceID(e.Info.Span.TraceID); got != root.SpanContext().TraceID() {
		return fmt.Errorf("got trace %s, want the caller's %s", got, root.SpanContext().TraceID())
	}
	return want("span in the tool", inside.SpanID(), trace.SpanID(e.Info.Span.SpanID))
}

func checkSession(b *bench) error {
	id := b.f.Session
	ctx := context.Background()
	if id == "" {
		id = "s1"
		ctx = toolkit.WithSession(ctx, toolkit.Session{ID: id})
	}
	e, err := b.one(ctx, plain(Plain, answer("1 hit", nil)))
	if err != nil {
		return err
	}
	if e.Info.Session == nil {
		return errors.New("the call has no session")
	}
	return want("session", e.Info.Session.ID, id)
}

// checkDefinition: name, description and schema are those of the framework's tool.
func checkDefinition(b *bench) error {
	e, err := b.one(context.Background(), plain(Plain, answer("1 hit", nil)))
	if err != nil {
		return err
	}
	if e.Info.Tool == nil {
		return errors.New("the call has no definition")
	}
	if err := want("description", e.Info.Tool.Description, "Finds pages."); err != nil {
		return err
	}
	var schema struct{ Properties map[string]any }
	if err := json.Unmarshal(e.Info.Tool.InputSchema, &schema); err != nil {
		return fmt.Errorf("input schema: %w", err)
	}
	return want("properties", strings.Join(names(schema.Properties), ","), "q")
}

// checkArguments: toolscope sees what the tool gets, to the last digit.
func checkArguments(b *bench) error {
	const sent = `{"n":9007199254740993,"q":"ü\u0000<&>","f":0.1}`
	var got, bare string
	run := func(to *string) Tool {
		return plain(Plain, func(_ context.Context, a json.RawMessage) (string, error) {
			*to = string(a)
			return "1 hit", nil
		})
	}
	call := toolkit.Call{ID: "call_1", Name: "search", Arguments: json.RawMessage(sent)}
	if _, err := b.bare(context.Background(), Turn{Tools: []Tool{run(&bare)}, Calls: []toolkit.Call{call}}); err != nil {
		return err
	}
	_, ended, err := b.run(context.Background(), Turn{Tools: []Tool{run(&got)}, Calls: []toolkit.Call{call}})
	if err != nil {
		return err
	}
	if len(ended) != 1 {
		return fmt.Errorf("got %d recorded calls, want 1", len(ended))
	}
	if got != bare {
		return fmt.Errorf("the tool got %s, without toolscope %s", got, bare)
	}
	if !equalJSON(string(ended[0].Call.Arguments), bare) {
		return fmt.Errorf("recorded %s, the tool got %s", ended[0].Call.Arguments, bare)
	}
	return nil
}

// equalJSON compares with all digits.
func equalJSON(a, b string) bool {
	var x, y any
	for text, to := range map[*string]*any{&a: &x, &b: &y} {
		d := json.NewDecoder(strings.NewReader(*text))
		d.UseNumber()
		if d.Decode(to) != nil {
			return false
		}
	}
	return reflect.DeepEqual(x, y)
}

func checkResult(b *bench) error {
	e, err := b.one(context.Background(), plain(Plain, answer("1 hit: ü <&>", nil)))
	if err != nil {
		return err
	}
	if e.ErrorType != "" || e.Disposition.Outcome != toolkit.OutcomeExecuted {
		return fmt.Errorf("got outcome %s, error.type %q", e.Disposition.Outcome, e.ErrorType)
	}
	if !strings.Contains(visible(e.Result), "1 hit: ü <&>") {
		return fmt.Errorf("recorded %q", visible(e.Result))
	}
	return nil
}

// visible is the text of a result.
func visible(r toolkit.Result) string {
	all := r.Output
	for _, p := range r.Parts {
		all += p.Text + string(p.JSON)
	}
	return all
}

func checkGoError(b *bench) error { return checkFailure(b, Plain) }

func checkSoftError(b *bench) error { return checkFailure(b, Soft) }

func checkFailure(b *bench, kind Kind) error {
	e, err := b.one(context.Background(), plain(kind, answer("", errors.New("disk full"))))
	if err != nil {
		return err
	}
	if e.Disposition.Outcome != toolkit.OutcomeExecuted || e.ErrorType == "" {
		return fmt.Errorf("got outcome %s, error.type %q, want a failure", e.Disposition.Outcome, e.ErrorType)
	}
	if e.Err == nil || !strings.Contains(e.Err.Error(), "disk full") {
		return fmt.Errorf("got error %v, want the tool's", e.Err)
	}
	return nil
}

// checkPanic: the panic goes where it would have gone, and is recorded.
func checkPanic(b *bench) error {
	e, err := b.one(context.Background(), plain(Plain, func(context.Context, json.RawMessage) (string, error) {
		panic("broken")
	}))
	if err != nil {
		return err
	}
	return want("error.type", e.ErrorType, string(toolkit.ErrPanic))
}

func checkUnknown(b *bench) error {
	turn := Turn{
		Tools: []Tool{plain(Plain, answer("1 hit", nil))},
		Calls: []toolkit.Call{{ID: "call_1", Name: "no_such_tool", Arguments: json.RawMessage(`{}`)}},
	}
	bare, bareErr := b.bare(context.Background(), turn)
	got, ended, err := b.run(context.Background(), turn)
	if len(got) != len(bare) || (err == nil) != (bareErr == nil) {
		return fmt.Errorf("the model was given %+v (%v), without toolscope %+v (%v)", got, err, bare, bareErr)
	}
	if len(ended) != 1 {
		return fmt.Errorf("got %d recorded calls, want 1", len(ended))
	}
	if err := want("outcome", ended[0].Disposition.Outcome, toolkit.OutcomeRefused); err != nil {
		return err
	}
	return want("error.type", ended[0].ErrorType, string(toolkit.ErrUnknownTool))
}

// checkSuspended: a tool that waits for input has neither succeeded nor failed. A framework may ask
// it again in the same turn.
func checkSuspended(b *bench) error {
	ended, err := b.all(context.Background(), plain(Suspends, answer("", errors.New("which account?"))))
	if err != nil {
		return err
	}
	if len(ended) == 0 {
		return errors.New("got no recorded call")
	}
	for _, e := range ended {
		if !e.Result.Suspended || e.ErrorType != "" {
			return fmt.Errorf("got suspended %t, error.type %q", e.Result.Suspended, e.ErrorType)
		}
	}
	return nil
}

func checkParallel(b *bench) error {
	const calls = 8
	turn := Turn{Tools: []Tool{plain(Plain, func(_ context.Context, a json.RawMessage) (string, error) {
		return "for " + string(a), nil
	})}}
	for i := range calls {
		turn.Calls = append(turn.Calls, toolkit.Call{
			ID: fmt.Sprint("call_", i), Name: "search", Arguments: json.RawMessage(fmt.Sprintf(`{"q":"%d"}`, i)),
		})
	}
	answers, ended, err := b.run(context.Background(), turn)
	if err != nil {
		return err
	}
	if len(answers) != calls || len(ended) != calls {
		return fmt.Errorf("got %d answers and %d recorded calls, want %d", len(answers), len(ended), calls)
	}
	recorded := map[string]bool{}
	for _, e := range ended {
		recorded[e.Call.ID+" "+string(e.Call.Arguments)] = true
	}
	if len(recorded) != calls {
		return fmt.Errorf("ids and arguments do not tell the calls apart: %v", names(recorded))
	}
	for i, a := range answers {
		if !strings.Contains(a.Text, fmt.Sprintf(`"%d`, i)) && !strings.Contains(a.Text, fmt.Sprintf(`\"%d`, i)) {
			return fmt.Errorf("call %d was given %q", i, a.Text)
		}
	}
	return nil
}

func checkStream(b *bench) error {
	e, err := b.one(context.Background(), plain(Streams, answer("two chunks", nil)))
	if err != nil {
		return err
	}
	if e.Chunks != 2 || e.ErrorType != "" {
		return fmt.Errorf("got %d chunks, error.type %q, want 2 and none", e.Chunks, e.ErrorType)
	}
	return nil
}

// checkRefused: the tool does not run, the model reads why.
func checkRefused(b *bench) error {
	var ran atomic.Bool
	no := middleware.At(middleware.StagePermit, func(toolkit.Handler) toolkit.Handler {
		return func(_ context.Context, c toolkit.Call) (toolkit.Result, error) {
			return middleware.Refuse(c, &toolkit.Error{Kind: toolkit.ErrPermissionDenied, Message: "not on a Sunday"})
		}
	})
	turn := Turn{
		Tools: []Tool{plain(Plain, func(context.Context, json.RawMessage) (string, error) {
			ran.Store(true)
			return "1 hit", nil
		})},
		Calls: []toolkit.Call{searchCall},
	}
	answers, ended, err := b.run(context.Background(), turn, no)
	if ran.Load() {
		return errors.New("the tool ran")
	}
	told := text(err)
	for _, a := range answers {
		told += a.Text
	}
	if !strings.Contains(told, "not on a Sunday") {
		return fmt.Errorf("the model was given %+v (%v)", answers, err)
	}
	if len(ended) != 1 {
		return fmt.Errorf("got %d recorded calls, want 1", len(ended))
	}
	return want("error.type", ended[0].ErrorType, string(toolkit.ErrPermissionDenied))
}

// checkCached: the second of two equal calls of a session is given the first one's answer.
func checkCached(b *bench) error {
	store, err := cache.New(cache.Options{})
	if err != nil {
		return err
	}
	var mu sync.Mutex
	runs := 0
	turn := Turn{
		Tools: []Tool{plain(Plain, func(context.Context, json.RawMessage) (string, error) {
			mu.Lock()
			defer mu.Unlock()
			runs++
			return "1 hit", nil
		})},
		Calls: []toolkit.Call{searchCall},
	}
	ctx := toolkit.WithSession(context.Background(), toolkit.Session{ID: "s1"})
	scope, err := b.scope([]middleware.Policy{store})
	if err != nil {
		return err
	}
	first, _, err := b.with(ctx, scope, turn)
	if err != nil {
		return err
	}
	second, ended, err := b.with(ctx, scope, turn)
	if err := errors.Join(err, scope.Shutdown(ctx)); err != nil {
		return err
	}
	if runs != 1 || len(ended) != 1 || ended[0].Disposition.Outcome != toolkit.OutcomeCacheHit {
		return fmt.Errorf("the tool ran %d times, want 1, and a cache hit", runs)
	}
	if !reflect.DeepEqual(first, second) {
		return fmt.Errorf("the model was given %+v, then %+v", first, second)
	}
	return nil
}

// checkOneSpan: a backend that counts spans of tools counts one.
func checkOneSpan(b *bench) error {
	turn := Turn{
		Tools: []Tool{plain(Plain, answer("1 hit", nil))},
		Calls: []toolkit.Call{searchCall},
	}
	if _, _, err := b.run(context.Background(), turn); err != nil {
		return err
	}
	var of []string
	for _, s := range b.prov.all() {
		if s.ended != 1 {
			return fmt.Errorf("span %q of %s ended %d times", s.name, s.scope, s.ended)
		}
		if s.attribute("gen_ai.operation.name") == "execute_tool" || s.attribute("mcp.method.name") == "tools/call" ||
			s.attribute("gen_ai.tool.name") != "" || strings.Contains(s.name, "search") {
			of = append(of, s.scope+" "+s.name)
		}
	}
	if len(of) != 1 {
		return fmt.Errorf("got spans of the tool %q, want one", of)
	}
	return nil
}

func want[T comparable](what string, got, want T) error {
	if got != want {
		return fmt.Errorf("%s: got %v, want %v", what, got, want)
	}
	return nil
}
