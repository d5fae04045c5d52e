// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package personal

import (
	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/marks"
)

// ssnEnd is the end of a US social security number in the form 123-45-6789.
func ssnEnd(s string, i, end int) int {
	v := s[i:end]
	if len(v) == 9 && !marks.Near(s, i, "ssn", "social security") || len(v) != 9 && !(len(v) == 11 && v[3] == v[6] &&
		(v[3] == '-' || v[3] == ' ' || v[3] == '.')) {
		return 0
	}
	if end < len(s) && chars.IsAlnum(s[end]) {
		return 0
	}
	if len(v) == 11 && v[3] == ' ' && !marks.Near(s, i, "ssn", "social security") {
		return 0
	}
	area, serial := v[:3], v[len(v)-4:]
	group := v[3:5]
	if len(v) == 11 {
		group = v[4:6]
	}
	if area == "000" || area == "666" || area[0] == '9' || group == "00" || serial == "0000" || v == "078-05-1120" ||
		v == "123-45-6789" {
		return 0
	}
	return end
}
