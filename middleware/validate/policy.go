// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
)

// Options say how arguments are checked. The zero value checks, and repairs nothing.
type Options struct {
	// Coerce repairs a value of the wrong type that says the right one: "5" for 5, "true" for true, 5 for "5",
	// 5.0 for 5, and the text of a list or an object for it. Repairs are recorded. The default is false: the
	// model is asked to do it.
	Coerce bool `yaml:"coerce" doc:"Repair values of a wrong type that say the right one; default false."`
	// Strict refuses the calls of a tool whose schema does not compile. The default, false, passes them on
	// unchecked, and records that.
	Strict bool `yaml:"strict" doc:"Refuse the calls of tools whose schema does not compile; default false."`
	// MaxBytes is the longest text of arguments, in bytes; 0 is 16 MiB, below 0 is no limit.
	MaxBytes int `yaml:"max_bytes" unit:"bytes" doc:"Longest arguments; default 16MiB, below 0 no limit."`
}

// policy checks arguments. Safe for concurrent use.
type policy struct {
	options Options
	schemas schemas
}

var _ middleware.Policy = (*policy)(nil)

// New makes a policy. The error is nil: it is there since all constructors of policies have
// one.
//
// The policy checks the arguments of registered tools that have a schema; those of others
// pass as they are. A refusal is invalid_arguments. The call tells "validation" with
// "invalid", "coerced" or "schema_error", and "validation.at" with the JSON Pointers (RFC 6901)
// of the first problems or of what was repaired. Arguments are checked as JSON
// that everybody reads alike: one value, no name twice in an object, valid UTF-8
// (RFC 7493); nil and empty count as {}.
func New(o Options) (middleware.Policy, error) {
	if o.MaxBytes == 0 {
		o.MaxBytes = 16 << 20
	}
	return &policy{options: o}, nil
}

// Stage is [middleware.StageValidate].
func (p *policy) Stage() middleware.Stage { return middleware.StageValidate }

// Wrap is a [toolkit.Middleware].
func (p *policy) Wrap(next toolkit.Handler) toolkit.Handler {
	return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		tool := call.Record.Tool()
		if tool == nil || len(tool.InputSchema) == 0 {
			return next(ctx, call)
		}
		if p.options.MaxBytes > 0 && len(call.Arguments) > p.options.MaxBytes {
			return refuse(call, "", fmt.Sprintf("got arguments of %d bytes, want at most %d", len(call.Arguments), p.options.MaxBytes))
		}
		c := p.schemas.forTool(tool)
		if c.err != nil {
			call.Record.Tag("validation", "schema_error")
			if p.options.Strict {
				return refuse(call, "", "the tool's input schema does not compile, so its arguments cannot be checked: "+c.err.Error())
			}
			return next(ctx, call)
		}
		arguments := call.Arguments
		if len(bytes.TrimSpace(arguments)) == 0 {
			arguments = json.RawMessage("{}")
		}
		if c.fits(call, arguments) {
			return next(ctx, call)
		}
		schema := c.schema
		value, err := decode(arguments)
		if err != nil {
			return refuse(call, "", "the arguments are not valid JSON: "+err.Error())
		}
		failure := check(schema, value)
		if failure == nil {
			return next(ctx, call)
		}
		if p.options.Coerce {
			if repaired, at := coerce(schema, arguments, failure); repaired != nil {
				call.Record.Tag("validation", "coerced")
				call.Record.Tag("validation.at", at)
				call.Arguments = repaired
				return next(ctx, call)
			}
		}
		return refuse(call, pointers(failure), explain(schema, failure))
	}
}

// refuse answers so that the model can repair its call.
func refuse(call toolkit.Call, at, what string) (toolkit.Result, error) {
	call.Record.Tag("validation", "invalid")
	if at != "" {
		call.Record.Tag("validation.at", at)
	}
	return middleware.Refuse(call, &toolkit.Error{Kind: toolkit.ErrInvalidArguments, Message: what})
}

// fits reports whether the call's arguments fit for certain, told from their text: most do, and
// then nothing is decoded. That two readers read them alike is known from their identity,
// which other policies ask for as well.
func (c *compiled) fits(call toolkit.Call, arguments []byte) bool {
	if c.shape == nothing {
		return false
	}
	_, alike := call.Record.Identity(call)
	return alike && c.shape.accepts(arguments)
}

// check validates; a library that panics, as it does where a number's exponent is huge, has
// found the value wanting.
func check(schema *jsonschema.Schema, value any) (failure *jsonschema.ValidationError) {
	defer func() {
		if recover() != nil {
			failure = &jsonschema.ValidationError{ErrorKind: other{errors.New("a value in it cannot be checked, want " +
				"one of a common size")}}
		}
	}()
	err := schema.Validate(value)
	if err == nil {
		return nil
	}
	if errors.As(err, &failure) {
		return failure
	}
	return &jsonschema.ValidationError{ErrorKind: other{err}}
}
