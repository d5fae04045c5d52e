// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"context"
	"errors"
	"io"
	"iter"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/cache"
	"github.com/toolscope/toolscope/middleware/permit"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

type seq = iter.Seq2[string, error]

// streamAdapter is the adapter of a function that streams text.
func streamAdapter() toolkit.Adapter[fileCall, seq] {
	a := fileAdapter()
	return toolkit.Adapter[fileCall, seq]{
		Tools: a.Tools, Call: a.Call, With: a.With,
		Result: func(seq, error) toolkit.Result { return toolkit.Result{} },
		Answer: func(_ fileCall, r toolkit.Result, err error) seq {
			return func(yield func(string, error) bool) { yield(r.Output, err) }
		},
		Stream: func(s seq, r *toolkit.Running) seq {
			return toolkit.StreamSeq(r, s, func(text string) int { return len(text) })
		},
	}
}

// TestStreams checks that a call whose result is a stream ends with the stream, whether policies
// govern it or not.
func TestStreams(t *testing.T) {
	broken := errors.New("the connection broke")
	chunks := func(failure error) seq {
		return func(yield func(string, error) bool) {
			_ = yield("one", nil) && yield("three", nil) && failure != nil && yield("", failure)
		}
	}
	rules, err := permit.Compile(permit.Spec{Rules: []permit.Rule{{Name: "reads", Effect: permit.Allow, Tools: []string{"read"}}}})
	if err != nil {
		t.Fatal(err)
	}
	gate, err := permit.New(permit.Options{Rules: rules})
	for name, policies := range map[string][]middleware.Policy{"observed": nil, "governed": {must(t, gate, err)}} {
		for _, tt := range []struct {
			name      string
			failure   error
			read      func(seq)
			ending    toolkit.Ending
			errorType string
			chunks    int
		}{
			{"read to its end", nil, func(s seq) { s(func(string, error) bool { return true }) }, toolkit.EndingReturned, "", 2},
			{"failed", broken, func(s seq) { s(func(string, error) bool { return true }) }, toolkit.EndingFailed, "tool_error", 2},
			{"left", nil, func(s seq) { s(func(string, error) bool { return false }) }, toolkit.EndingFailed, "canceled", 1},
			{"never read", nil, func(seq) {}, toolkit.EndingAbandoned, "_OTHER", 0},
		} {
			t.Run(name+"/"+tt.name, func(t *testing.T) {
				var seen tooltest.Recorder
				scope, err := toolscope.New(toolscope.Options{Observers: []toolkit.Observer{&seen}, Policies: policies})
				if err != nil {
					t.Fatal(err)
				}
				read := wrapFunc(t, scope, func(context.Context, fileCall) seq { return chunks(tt.failure) }, streamAdapter())
				s := read(t.Context(), fileCall{ID: "1"})
				if seen.Len() != 0 {
					t.Error("the call ended before its stream")
				}
				tt.read(s)
				s = nil
				for seen.Len() == 0 && t.Context().Err() == nil {
					runtime.GC() // which ends the abandoned one
					time.Sleep(time.Millisecond)
				}
				e := seen.All()[0]
				if e.Ending != tt.ending || e.ErrorType != tt.errorType || e.Chunks != tt.chunks ||
					e.Disposition.Outcome != toolkit.OutcomeExecuted || e.Result.Suspended {
					t.Errorf("got %v, %q, %d chunks, %v, want %v, %q, %d, executed", e.Ending, e.ErrorType, e.Chunks,
						e.Disposition.Outcome, tt.ending, tt.errorType, tt.chunks)
				}
				if tt.chunks == 2 && e.ChunkBytes != len("onethree") {
					t.Errorf("got %d bytes", e.ChunkBytes)
				}
			})
		}
	}
}

// TestStreamsUnderPolicies checks that a refusal reaches the consumer, and that policies which
// look at results are an error.
func TestStreamsUnderPolicies(t *testing.T) {
	var seen tooltest.Recorder
	scope, err := toolscope.New(toolscope.Options{Observers: []toolkit.Observer{&seen},
		Settings: toolscope.Settings{ToolsOff: []string{"read"}}})
	if err != nil {
		t.Fatal(err)
	}
	read := wrapFunc(t, scope, func(context.Context, fileCall) seq { t.Error("the tool ran"); return nil }, streamAdapter())
	for text, err := range read(t.Context(), fileCall{}) {
		if !errors.Is(err, toolkit.ErrPermissionDenied) {
			t.Errorf("got %q, %v, want the refusal", text, err)
		}
	}
	if e := seen.All()[0]; e.Disposition.Outcome != toolkit.OutcomeRefused || e.ErrorType != "permission_denied" {
		t.Errorf("got %v, %q", e.Disposition.Outcome, e.ErrorType)
	}
	stored, err := cache.New(cache.Options{})
	stores := []middleware.Policy{must(t, stored, err)}
	caching, err := toolscope.New(toolscope.Options{Policies: stores})
	if err != nil {
		t.Fatal(err)
	}
	stream := func(context.Context, fileCall) seq { return nil }
	if _, err := toolscope.WrapFunc(caching, stream, streamAdapter()); err == nil ||
		!strings.Contains(err.Error(), "got the policy cache") {
		t.Errorf("WrapFunc: got %v, want an error that names the policy", err)
	}
	if err := scope.Apply(toolscope.Settings{Policies: stores}); err == nil ||
		!strings.Contains(err.Error(), "got the policy cache") {
		t.Errorf("Apply: got %v, want an error that names the policy", err)
	}
}

// TestStreamReader checks the ends of a stream of bytes.
func TestStreamReader(t *testing.T) {
	for name, tt := range map[string]struct {
		use       func(io.ReadCloser)
		errorType string
		bytes     int
	}{
		"read":   {func(r io.ReadCloser) { _, _ = io.ReadAll(r); r.Close() }, "", 5},
		"closed": {func(r io.ReadCloser) { _, _ = r.Read(make([]byte, 2)); r.Close() }, "canceled", 2},
	} {
		var seen tooltest.Recorder
		scope, err := toolscope.New(toolscope.Options{Observers: []toolkit.Observer{&seen}})
		if err != nil {
			t.Fatal(err)
		}
		a := fileAdapter()
		read := wrapFunc(t, scope, func(context.Context, fileCall) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader("bytes")), nil
		}, toolkit.Adapter[fileCall, io.ReadCloser]{
			Tools: a.Tools, Call: a.Call,
			Stream: func(r io.ReadCloser, s *toolkit.Running) io.ReadCloser { return toolkit.StreamReader(s, r) },
		})
		r, err := read(t.Context(), fileCall{})
		if err != nil {
			t.Fatal(err)
		}
		tt.use(r)
		if e := seen.All()[0]; e.ErrorType != tt.errorType || e.ChunkBytes != tt.bytes {
			t.Errorf("%s: got %q, %d bytes, want %q, %d", name, e.ErrorType, e.ChunkBytes, tt.errorType, tt.bytes)
		}
	}
}

// TestReport checks that an adapter can report what the registry knows of an ending, and that
// suspended calls are neither successes nor failures, observed and governed.
func TestReport(t *testing.T) {
	interrupted := errors.New("interrupted")
	a := fileAdapter()
	a.Result = func(r fileResult, err error) toolkit.Result {
		return toolkit.Result{Output: r.Output, Fault: toolkit.SoftError(r.IsError, r.Output), Suspended: err == interrupted}
	}
	a.Report = func(_ fileCall, r fileResult, err error, d *toolkit.Disposition) {
		switch r.Output {
		case "hit":
			d.Outcome = toolkit.OutcomeCacheHit
		case "queued":
			d.Queue, d.Approval, d.Attempts = time.Second, time.Minute, 3
			d.Tags = append(d.Tags, toolkit.Tag{Key: "registry.shard", Value: "7"})
		}
		if errors.Is(err, toolkit.ErrRateLimited) {
			d.Outcome = toolkit.OutcomeExecuted // the remote side's limit
		}
	}
	recovers, err := middleware.Recover()
	for name, policies := range map[string][]middleware.Policy{"observed": nil, "governed": {must(t, recovers, err)}} {
		var seen tooltest.Recorder
		scope, err := toolscope.New(toolscope.Options{Observers: []toolkit.Observer{&seen}, Policies: policies})
		if err != nil {
			t.Fatal(err)
		}
		call := func(res fileResult, err error) toolkit.Ended {
			read := wrapFunc(t, scope, func(context.Context, fileCall) (fileResult, error) { return res, err }, a)
			if got, gotErr := read(t.Context(), fileCall{}); got != res || gotErr != err {
				t.Errorf("%s: the caller got %+v, %v, want what the function returned", name, got, gotErr)
			}
			return seen.TakeAll()[0]
		}
		if e := call(fileResult{Output: "hit"}, nil); e.Disposition.Outcome != toolkit.OutcomeCacheHit {
			t.Errorf("%s: got %v, want a cache hit", name, e.Disposition.Outcome)
		}
		e := call(fileResult{Output: "queued"}, nil)
		if d := e.Disposition; d.Queue != time.Second || d.Approval != time.Minute || d.Attempts != 3 ||
			!slices.Contains(d.Tags, toolkit.Tag{Key: "registry.shard", Value: "7"}) {
			t.Errorf("%s: got %+v, want what Report says", name, d)
		}
		if e := call(fileResult{}, toolkit.ErrRateLimited); e.Disposition.Outcome != toolkit.OutcomeExecuted ||
			e.ErrorType != "rate_limited" {
			t.Errorf("%s: got %v, %q, want executed, rate_limited", name, e.Disposition.Outcome, e.ErrorType)
		}
		if e := call(fileResult{}, interrupted); e.ErrorType != "" || e.Err != nil || !e.Result.Suspended ||
			e.Ending != toolkit.EndingReturned {
			t.Errorf("%s: suspended: got %v, %q, %v", name, e.Ending, e.ErrorType, e.Err)
		}
		nested := &toolkit.Error{Kind: toolkit.ErrPermissionDenied, Tool: "another"}
		if e := call(fileResult{}, nested); e.Disposition.Outcome != toolkit.OutcomeExecuted || e.ErrorType != "permission_denied" {
			t.Errorf("%s: a nested call's refusal: got %v, %q, want executed", name, e.Disposition.Outcome, e.ErrorType)
		}
	}
}

// TestNilStreams checks that a nil stream stays nil, and that its call ends.
func TestNilStreams(t *testing.T) {
	rules, err := permit.Compile(permit.Spec{Default: permit.Allow})
	if err != nil {
		t.Fatal(err)
	}
	gate, err := permit.New(permit.Options{Rules: rules})
	for name, policies := range map[string][]middleware.Policy{"observed": nil, "governed": {must(t, gate, err)}} {
		nilStream(t, name, policies, func(r io.ReadCloser, s *toolkit.Running) io.ReadCloser { return toolkit.StreamReader(s, r) })
		nilStream(t, name, policies, func(r func() (string, error), s *toolkit.Running) func() (string, error) {
			return toolkit.StreamRecv(s, r, nil)
		})
		nilStream(t, name, policies, func(r seq, s *toolkit.Running) seq { return toolkit.StreamSeq(s, r, nil) })
		nilStream(t, name, policies, func(r <-chan int, _ *toolkit.Running) <-chan int { // which it never ends
			out := make(chan int)
			go func() {
				for v := range r {
					out <- v
				}
			}()
			return out
		})
	}
	var held struct{ Body io.ReadCloser } // not nil itself: the helper sees it
	var seen tooltest.Recorder
	_, running := toolkit.Begin(t.Context(), toolkit.Call{Name: "read"}, nil, &seen)
	if held.Body = toolkit.StreamReader(running, held.Body); held.Body != nil || seen.Len() != 1 {
		t.Errorf("got %v after %d calls, want nil after 1", held.Body, seen.Len())
	}
}

func nilStream[R any](t *testing.T, name string, policies []middleware.Policy, stream func(R, *toolkit.Running) R) {
	t.Helper()
	var seen tooltest.Recorder
	scope, err := toolscope.New(toolscope.Options{Observers: []toolkit.Observer{&seen}, Policies: policies})
	if err != nil {
		t.Fatal(err)
	}
	a := fileAdapter()
	open := wrapFunc(t, scope, func(context.Context, fileCall) (r R, err error) { return r, nil }, toolkit.Adapter[fileCall, R]{
		Tools: a.Tools, Call: a.Call, With: a.With, Stream: stream,
		Result: func(R, error) toolkit.Result { return toolkit.Result{} },
		Answer: func(fileCall, toolkit.Result, error) (r R) { return r },
	})
	got, err := open(t.Context(), fileCall{})
	if v := reflect.ValueOf(&got).Elem(); !v.IsNil() || err != nil {
		t.Errorf("%s: %v: got one that is not nil, %v", name, v.Type(), err)
	}
	if seen.Len() != 1 || seen.All()[0].Ending != toolkit.EndingReturned {
		t.Errorf("%s: %T: got %d calls, want one that returned", name, got, seen.Len())
	}
}
