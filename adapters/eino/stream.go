// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package eino

import (
	"context"
	"errors"
	"io"

	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"

	"github.com/toolscope/toolscope/toolkit"
)

func streamable(tools toolkit.Tools) toolkit.Adapter[*compose.ToolInput, outcome[*compose.StreamToolOutput]] {
	a := adapter(tools, func(text string) *compose.StreamToolOutput {
		return &compose.StreamToolOutput{Result: schema.StreamReaderFromArray([]string{text})}
	})
	a.Stream = func(o outcome[*compose.StreamToolOutput], s *toolkit.Running) outcome[*compose.StreamToolOutput] {
		if o.result == nil || o.result.Result == nil {
			return o
		}
		return outcome[*compose.StreamToolOutput]{&compose.StreamToolOutput{
			Result: pipe(s, o.result.Result, func(text string) int { return len(text) }),
		}, o.err}
	}
	return a
}

func enhancedStreamable(
	tools toolkit.Tools,
) toolkit.Adapter[*compose.ToolInput, outcome[*compose.EnhancedStreamableToolOutput]] {
	a := adapter(tools, func(text string) *compose.EnhancedStreamableToolOutput {
		return &compose.EnhancedStreamableToolOutput{
			Result: schema.StreamReaderFromArray([]*schema.ToolResult{textResult(text)}),
		}
	})
	a.Stream = func(
		o outcome[*compose.EnhancedStreamableToolOutput], s *toolkit.Running,
	) outcome[*compose.EnhancedStreamableToolOutput] {
		if o.result == nil || o.result.Result == nil {
			return o
		}
		return outcome[*compose.EnhancedStreamableToolOutput]{&compose.EnhancedStreamableToolOutput{
			Result: pipe(s, o.result.Result, func(r *schema.ToolResult) int { return len(textOf(r)) }),
		}, o.err}
	}
	return a
}

// pipe passes a stream on and reports its chunks and its end. The framework's readers cannot be
// wrapped, so the chunks go through a pipe of its own, one at a time.
func pipe[T any](s *toolkit.Running, from *schema.StreamReader[T], size func(T) int) *schema.StreamReader[T] {
	to, writer := schema.Pipe[T](0)
	next := toolkit.StreamRecv(s, from.Recv, size)
	go func() {
		defer from.Close()
		defer writer.Close()
		for {
			chunk, err := next()
			if err != nil {
				if !isEnd(err) {
					writer.Send(chunk, err)
				}
				return
			}
			if closed := writer.Send(chunk, nil); closed {
				s.End(toolkit.Result{}, context.Canceled) // the consumer stopped
				return
			}
		}
	}()
	return to
}

func isEnd(err error) bool { return errors.Is(err, io.EOF) }
