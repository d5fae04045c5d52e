// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package middleware

import (
	"errors"
	"fmt"
	"strings"

	"github.com/toolscope/toolscope/toolkit"
)

// ErrorType is the error.type of a handler that returned res and err, as observers will
// tell it unless a policy further out changes it; "" for a success. Unlike
// [toolkit.TypeOf] it tells a failure of the tool's that says no more ("tool_error") from an
// error that says nothing of itself and came from a policy or the transport
// ([toolkit.TypeOther]).
func ErrorType(res toolkit.Result, err error) (kind string) {
	if err == nil {
		return toolkit.TypeOf(res.Fault)
	}
	if kind = toolkit.TypeOf(err); kind != string(toolkit.ErrTool) {
		return kind
	}
	defer func() {
		if recover() != nil { // a method of the error's own
			kind = toolkit.TypeOther
		}
	}()
	var typed interface{ ErrorType() string }
	if errors.As(err, &typed) {
		return kind
	}
	return toolkit.TypeOther
}

// CheckErrorType returns an error for a kind that toolscope gives to no error: it is none of the constants of package
// toolkit and not [toolkit.TypeOther], so it is likely misspelt. The error lists the kinds. Policies that are
// configured by kinds use it; values of an application's own errors have a field of their own.
func CheckErrorType(k toolkit.Kind) error {
	if k.Known() || k == toolkit.TypeOther {
		return nil
	}
	var known []string
	for _, kind := range toolkit.Kinds() {
		known = append(known, string(kind))
	}
	return fmt.Errorf("got %.80q, want one of %s, %s (OnTypes has the values of your own errors)",
		string(k), strings.Join(known, ", "), toolkit.TypeOther)
}

// CheckOwnErrorType returns an error for a value that no error can have as its error.type: 1 to 64 letters, digits,
// "_", "-" and "." are allowed (see [toolkit.TypeOf]).
func CheckOwnErrorType(v string) error {
	valid := len(v) > 0 && len(v) <= 64
	for _, c := range v {
		valid = valid && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("_-.", c))
	}
	if valid {
		return nil
	}
	return fmt.Errorf(`got %.80q, want 1 to 64 letters, digits, "_", "-" or "."`, v)
}
