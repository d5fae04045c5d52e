// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import (
	"context"
	"errors"
	"sync"
)

// TypeOther is error.type for an error that says no more of itself and was not
// a tool's (the OpenTelemetry conventions' fallback value).
const TypeOther = "_OTHER"

// maxErrorTypes is how many different values ErrorType methods may bring into
// error.type in one process, since the value becomes a metric's label.
const maxErrorTypes = 64

// TypeOf is the value of error.type for an error that a tool returned; "" for
// nil. The order: the outermost kind of this package; the context's errors; then
// the value of an `ErrorType() string` method anywhere in the chain (1 to 64
// bytes of letters, digits, "_", "-", ".", at most 64 different ones in a
// process, then "_OTHER"); then "tool_error". It is never a Go type's name.
func TypeOf(err error) string { return classify(err, string(ErrTool)) }

// classify is TypeOf with another value for an unknown error. An error's
// own methods may panic: then it is an unknown one.
func classify(err error, fallback string) (kind string) {
	if err == nil {
		return ""
	}
	defer func() {
		if recover() != nil {
			kind = fallback
		}
	}()
	if k := outermost(err); k != "" {
		return k.admitted()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return string(ErrTimeout)
	}
	if errors.Is(err, context.Canceled) {
		return string(ErrCanceled)
	}
	for i := range kinds {
		if k := kinds[i].kind; k != ErrTool && errors.Is(err, k) {
			return string(k)
		}
	}
	var typed interface {
		error
		ErrorType() string
	}
	if errors.As(err, &typed) {
		return own.admit(typed.ErrorType())
	}
	return fallback
}

// outermost is the kind of the first error of this package in err's chain, in the
// order of [errors.As]: a panic with a timeout as its value is a panic, and what
// wraps an error knows best. "" if there is none.
func outermost(err error) Kind {
	switch e := err.(type) {
	case Kind:
		if e != ErrTool { // says nothing, so that an ErrorType around it may
			return e
		}
	case *Error:
		return e.kind()
	case *PanicError:
		return ErrPanic
	case *softError:
		return ErrTool
	case interface{ Unwrap() error }:
		return outermost(e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			if k := outermost(inner); k != "" {
				return k
			}
		}
	}
	return ""
}

// admitted is the kind itself if it is one of the constants, else admitted like any
// other value that comes from outside.
func (k Kind) admitted() string {
	if k.Known() {
		return string(k)
	}
	return own.admit(string(k))
}

// own holds the values that ErrorType methods brought in.
var own errorTypes

type errorTypes struct {
	mu   sync.RWMutex
	seen map[string]struct{}
}

func (t *errorTypes) admit(v string) string {
	if !validType(v) {
		return TypeOther
	}
	if Kind(v).Known() {
		return v
	}
	t.mu.RLock()
	_, ok := t.seen[v]
	t.mu.RUnlock()
	if ok {
		return v
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.seen[v]; ok {
		return v
	}
	if len(t.seen) >= maxErrorTypes {
		return TypeOther
	}
	if t.seen == nil {
		t.seen = make(map[string]struct{})
	}
	t.seen[v] = struct{}{}
	return v
}

func validType(v string) bool {
	if len(v) == 0 || len(v) > 64 {
		return false
	}
	for i := range len(v) {
		c := v[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.') {
			return false
		}
	}
	return true
}
