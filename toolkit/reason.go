// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import (
	"fmt"
	"log/slog"
	"strings"
)

// reasonError is a failure whose own error names its kind only, with the text of the failed result in its place.
// [errors.Is], [errors.As] and [TypeOf] find in it what they find in the failure.
type reasonError struct {
	reason  string
	failure error
}

func (e *reasonError) Error() string { return e.reason }
func (e *reasonError) Unwrap() error { return e.failure }

// Format prints the kind, whatever the verb: the reason may hold arguments or outputs.
func (e *reasonError) Format(f fmt.State, _ rune) { fmt.Fprint(f, Kind(TypeOf(e.failure)).Error()) }

// LogValue gives the kind, not the reason.
func (e *reasonError) LogValue() slog.Value {
	return slog.StringValue(Kind(TypeOf(e.failure)).Error())
}

// withReason returns err, or, if err names its kind only and the failed result has a text, an error of the same
// kind with that text. It returns nil for a nil err.
func withReason(err error, res *Result) error {
	if err == nil || !namesKindOnly(err) {
		return err
	}
	reason := res.reason()
	if reason == "" {
		return err
	}
	return &reasonError{reason, err}
}

// namesKindOnly reports whether the text of an error is empty or says no more than its kind. It is false for nil,
// and for an error whose own methods panic.
func namesKindOnly(err error) (only bool) {
	defer func() {
		if recover() != nil {
			only = false
		}
	}()
	switch e := err.(type) {
	case nil:
		return false
	case Kind:
		return true
	case *Error:
		return e == nil || e.Message == "" && (e.Cause == nil || namesKindOnly(e.Cause))
	}
	text := err.Error()
	return text == "" || text == Kind(TypeOf(err)).Error()
}

// reason is the text of a failed result: its output, else its first text, else its first structured content; ""
// if it has none.
func (r *Result) reason() string {
	if text := strings.TrimSpace(r.Output); text != "" {
		return text
	}
	for i := range r.Parts {
		if text := strings.TrimSpace(r.Parts[i].Text); text != "" {
			return text
		}
	}
	for i := range r.Parts {
		if p := &r.Parts[i]; len(p.JSON) > 0 {
			return string(p.JSON)
		}
	}
	return ""
}
