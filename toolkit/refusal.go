// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

// Refusal reports whether the kind says that a call did not reach its tool.
func (k Kind) Refusal() bool {
	switch k {
	case ErrUnknownTool, ErrInvalidArguments, ErrPermissionDenied, ErrApprovalDenied, ErrApprovalExpired,
		ErrRateLimited, ErrOverloaded, ErrCircuitOpen, ErrLoopDetected, ErrBudgetExceeded:
		return true
	}
	return false
}
