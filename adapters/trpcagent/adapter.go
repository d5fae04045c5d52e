// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package trpcagent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"

	"trpc.group/trpc-go/trpc-agent-go/tool"

	"github.com/toolscope/toolscope/toolkit"
)

type call struct {
	tool      tool.Tool
	id, name  string
	arguments []byte
}

// An outcome is what a tool returned, or a policy in its place. What a policy refuses is a result that the
// model reads.
type outcome[R any] struct {
	result R
	err    error
	waits  bool // a long-running tool has no result yet
}

func execute(ctx context.Context, c call) outcome[any] {
	result, err := c.tool.(tool.CallableTool).Call(ctx, c.arguments)
	long, ok := c.tool.(interface{ LongRunning() bool })
	return outcome[any]{result, err, err == nil && result == nil && ok && long.LongRunning()}
}

func open(ctx context.Context, c call) outcome[*tool.StreamReader] {
	stream, err := c.tool.(tool.StreamableTool).StreamableCall(ctx, c.arguments)
	return outcome[*tool.StreamReader]{result: stream, err: err}
}

// adapter has what both kinds of tools share. answer makes a result of what a policy answers.
func adapter[R any](tools toolkit.Tools, answer func(policyAnswer) R) toolkit.Adapter[call, outcome[R]] {
	return toolkit.Adapter[call, outcome[R]]{
		Tools: tools,
		Call: func(c call) toolkit.Call {
			return toolkit.Call{ID: c.id, Name: c.name, Arguments: c.arguments}
		},
		With: func(c call, arguments json.RawMessage) call {
			c.arguments = bytes.Clone(arguments)
			return c
		},
		Result: func(o outcome[R], _ error) toolkit.Result {
			if o.waits {
				return toolkit.Result{Suspended: true}
			}
			return toolkit.Result{Fault: failure(o.err, o.result)}
		},
		Answer: func(_ call, r toolkit.Result, err error) outcome[R] {
			switch {
			case err == nil && len(r.Parts) > 0:
				return outcome[R]{result: answer(policyAnswer{json: r.Parts[0].JSON})}
			case err != nil && r.Output == "":
				r.Output = err.Error()
			}
			return outcome[R]{result: answer(policyAnswer{text: r.Output})}
		},
	}
}

// failure is the error of a call: the one returned, or the failure that a result says it is.
func failure(err error, result any) error {
	failed, ok := result.(interface{ RetryResultError() bool })
	if err == nil && ok && failed.RetryResultError() {
		return errors.New(string(encode(result)))
	}
	return err
}

func callable(tools toolkit.Tools) toolkit.Adapter[call, outcome[any]] {
	a := adapter(tools, func(p policyAnswer) any { return p })
	a.Content = func(o outcome[any], to *toolkit.Result) {
		if text, ok := o.result.(string); ok {
			to.Output = text
		} else if text := encode(o.result); o.result != nil && text != nil {
			to.Parts = []toolkit.Part{{Kind: toolkit.PartStructured, JSON: text}}
		}
	}
	return a
}

func streamable(tools toolkit.Tools) toolkit.Adapter[call, outcome[*tool.StreamReader]] {
	a := adapter(tools, func(p policyAnswer) *tool.StreamReader {
		one := tool.NewStream(1)
		one.Writer.Send(tool.StreamChunk{Content: p.String()}, nil)
		one.Writer.Close()
		return one.Reader
	})
	a.Stream = func(o outcome[*tool.StreamReader], s *toolkit.Running) outcome[*tool.StreamReader] {
		if o.result != nil {
			o.result = pipe(s, o.result)
		}
		return o
	}
	return a
}

// pipe passes a stream on and reports its chunks and its end. The framework's readers cannot be wrapped, so
// the chunks go through a stream of its own, one at a time.
func pipe(s *toolkit.Running, from *tool.StreamReader) *tool.StreamReader {
	to := tool.NewStream(0)
	next := toolkit.StreamRecv(s, from.Recv, sizeOf)
	go func() {
		defer from.Close()
		defer to.Writer.Close()
		for {
			chunk, err := next()
			if errors.Is(err, io.EOF) {
				return
			}
			closed := to.Writer.Send(chunk, err)
			switch {
			case err != nil:
				return
			case closed:
				s.End(toolkit.Result{}, context.Canceled) // the consumer stopped
				return
			}
		}
	}()
	return to.Reader
}

// sizeOf is the size of a chunk that is a text; others are counted without one.
func sizeOf(c tool.StreamChunk) int {
	switch content := c.Content.(type) {
	case string:
		return len(content)
	case []byte:
		return len(content)
	}
	return 0
}

// A policyAnswer is what the model reads instead of a tool's result: as JSON, like any result.
type policyAnswer struct {
	text string
	json json.RawMessage
}

// String is the answer as a text.
func (p policyAnswer) String() string {
	if p.json != nil {
		return string(p.json)
	}
	return p.text
}

// MarshalJSON is the answer as the framework writes it for the model.
func (p policyAnswer) MarshalJSON() ([]byte, error) {
	if p.json != nil {
		return p.json, nil
	}
	return encode(p.text), nil
}

// encode is a result as the framework writes it for the model; nil if that is no JSON.
func encode(result any) []byte {
	var text bytes.Buffer
	to := json.NewEncoder(&text)
	to.SetEscapeHTML(false)
	if to.Encode(result) != nil {
		return nil
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n"))
}
