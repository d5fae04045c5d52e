// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package middleware

import (
	"errors"

	"github.com/toolscope/toolscope/toolkit"
)

// Inject adds your application's parameters to the calls of the tools they are for: the model
// neither sees them (see [toolkit.HostParams.Hide]) nor can set them, since what it
// sent under their names is removed first. They belong to the call's identity. nil is an
// error.
func Inject(params *toolkit.HostParams) (Policy, error) {
	if params == nil {
		return nil, errors.New("middleware: Inject: got nil parameters, want those of toolkit.NewHostParams")
	}
	return At(StageInject, func(next toolkit.Handler) toolkit.Handler {
		return toolkit.Chain(next, params.Middleware())
	}), nil
}
