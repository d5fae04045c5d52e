// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package trpcagent_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"trpc.group/trpc-go/trpc-agent-go/agent"
	"trpc.group/trpc-go/trpc-agent-go/tool"
	"trpc.group/trpc-go/trpc-agent-go/tool/resultformat"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/adapters/trpcagent"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

// bare is a tool without any method that may be missing.
type bare struct{}

func (bare) Declaration() *tool.Declaration            { return &tool.Declaration{Name: "search"} }
func (bare) Call(context.Context, []byte) (any, error) { return "1 hit", nil }

// full has them all.
type full struct{ bare }

func (full) StreamableCall(context.Context, []byte) (*tool.StreamReader, error) {
	s := tool.NewStream(2)
	s.Writer.Send(tool.StreamChunk{Content: "1 hit"}, nil)
	s.Writer.Send(tool.StreamChunk{}, errors.New("cut"))
	s.Writer.Close()
	return s.Reader, nil
}
func (full) LongRunning() bool                            { return true }
func (full) SkipSummarization() bool                      { return true }
func (full) TRPCAgentGoStructuredStreamErrorsOptIn() bool { return true }
func (full) PollutesAutoMemory() bool                     { return true }
func (full) InnerTextMode() tool.InnerTextMode            { return tool.InnerTextModeExclude }
func (full) ShouldDefer(context.Context) bool             { return true }
func (full) ToolMetadata() tool.ToolMetadata {
	return tool.ToolMetadata{ReadOnly: true, MaxResultSize: 9}
}
func (full) CheckPermission(context.Context, *tool.PermissionRequest) (tool.PermissionDecision, error) {
	return tool.DenyPermission("no"), nil
}
func (full) ResultFormatter() resultformat.Formatter {
	return resultformat.FormatterFunc[string](func(_ context.Context, text string) (string, error) {
		return "<" + text + ">", nil
	})
}
func (full) StateDelta(string, []byte, []byte) map[string][]byte {
	return map[string][]byte{"key": []byte("value")}
}

// callOnly can stream, and prefers not to.
type callOnly struct{ full }

func (callOnly) StreamInner() bool { return false }

// governed is what the framework asks tools for.
type governed interface {
	tool.CallableTool
	tool.MetadataProvider
	tool.DeferredTool
	tool.PermissionChecker
	LongRunning() bool
	SkipSummarization() bool
	TRPCAgentGoStructuredStreamErrorsOptIn() bool
	PollutesAutoMemory() bool
	InnerTextMode() tool.InnerTextMode
	ResultFormatter() resultformat.Formatter
}

type stateful interface {
	StateDeltaForInvocation(*agent.Invocation, string, []byte, []byte) map[string][]byte
}

// TestToolsKeepTheirMethods shows that the framework sees of a governed tool what it sees of the tool.
func TestToolsKeepTheirMethods(t *testing.T) {
	scope, err := toolscope.New(toolscope.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	for _, one := range []struct {
		tool.Tool
		has, streams bool
	}{{bare{}, false, false}, {full{}, true, true}, {callOnly{}, true, false}} {
		got := trpcagent.Tools(scope, one.Tool)[0].(governed)
		_ = map[tool.Tool]bool{got: true} // panics for a type that cannot be compared
		if _, ok := got.(tool.StreamableTool); ok != one.streams {
			t.Errorf("%T: can stream: got %t", one.Tool, ok)
		}
		s, ok := got.(stateful)
		if ok != one.has || ok && string(s.StateDeltaForInvocation(nil, "", nil, nil)["key"]) != "value" {
			t.Errorf("%T: has state: got %t", one.Tool, ok)
		}
		for name, is := range map[string]bool{
			"LongRunning": got.LongRunning(), "SkipSummarization": got.SkipSummarization(),
			"StructuredStreamErrors": got.TRPCAgentGoStructuredStreamErrorsOptIn(),
			"PollutesAutoMemory":     got.PollutesAutoMemory(), "ShouldDefer": got.ShouldDefer(ctx),
			"InnerTextMode": got.InnerTextMode() == tool.InnerTextModeExclude, "ResultFormatter": got.ResultFormatter() != nil,
			"ToolMetadata": got.ToolMetadata() == full{}.ToolMetadata(),
		} {
			if is != one.has {
				t.Errorf("%T: %s: got %t", one.Tool, name, is)
			}
		}
		d, err := got.CheckPermission(ctx, nil)
		if err != nil || (d.Action == tool.PermissionActionDeny) != one.has {
			t.Errorf("%T: CheckPermission: got %v, %v", one.Tool, d, err)
		}
	}
}

// TestAnswersOfPolicies shows what the model reads of a refusal, whatever the tool returns.
func TestAnswersOfPolicies(t *testing.T) {
	no := middleware.At(middleware.StagePermit, func(toolkit.Handler) toolkit.Handler {
		return func(_ context.Context, c toolkit.Call) (toolkit.Result, error) {
			return middleware.Refuse(c, &toolkit.Error{Kind: toolkit.ErrPermissionDenied, Message: "not today"})
		}
	})
	scope, err := toolscope.New(toolscope.Options{Policies: []middleware.Policy{no}})
	if err != nil {
		t.Fatal(err)
	}
	got := trpcagent.Tools(scope, full{})[0].(governed)
	result, err := got.Call(t.Context(), []byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	refused, err := got.ResultFormatter().Format(t.Context(), result)
	own, err2 := got.ResultFormatter().Format(t.Context(), "1 hit")
	if err := errors.Join(err, err2); err != nil || !strings.Contains(refused, "not today") || own != "<1 hit>" {
		t.Errorf("formatted: got %q and %q, %v", refused, own, err)
	}
	stream, err := got.(tool.StreamableTool).StreamableCall(t.Context(), []byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	chunk, err := stream.Recv()
	if text, _ := chunk.Content.(string); err != nil || !strings.Contains(text, "not today") {
		t.Errorf("stream: got %v, %v", chunk.Content, err)
	}
	if _, err := stream.Recv(); !errors.Is(err, io.EOF) {
		t.Errorf("stream: got %v, want its end", err)
	}
}

// TestStreamThatFails shows that a stream's error reaches the framework and the call's record.
func TestStreamThatFails(t *testing.T) {
	var seen tooltest.Recorder
	scope, err := toolscope.New(toolscope.Options{Observers: []toolkit.Observer{&seen}})
	if err != nil {
		t.Fatal(err)
	}
	stream, err := trpcagent.Tools(scope, full{})[0].(tool.StreamableTool).StreamableCall(t.Context(), []byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	if chunk, err := stream.Recv(); err != nil || chunk.Content != "1 hit" {
		t.Errorf("got %v, %v", chunk.Content, err)
	}
	if _, err := stream.Recv(); err == nil || err.Error() != "cut" {
		t.Errorf("got %v, want the stream's error", err)
	}
	if _, err := stream.Recv(); !errors.Is(err, io.EOF) {
		t.Errorf("got %v, want the end", err)
	}
	ended := seen.TakeAll()
	if len(ended) != 1 || ended[0].Chunks != 1 || ended[0].Err == nil {
		t.Errorf("got %+v, want one call with one chunk and an error", ended)
	}
}
