// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package superseded marks calls that were cancelled because another call answered first. They are no errors in the
// statistics.
package superseded

import (
	"context"
	"errors"

	"github.com/toolscope/toolscope/toolkit"
)

// Cause is the cause of the cancellation.
var Cause error = &toolkit.Error{Kind: toolkit.ErrCanceled, Message: "another branch answered"}

// Was reports whether a call that ended with this error.type was cancelled for that cause. ctx is the call's.
func Was(ctx context.Context, errorType string) bool {
	return errorType == string(toolkit.ErrCanceled) && errors.Is(context.Cause(ctx), Cause)
}
