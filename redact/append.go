// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

// AppendJSONMax is [Redactor.JSONMax], appended to dst: one buffer may take the
// arguments and the result of a call. src is never written to.
func (r *Redactor) AppendJSONMax(dst, src []byte, max int) ([]byte, Report) {
	out, report := r.JSONMax(src, max)
	return append(dst, out...), report
}

// AppendTextMax is [Redactor.TextMax], appended to dst.
func (r *Redactor) AppendTextMax(dst []byte, s string, max int) ([]byte, Report) {
	out, report := r.TextMax(s, max)
	return append(dst, out...), report
}
