// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/toolscope/toolscope/internal/jsontypes"
	"github.com/toolscope/toolscope/toolkit/identity"
)

// TypedAdapter is the adapter for one tool's own function that takes an In and returns an Out,
// both with a form in JSON, and an error. The tool's arguments and output are those forms. An
// invalid def is an error where the function is wrapped.
//
// Policies tell calls apart by the JSON of In. Under policies In is therefore an error if its JSON
// does not hold all of it: fields that are unexported or have the tag json:"-", interfaces with
// methods, functions, channels, and types with MarshalJSON or MarshalText without the counterpart.
// What only values show refuses the call (invalid_arguments): in an any, types other than those of
// JSON, as []byte and types with a name; values that their own UnmarshalJSON does not read back;
// strings that are not UTF-8; NaN. Numbers in an any are the same call if their JSON is.
//
// Copies of In and Out are deep copies of the values, not made by JSON, so that a shared or stored
// result in memory is what the tool returned. A result that cannot be copied is not shared: one
// with a function, a channel, an error, or an unexported field with a reference. An answer that
// has been stored outside of the process, or that a policy made, has what its JSON has. An Out
// that JSON cannot encode is recorded without content, and policies see a suspended result.
//
// A policy that changes the output so that it is no longer the form of an Out, as a truncated
// one, has no effect on what the caller gets.
func TypedAdapter[In, Out any](def Definition) Adapter[In, Out] {
	tools, err := NewTools(def)
	t := typed[In, Out]{name: def.Name}
	form, ungovernable := jsontypes.Of(reflect.TypeFor[In]())
	if t.form = form; ungovernable != nil {
		ungovernable = fmt.Errorf("TypedAdapter: %w: policies could not tell two calls apart by their JSON: "+
			"change the type, or write an Adapter", ungovernable)
	}
	return Adapter[In, Out]{
		Tools:        tools,
		Call:         t.call,
		Result:       func(Out, error) Result { return Result{} },
		Content:      t.content,
		With:         t.with,
		Answer:       t.answer,
		Copy:         t.copy,
		needsError:   true,
		copiesShared: true,
		err:          err,
		ungovernable: ungovernable,
		check:        t.check,
	}
}

// typed are the functions of a [TypedAdapter].
type typed[In, Out any] struct {
	name string
	form *jsontypes.Form // nil if policies cannot apply
}

func (t typed[In, Out]) call(in In) Call {
	args, err := toJSON(&in)
	if err != nil {
		return Call{Name: t.name, foreign: &unfitCall{t.explain(&in, err)}}
	}
	return Call{Name: t.name, Arguments: args}
}

// explain names the part of the arguments that err is about, under policies.
func (t typed[In, Out]) explain(in *In, err error) error {
	if t.form == nil {
		return err
	}
	if found := t.form.Check(in, nil); found != nil {
		return found
	}
	return err
}

// check is why policies cannot judge a call whose JSON is args.
func (t typed[In, Out]) check(in In, args json.RawMessage) error {
	if err := t.form.Check(&in, args); err != nil {
		return fmt.Errorf("%w: policies could not tell it from other calls", err)
	}
	return nil
}

func (t typed[In, Out]) with(in In, args json.RawMessage) In {
	now, err := toJSON(&in)
	if err != nil {
		panic(&unfitCall{err})
	}
	if !bytes.Equal(now, args) {
		return t.changed(args)
	}
	copied, err := jsontypes.Copy(in)
	if err != nil {
		panic(&unfitCall{err})
	}
	return copied
}

// changed is an In of arguments that a policy changed.
func (t typed[In, Out]) changed(args json.RawMessage) (in In) {
	if err := fromJSON(args, &in); err != nil {
		panic(&unfitCall{fmt.Errorf("the arguments were changed and are no %T: %w", in, err)})
	}
	if again, err := toJSON(&in); err != nil || !identity.Equal(again, args) && !holds(again, args) {
		panic(&unfitCall{fmt.Errorf("the arguments were changed, and a %T does not hold all of them", in)})
	}
	return in
}

func (t typed[In, Out]) content(out Out, r *Result) {
	text, err := toJSON(&out)
	if err != nil {
		panic(err) // contained: see Adapter
	}
	r.Output = string(text)
}

func (t typed[In, Out]) answer(_ In, res Result, err error) (out Out) {
	if err != nil {
		return out
	}
	if err := fromJSON([]byte(res.Output), &out); err != nil {
		panic(err)
	}
	return out
}

func (t typed[In, Out]) copy(out Out, _ In) Out {
	copied, err := jsontypes.Copy(out)
	if err != nil {
		panic(&unfitCall{err})
	}
	return copied
}

// toJSON is json.Marshal; a panic of a method of the value's is an error.
func toJSON(v any) (text []byte, err error) {
	defer recoverTo(&err)
	return json.Marshal(v)
}

// fromJSON is json.Unmarshal; a panic of a method of the value's is an error.
func fromJSON(text []byte, v any) (err error) {
	defer recoverTo(&err)
	return json.Unmarshal(text, v)
}

func recoverTo(err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("a method of its type panicked: %v", v)
	}
}

// holds reports whether the JSON all has everything that part has. A member that part leaves out
// is the zero value, which may be written; null may be left out.
func holds(all, part []byte) bool {
	var a, p any
	if decodeExactly(all, &a) != nil || decodeExactly(part, &p) != nil {
		return false
	}
	return holdsValue(a, p)
}

func decodeExactly(text []byte, v *any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(v)
}

func holdsValue(all, part any) bool {
	switch part := part.(type) {
	case map[string]any:
		members, ok := all.(map[string]any)
		for name, value := range part {
			ok = ok && (value == nil && members[name] == nil || holdsMember(members, name, value))
		}
		return ok
	case []any:
		elements, ok := all.([]any)
		if ok = ok && len(elements) == len(part); ok {
			for i := range part {
				ok = ok && holdsValue(elements[i], part[i])
			}
		}
		return ok
	case json.Number:
		number, ok := all.(json.Number)
		return ok && identity.Equal([]byte(number), []byte(part))
	}
	return all == part // of strings, booleans and null
}

func holdsMember(members map[string]any, name string, value any) bool {
	is, ok := members[name]
	return ok && holdsValue(is, value)
}
