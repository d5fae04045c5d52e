// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// A HostParam is an argument that the host adds to calls (a project, a user, a
// model), which the model neither sees nor can set.
type HostParam struct {
	// Tools is the pattern of tool names, as [path.Match] has it ("file_*"), but
	// that "*" and "?" match "/" as well: "*" is every tool.
	Tools string
	// Name is the top-level member of the arguments.
	Name string
	// Value gives the value, encoded as JSON, for each call; an error refuses the
	// call and is returned wrapped.
	Value func(ctx context.Context) (any, error)
}

// matches reports whether the parameter is one of the tool's.
func (p *HostParam) matches(tool string) bool {
	ok, _ := path.Match(unslash(p.Tools), unslash(tool))
	return ok
}

// unslash takes away the meaning that path.Match gives to "/".
func unslash(s string) string { return strings.ReplaceAll(s, "/", "\x1f") }

// HostParams adds your application's arguments to calls. Members of the same name sent by the
// model are removed, whatever their case, since Go's JSON decoder would accept
// them. Of two parameters of one name for one tool the last listed counts. A nil
// *HostParams adds nothing. Safe for concurrent use.
type HostParams struct{ params []HostParam }

// NewHostParams checks the parameters; an error names the first that is wrong.
func NewHostParams(params ...HostParam) (*HostParams, error) {
	for i, p := range params {
		if _, err := path.Match(p.Tools, ""); err != nil || p.Tools == "" {
			return nil, fmt.Errorf(
				"toolkit: HostParam %d: Tools: got %q, want a pattern of path.Match such as \"file_*\"", i,
				clip(p.Tools),
			)
		}
		if p.Name == "" {
			return nil, fmt.Errorf("toolkit: HostParam %d: Name: got \"\", want the name of an argument", i)
		}
		if p.Value == nil {
			return nil, fmt.Errorf("toolkit: HostParam %d (%s): Value: got nil, want a function", i, quote(p.Name))
		}
	}
	return &HostParams{slices.Clone(params)}, nil
}

// matching lists the parameters of one tool.
func (h *HostParams) matching(tool string) []HostParam {
	if h == nil {
		return nil
	}
	var found []HostParam
	for _, p := range h.params {
		if !p.matches(tool) {
			continue
		}
		found = slices.DeleteFunc(found, func(earlier HostParam) bool { return strings.EqualFold(earlier.Name, p.Name) })
		found = append(found, p)
	}
	return found
}

// Middleware adds the parameters to each call they match. It belongs inside what
// observes, so that refusals are seen, and outside everything else that looks at
// arguments. Arguments that are no JSON object are refused
// ([ErrInvalidArguments]) for a tool that has host parameters. It is nil, which
// [Chain] passes over, without parameters.
func (h *HostParams) Middleware() Middleware {
	if h == nil || len(h.params) == 0 {
		return nil
	}
	return func(next Handler) Handler {
		return func(ctx context.Context, call Call) (Result, error) {
			params := h.matching(call.Name)
			if len(params) == 0 {
				return next(ctx, call)
			}
			args, err := inject(ctx, call, params)
			if err != nil {
				call.Record.Note(func(s *Disposition) { s.Outcome = OutcomeRefused })
				return Result{}, err
			}
			call.Arguments = args
			return next(ctx, call)
		}
	}
}

// Hide returns the definitions without the parameters that the host adds, as the
// model should see them.
func (h *HostParams) Hide(defs []Definition) ([]Definition, error) {
	shown := slices.Clone(defs)
	for i := range shown {
		params := h.matching(shown[i].Name)
		if len(params) == 0 || len(shown[i].InputSchema) == 0 {
			continue
		}
		schema, err := hideMembers(shown[i].InputSchema, params)
		if err != nil {
			return nil, fmt.Errorf("toolkit: definition of %s: InputSchema: %w", quote(shown[i].Name), err)
		}
		shown[i].InputSchema = schema
	}
	return shown, nil
}

// inject removes the parameters' names from the arguments and adds the application's
// values at their end. Other members keep their order and their values' spelling.
func inject(ctx context.Context, call Call, params []HostParam) (json.RawMessage, error) {
	members, err := readMembers(call.Arguments)
	if err != nil {
		return nil, &Error{Kind: ErrInvalidArguments, Tool: call.Name, Cause: err}
	}
	members = slices.DeleteFunc(members, func(m member) bool { return hidden(m.name, params) })
	for _, p := range params {
		v, err := p.Value(ctx)
		if err != nil {
			return nil, fmt.Errorf("toolkit: host parameter %s: %w", quote(p.Name), err)
		}
		raw, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("toolkit: host parameter %s: %w", quote(p.Name), err)
		}
		members = append(members, member{p.Name, raw})
	}
	return writeMembers(members), nil
}

func hidden(name string, params []HostParam) bool {
	return slices.ContainsFunc(params, func(p HostParam) bool { return strings.EqualFold(p.Name, name) })
}

// hideMembers takes parameters out of a schema's properties and required.
func hideMembers(schema json.RawMessage, params []HostParam) (json.RawMessage, error) {
	members, err := readMembers(schema)
	if err != nil {
		return nil, err
	}
	for i, m := range members {
		switch m.name {
		case "properties":
			properties, err := readMembers(m.value)
			if err != nil {
				return nil, fmt.Errorf("properties: %w", err)
			}
			members[i].value = writeMembers(slices.DeleteFunc(properties, func(p member) bool { return hidden(p.name, params) }))
		case "required":
			var names []string
			if err := json.Unmarshal(m.value, &names); err != nil {
				return nil, fmt.Errorf("required: %w", err)
			}
			names = slices.DeleteFunc(names, func(n string) bool { return hidden(n, params) })
			members[i].value, _ = json.Marshal(append([]string{}, names...))
		}
	}
	return writeMembers(members), nil
}

// member is one member of a JSON object, its value as written.
type member struct {
	name  string
	value json.RawMessage
}

// readMembers reads a JSON object's members in order, duplicates kept; empty
// text is an empty object.
func readMembers(text json.RawMessage) ([]member, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	if !isObject(text) {
		return nil, errors.New("got text that is no JSON object, want one")
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	var members []member
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, err
		}
		m := member{name: name.(string)}
		if err := dec.Decode(&m.value); err != nil {
			return nil, err
		}
		members = append(members, m)
	}
	return members, nil
}

func writeMembers(members []member) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			b.WriteByte(',')
		}
		name, _ := json.Marshal(m.name)
		b.Write(name)
		b.WriteByte(':')
		b.Write(m.value)
	}
	b.WriteByte('}')
	return b.Bytes()
}
