// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package replaycmd

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/calllog"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/configfile"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/expect"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/recorded"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/recordings"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/mcp/toolmcp"
	"github.com/toolscope/toolscope/toolkit"
)

// serveAnswers is an MCP server that gives the recorded answers.
func (o *options) serveAnswers(ctx context.Context) error {
	if o.file == "-" {
		return errors.New("--serve: got standard input as the file, which is the protocol's: want a file")
	}
	session, err := recorded.Open(o.file, nil)
	if err != nil {
		return err
	}
	f := newFake(session)
	f.key = fingerprints()
	handler := toolkit.Handler(f.Handle)
	if o.config != "" {
		file, err := configfile.Open(o.config)
		if err != nil {
			return err
		}
		defer file.Close()
		scope, err := toolscope.New(file.Options(toolscope.Options{}))
		if err != nil {
			return err
		}
		defer func() { _ = scope.Shutdown(context.WithoutCancel(ctx)) }()
		handler = scope.Wrap(f.Handle, f)
	}
	server, err := toolmcp.NewServer(&mcp.Implementation{Name: "toolscope-replay", Version: "1"}, f, handler)
	if err != nil {
		return err
	}
	err = server.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(o.stdin), Writer: unclosed{o.stdout}})
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// fingerprints is the key of this machine's recordings; nil if there is none.
func fingerprints() *calllog.Key {
	dir, err := recordings.Dir()
	if err != nil || dir == "" {
		return nil
	}
	key, err := recordings.OpenKey(dir)
	if err != nil {
		return nil
	}
	return key
}

type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// A fake has the tools and the answers of a session.
type fake struct {
	toolkit.Tools
	key *calllog.Key

	mu      sync.Mutex
	answers map[string][]*recorded.Call // by tool and arguments, in the order of the session
}

func newFake(s *recorded.Session) *fake {
	f := &fake{answers: map[string][]*recorded.Call{}}
	defs := map[string]toolkit.Definition{}
	for name, t := range s.Tools {
		defs[name] = definitionOf(name, t.Definition)
	}
	for _, c := range s.Calls {
		if _, there := defs[c.Tool]; !there && c.Requested == "" {
			defs[c.Tool] = toolkit.Definition{Name: c.Tool}
		}
		if c.Finished {
			key := expect.Key(c)
			f.answers[key] = append(f.answers[key], c)
		}
	}
	maps.DeleteFunc(defs, func(_ string, d toolkit.Definition) bool { return d.Validate() != nil })
	sorted := slices.SortedFunc(maps.Values(defs), func(a, b toolkit.Definition) int { return cmp.Compare(a.Name, b.Name) })
	f.Tools, _ = toolkit.NewTools(sorted...) // all are valid, and each name is there once
	return f
}

// definitionOf reads a recorded definition.
func definitionOf(name string, text []byte) toolkit.Definition {
	var tool mcp.Tool
	if json.Unmarshal(text, &tool) == nil {
		if def, err := toolmcp.DefinitionOf(&tool); err == nil && def.Name == name {
			return def
		}
	}
	return toolkit.Definition{Name: name}
}

// Handle gives the answers to a call in the order of the session; the last one is given again.
func (f *fake) Handle(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
	asked := &recorded.Call{}
	asked.Tool, asked.Arguments = call.Name, []byte(call.Arguments)
	answer := f.takeAnswer(expect.Key(asked))
	if print := f.key.Fingerprint(call.Arguments); answer == nil && print != "" {
		answer = f.takeAnswer(call.Name + "\x00fp:" + print)
	}
	if answer == nil {
		text := fmt.Sprintf("the recording has no answer to this call of %s: want the arguments of a recorded call",
			display.Clip(call.Name, 80))
		return toolkit.Result{Output: text, Fault: &toolkit.Error{Kind: toolkit.ErrTool, Tool: call.Name, Message: text}}, nil
	}
	return resultOf(answer), nil
}

func (f *fake) takeAnswer(key string) *recorded.Call {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := f.answers[key]
	if len(list) == 0 {
		return nil
	}
	if len(list) > 1 {
		f.answers[key] = list[1:]
	}
	return list[0]
}

// resultOf is the recorded result of a call.
func resultOf(c *recorded.Call) toolkit.Result {
	if c.Failed() {
		kind := toolkit.Kind(c.ErrorType)
		if kind == "" {
			kind = toolkit.ErrTool
		}
		return toolkit.Result{Output: c.Error, Fault: &toolkit.Error{Kind: kind, Tool: c.Tool, Message: c.Error}}
	}
	result := toolkit.Result{Output: c.Result}
	if len(c.Texts) > 0 || c.Structured != nil {
		result.Output = ""
		for i, text := range c.Texts {
			if i == 0 {
				result.Output = text
				continue
			}
			result.Parts = append(result.Parts, toolkit.Part{Kind: toolkit.PartText, Text: text})
		}
	}
	if c.Structured != nil {
		result.Parts = append(result.Parts, toolkit.Part{Kind: toolkit.PartStructured, JSON: []byte(c.Structured)})
	}
	return result
}
