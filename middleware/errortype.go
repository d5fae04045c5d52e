// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package middleware

import (
	"errors"

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
