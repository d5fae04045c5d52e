// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package funcs

import (
	"context"
	"fmt"
	"reflect"
)

// Func is the shape of an execute function; toolkit.Func is the same.
type Func[C, R any] interface {
	~func(context.Context, C) R | ~func(context.Context, C) (R, error)
}

// Uniform is the one form.
type Uniform[C, R any] = func(context.Context, C) (R, error)

// HasError reports whether functions of type F return an error.
func HasError[F Func[C, R], C, R any]() bool { return reflect.TypeFor[F]().NumOut() == 2 }

// Split returns f in the uniform form; the error is nil for functions without one. A nil f
// returns nil.
func Split[F Func[C, R], C, R any](f F) Uniform[C, R] {
	v := reflect.ValueOf(f)
	if v.IsNil() {
		return nil
	}
	if HasError[F, C, R]() {
		return v.Convert(reflect.TypeFor[Uniform[C, R]]()).Interface().(Uniform[C, R])
	}
	plain := Plain[F, C, R](f)
	return func(ctx context.Context, c C) (R, error) { return plain(ctx, c), nil }
}

// Plain returns a function without an error as it is; nil for one with an error.
func Plain[F Func[C, R], C, R any](f F) func(context.Context, C) R {
	if HasError[F, C, R]() {
		return nil
	}
	return reflect.ValueOf(f).Convert(reflect.TypeFor[func(context.Context, C) R]()).Interface().(func(context.Context, C) R)
}

// Join returns f as a function of type F. Where F has no error, f's is dropped.
func Join[F Func[C, R], C, R any](f Uniform[C, R]) F {
	var same any = f
	if !HasError[F, C, R]() {
		same = func(ctx context.Context, c C) R {
			res, _ := f(ctx, c)
			return res
		}
	}
	if joined, ok := same.(F); ok {
		return joined
	}
	return reflect.ValueOf(same).Convert(reflect.TypeFor[F]()).Interface().(F)
}

// Describe is the type of F in words, for error messages.
func Describe[F any]() string { return fmt.Sprint(reflect.TypeFor[F]()) }
