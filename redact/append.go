// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"unsafe"

	"github.com/toolscope/toolscope/redact/internal/syntax"
)

// JSONTextMax is [Redactor.JSONMax] of a string: s itself comes back, without a copy, if
// nothing was removed or cut.
func (r *Redactor) JSONTextMax(s string, max int) (string, Report) {
	out, report := r.JSONMax(unsafe.Slice(unsafe.StringData(s), len(s)), max)
	return syntax.Text(out), report
}

// JSONCopyMax is [Redactor.JSONMax] as a string that shares no memory with src, which may
// be written to as soon as it returns.
func (r *Redactor) JSONCopyMax(src []byte, max int) (string, Report) {
	out, report := r.JSONMax(src, max)
	if len(out) > 0 && &out[0] == &src[0] {
		return string(out), report
	}
	return syntax.Text(out), report
}
