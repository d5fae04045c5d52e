// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package middleware

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/toolscope/toolscope/toolkit"
)

// Check returns an error for a policy that cannot work: nil, a nil pointer, or a policy with a method
// `Made() bool` that returns false. The policies of this module whose type is exported have that method;
// it reports whether the New of their package made them. toolscope.New and toolscope.Scope.Apply check each
// policy. Your own policies may have the method. A policy of another type is not refused for its zero value.
func Check(p Policy) error {
	if p == nil {
		return errors.New("got a nil policy, want one that is not nil")
	}
	maker, known := p.(interface{ Made() bool })
	if v := reflect.ValueOf(p); v.Kind() == reflect.Pointer && v.IsNil() {
		if known {
			return fmt.Errorf("got a nil %T, want one that %s made", p, constructor(p))
		}
		return fmt.Errorf("got a nil %T, want one that is not nil", p)
	}
	if known && !maker.Made() {
		return fmt.Errorf("got a zero %s, want one that %s made", typeName(p), constructor(p))
	}
	return nil
}

// typeName is the name of a policy's type with its package and without "*".
func typeName(p Policy) string { return strings.TrimPrefix(fmt.Sprintf("%T", p), "*") }

// constructor is the name of the function that makes policies of a type: the New of its package.
func constructor(p Policy) string {
	name, _, _ := strings.Cut(typeName(p), ".")
	return name + ".New"
}

// unusable is in the place of a policy that [Check] refuses: it refuses each call.
type unusable struct{ err error }

func (unusable) Stage() Stage { return StageRecover }

func (p unusable) Wrap(toolkit.Handler) toolkit.Handler {
	return func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
		return Refuse(call, &toolkit.Error{Kind: toolkit.ErrPermissionDenied, Message: "a policy cannot work: " + p.err.Error()})
	}
}
