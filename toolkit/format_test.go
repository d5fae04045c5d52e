// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

// canary is a text that must not come out; fmt may print it as text, hex or bytes.
const canary = "cAnArY5ecret"

var canaryForms = []string{
	canary, fmt.Sprintf("%x", canary), fmt.Sprintf("%X", canary), strings.Trim(fmt.Sprint([]byte(canary)), "[]"),
	strings.Trim(fmt.Sprintf("%o", []byte(canary)), "[]"), strings.Trim(fmt.Sprintf("%b", []byte(canary)), "[]"),
	fmt.Sprintf("% x", canary),
}

// verbs are those that go vet lets pass for a struct or an error: it refuses %p and
// %w here, which fmt answers by printing the fields, past any Format method.
var verbs = []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "% x", "%d", "%o", "%b", "%c", "%U", "%e", "%g",
	"%t", "%100v", "%-5.2s", "%z"}

func secretive() map[string]any {
	secret := errors.New(canary)
	part := toolkit.Part{
		Kind: toolkit.PartResource, Text: canary, Data: []byte(canary), URI: canary, Name: canary, Title: canary, Description: canary,
		MIMEType: canary, JSON: []byte(canary), Annotations: []byte(canary), Meta: []byte(canary),
	}
	result := toolkit.Result{Output: canary, Parts: []toolkit.Part{part}, Fault: secret}
	call := toolkit.Call{ID: "call_1", Name: "tool", Arguments: []byte(canary), Intent: canary}
	return map[string]any{
		"Call":              call,
		"*Call":             &call,
		"[]Call":            []toolkit.Call{call},
		"Result":            result,
		"*Result":           &result,
		"Part":              part,
		"*Part":             &part,
		"Answer":            toolkit.Answer{CallID: "call_1", Name: "tool", Result: result},
		"[]Answer":          []toolkit.Answer{{Result: result}},
		"Ended":             toolkit.Ended{Call: call, Result: result, Err: secret, Panic: canary},
		"*Ended":            &toolkit.Ended{Call: call, Result: result, Err: secret, Panic: canary},
		"Error":             &toolkit.Error{Kind: toolkit.ErrTimeout, Tool: "tool", Message: canary, Cause: secret},
		"Error with cause":  &toolkit.Error{Cause: secret},
		"Error, wrapped":    fmt.Errorf("outer: %w", &toolkit.Error{Message: canary}),
		"PanicError":        &toolkit.PanicError{Value: canary, Stack: []byte(canary)},
		"PanicError, error": &toolkit.PanicError{Value: secret},
		"SoftError":         toolkit.SoftError(true, canary),
		"struct of them": struct {
			Call   toolkit.Call
			Result *toolkit.Result
			Err    error
		}{call, &result, &toolkit.Error{Message: canary}},
	}
}

func leaks(text string) bool {
	for _, form := range canaryForms {
		if strings.Contains(text, form) {
			return true
		}
	}
	return false
}

func TestFormattingNeverPrintsContent(t *testing.T) {
	for name, v := range secretive() {
		if name == "struct of them" {
			v = []any{v} // a struct in an interface, as loggers hold them
		}
		for _, verb := range verbs {
			if name == "Error, wrapped" && !strings.ContainsAny(verb, "vsqxX") {
				continue // fmt's own error has no Format: a verb that is none for errors prints its fields
			}
			if got := fmt.Sprintf(verb, v); leaks(got) || got == "" {
				t.Errorf("%s with %s: got %q", name, verb, got)
			}
		}
		for how, got := range map[string]string{"Sprint": fmt.Sprint(v), "Sprintln": fmt.Sprintln(v)} {
			if leaks(got) {
				t.Errorf("%s with %s: got %q", name, how, got)
			}
		}
	}
}

func TestLoggingNeverPrintsContent(t *testing.T) {
	for name, v := range secretive() {
		if strings.HasPrefix(name, "[]") || name == "struct of them" {
			continue // encoding/json writes what is inside other values: that is their JSON form
		}
		var text, json bytes.Buffer
		for _, h := range []slog.Handler{slog.NewTextHandler(&text, nil), slog.NewJSONHandler(&json, nil)} {
			log := slog.New(h)
			log.Info("event", "value", v)
			log.With("value", v).WithGroup("g").Info("event", slog.Group("h", "value", v))
		}
		if leaks(text.String()) || leaks(json.String()) {
			t.Errorf("%s: got %s%s", name, &text, &json)
		}
	}
}

func TestFormatsTellSizesAndKinds(t *testing.T) {
	var nilError *toolkit.Error
	for want, v := range map[string]any{
		`Call{name:"tool" id:"1" arguments:3B}`: toolkit.Call{ID: "1", Name: "tool", Arguments: []byte("abc")},
		`Result{output:3B parts:2 fault:"timeout" suspended:false}`: toolkit.Result{
			Output: "abc", Parts: make([]toolkit.Part, 2), Fault: toolkit.ErrTimeout,
		},
		`Part{"image" 4B}`: toolkit.Part{Kind: toolkit.PartImage, Data: make([]byte, 4)},
		`Answer{name:"tool" id:"1" Result{output:0B parts:0 fault:"" suspended:true}}`: toolkit.Answer{
			CallID: "1", Name: "tool", Result: toolkit.Result{Suspended: true},
		},
		`Ended{Call{name:"tool" id:"" arguments:0B} panicked error_type:"panic" 0s}`: toolkit.Ended{
			Call: toolkit.Call{Name: "tool"}, Ending: toolkit.EndingPanicked, ErrorType: "panic",
		},
		`tool "tool": timeout`: &toolkit.Error{Kind: toolkit.ErrTimeout, Tool: "tool", Message: "x"},
		"<nil>":                nilError,
		"the tool panicked":    &toolkit.PanicError{},
		"tool error":           toolkit.SoftError(true, "x"),
	} {
		if got := fmt.Sprint(v); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	var b bytes.Buffer
	log := slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	log.Info("m", "call", toolkit.Call{ID: "1", Name: "tool", Arguments: []byte("abc")}, "result", toolkit.Result{Output: "abc"},
		"part", toolkit.Part{Kind: "text", Text: "ab"}, "err", &toolkit.Error{Kind: toolkit.ErrTimeout, Tool: "t"}, "nil", nilError)
	want := "level=INFO msg=m call.name=tool call.id=1 call.arguments_bytes=3 result.output_bytes=3 result.parts=0 " +
		"result.error_type=\"\" " +
		"result.suspended=false part.type=text part.bytes=2 err.error_type=timeout err.tool=t nil=<nil>\n"
	if b.String() != want {
		t.Errorf("got  %swant %s", &b, want)
	}
}

// TestFormattingNeverPrintsTheReasonOfAFailure: what observers get as the error of a failed call, whose text is
// that of the result, prints its kind.
func TestFormattingNeverPrintsTheReasonOfAFailure(t *testing.T) {
	var seen tooltest.Recorder
	execute := toolkit.Observe(nil, &seen)(func(context.Context, toolkit.Call) (toolkit.Result, error) {
		return toolkit.Result{Output: canary, Fault: toolkit.ErrTimeout}, nil
	})
	_, _ = execute(t.Context(), toolkit.Call{Name: "tool"})
	err := seen.All()[0].Err
	if err.Error() != canary || toolkit.TypeOf(err) != "timeout" || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %q of type %s, want the result's text and the fault's type", err.Error(), toolkit.TypeOf(err))
	}
	for _, verb := range verbs {
		if text := fmt.Sprintf(verb, err); leaks(text) {
			t.Errorf("%s: got %q, want the kind only", verb, text)
		}
	}
	var logged bytes.Buffer
	slog.New(slog.NewJSONHandler(&logged, nil)).Info("x", "error", err)
	if leaks(logged.String()) {
		t.Errorf("got %s, want the kind only", logged.String())
	}
}
