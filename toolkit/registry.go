// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// A Registry holds tools by name. The zero value is empty and works. Safe for
// concurrent use: readers never wait, and a call that has begun keeps its
// tool though the name be replaced or removed. A nil *Registry holds nothing and
// takes nothing.
type Registry struct {
	mu    sync.Mutex // serialises writers
	state atomic.Pointer[registryState]
}

// registryState is never changed once stored.
type registryState struct {
	tools map[string]*registered
	names []string // in order of registration
}

type registered struct {
	def  *Definition
	tool Tool
}

// ErrRegistered is in the error of [Registry.Register] for a name that is taken.
var ErrRegistered = errors.New("toolkit: a tool of that name is registered already")

var errNilRegistry = errors.New("toolkit: Registry: got nil, want new(toolkit.Registry)")

func (r *Registry) load() *registryState {
	if r == nil {
		return &registryState{}
	}
	if s := r.state.Load(); s != nil {
		return s
	}
	return &registryState{}
}

// Register adds tools, all or none. It fails if one is nil, has an invalid
// definition ([Definition.Validate]), or a name that is taken ([ErrRegistered]).
func (r *Registry) Register(tools ...Tool) error {
	entries := make([]*registered, len(tools)) // made before the lock, since tools may look into the registry
	for i, t := range tools {
		entry, err := newRegistered(t)
		if err != nil {
			return fmt.Errorf("toolkit: Register: tool %d: %w", i, err)
		}
		entries[i] = entry
	}
	return r.change(func(s *registryState) error {
		for i, entry := range entries {
			if _, taken := s.tools[entry.def.Name]; taken {
				return fmt.Errorf("toolkit: Register: tool %d: name %s: %w", i, quote(entry.def.Name), ErrRegistered)
			}
			s.put(entry)
		}
		return nil
	})
}

// Replace adds a tool, or puts it in the place of the one of its name.
func (r *Registry) Replace(tool Tool) error {
	entry, err := newRegistered(tool)
	if err != nil {
		return fmt.Errorf("toolkit: Replace: %w", err)
	}
	return r.change(func(s *registryState) error {
		s.put(entry)
		return nil
	})
}

// Remove takes the tool of that name out and reports whether there was one.
func (r *Registry) Remove(name string) (removed bool) {
	_ = r.change(func(s *registryState) error {
		if _, removed = s.tools[name]; removed {
			delete(s.tools, name)
			s.names = slices.DeleteFunc(s.names, func(n string) bool { return n == name })
		}
		return nil
	})
	return removed
}

// change applies f to a copy of the state and stores it unless f fails.
func (r *Registry) change(f func(*registryState) error) error {
	if r == nil {
		return errNilRegistry
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	old := r.load()
	s := &registryState{tools: maps.Clone(old.tools), names: slices.Clone(old.names)}
	if s.tools == nil {
		s.tools = make(map[string]*registered)
	}
	if err := f(s); err != nil {
		return err
	}
	r.state.Store(s)
	return nil
}

func (s *registryState) put(entry *registered) {
	if _, there := s.tools[entry.def.Name]; !there {
		s.names = append(s.names, entry.def.Name)
	}
	s.tools[entry.def.Name] = entry
}

func newRegistered(t Tool) (*registered, error) {
	if t == nil {
		return nil, errors.New("got nil, want a Tool")
	}
	def := t.Definition().clone()
	if err := def.checkRegistered(); err != nil {
		return nil, err
	}
	return &registered{def, t}, nil
}

// Len is how many tools are registered.
func (r *Registry) Len() int { return len(r.load().names) }

// Lookup finds a tool's definition, which must not be changed; nil if there is
// none of that name. It is the [Lookup] of the registry's tools.
func (r *Registry) Lookup(name string) *Definition {
	if e := r.load().tools[name]; e != nil {
		return e.def
	}
	return nil
}

// Tool finds a tool; nil if there is none of that name.
func (r *Registry) Tool(name string) Tool {
	if e := r.load().tools[name]; e != nil {
		return e.tool
	}
	return nil
}

// Definitions lists the tools' definitions in the order of registration.
func (r *Registry) Definitions() []Definition {
	s := r.load()
	defs := make([]Definition, len(s.names))
	for i, name := range s.names {
		defs[i] = *s.tools[name].def.clone()
	}
	return defs
}

// Handle is the registry as a [Handler]: it runs the tool of the call's name. A
// tool's error becomes the result's fault, with its text for the model unless
// the tool gave an output; so does an unknown name, and a context that is over
// before the tool runs. The error returned is always nil:
// here no policy ends a call. A panic goes on.
func (r *Registry) Handle(ctx context.Context, call Call) (Result, error) {
	e := r.load().tools[call.Name]
	if e == nil {
		call.Record.Note(func(s *Disposition) { s.Outcome = OutcomeRefused })
		return Failure(&Error{Kind: ErrUnknownTool, Tool: call.Name, Message: "use one of the tools listed"}), nil
	}
	if ctx.Err() != nil { // cancelled while it waited
		call.Record.Note(func(s *Disposition) { s.Outcome = OutcomeRefused })
		return Failure(context.Cause(ctx)), nil
	}
	res, err := e.tool.Handle(ctx, call)
	if err == nil {
		return res, nil
	}
	if res.Output == "" {
		res.Output = err.Error()
	}
	res.Fault = err
	return res, nil
}

// Execute runs one call and always has an answer for the model: an error and a
// panic become failed results.
func (r *Registry) Execute(ctx context.Context, call Call) Answer {
	return answer(ctx, r.Handle, call)
}

// Failure is the result that tells the model of an error; a nil error counts as
// [ErrTool].
func Failure(err error) Result {
	if err == nil {
		err = ErrTool
	}
	return Result{Output: err.Error(), Fault: err}
}
