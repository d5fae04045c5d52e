// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import (
	"bytes"
	"reflect"
	"runtime"
)

// maxStack is how many bytes of the stack of a panic are kept.
const maxStack = 16 << 10

// PanicError returns a panic of the call, which the deferred function that calls this has just recovered, as an
// error with the stack of where it began, at most 16 KiB. That is the stack of this goroutine, unless another
// layer of the call recovered the panic before and let it go on: the record keeps the first one. A layer that
// lets a panic go on in another goroutine, or after its deferred function has returned, calls this, so
// that the stack is not lost. Without a record the stack is always that of this goroutine.
func (r Record) PanicError(v any) *PanicError {
	var known *PanicError
	r.Note(func(s *Disposition) { known = s.Panic })
	if known != nil && sameValue(known.Value, v) {
		return known
	}
	made := &PanicError{Value: v, Stack: panicStack()}
	r.Note(func(s *Disposition) { s.Panic = made })
	return made
}

// sameValue reports whether two values of panics are the same; false for those that cannot be compared.
func sameValue(a, b any) bool {
	return a == nil && b == nil || a != nil && b != nil && reflect.ValueOf(a).Comparable() &&
		reflect.ValueOf(b).Comparable() && a == b
}

// panicStack is the stack of this goroutine from where it panicked. It must be called while the deferred functions
// of the panic run.
func panicStack() []byte {
	stack := make([]byte, maxStack)
	stack = stack[:runtime.Stack(stack, false)]
	// Between the first line, which names the goroutine, and the panic are the functions that recovered it.
	head := bytes.IndexByte(stack, '\n') + 1
	if at := bytes.Index(stack, []byte("\npanic(")) + 1; head > 0 && at > head {
		stack = append(stack[:head], stack[at:]...)
	}
	return stack
}

// setPanic sets that the call panicked with v, and where.
func (r *run) setPanic(v any) {
	e := &r.ended
	e.Ending, e.ErrorType, e.Panic = EndingPanicked, string(ErrPanic), v
	e.Stack = r.record.PanicError(v).Stack
}
