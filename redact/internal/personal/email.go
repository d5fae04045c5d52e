// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package personal

import (
	"strings"

	"github.com/toolscope/toolscope/redact/internal/chars"
)

// emailAt finds the address (RFC 5322, 3.4.1, in its usual form) around the @ at i.
func emailAt(s string, i, last int) (start, end int, kind string) {
	start = i
	for start > last && i-start < 64 && (chars.Class[s[start-1]]&chars.Dotted != 0 || strings.IndexByte("+%'!#&*=^~", s[start-1]) >= 0 || s[start-1] >= 0x80) {
		start--
	}
	for start < i && strings.IndexByte(".'=&*", s[start]) >= 0 {
		start++
	}
	end = i + 1
	dot := 0
	for end < len(s) && end-i < 254 && (chars.Class[s[end]]&chars.URL != 0 && s[end] != '_' || s[end] == '.' || s[end] >= 0x80) {
		if s[end] == '.' {
			dot = end
		}
		end++
	}
	for end > i && (s[end-1] == '.' || s[end-1] == '-') {
		end--
	}
	if dot >= end {
		dot = strings.LastIndexByte(s[i+1:end], '.') + i + 1
	}
	if start == i || dot <= i+1 || end-dot < 3 || s[i-1] == '.' {
		return 0, 0, ""
	}
	for _, c := range s[dot+1 : end] {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80) && !strings.HasPrefix(s[dot+1:], "xn--") {
			return 0, 0, ""
		}
	}
	local := s[start:i]
	if start > 0 && s[start-1] == '$' || inUserinfo(s, start) {
		return 0, 0, ""
	}
	if local == "git" || local == "noreply" || local == "no-reply" {
		return 0, 0, ""
	}
	return start, end, "email"
}

// inUserinfo reports whether what begins at start stands in the userinfo of a URL: behind
// "://", or behind "://user:".
func inUserinfo(s string, start int) bool {
	p := start
	for p > 0 && start-p < 64 && !chars.IsSpace(s[p-1]) && strings.IndexByte("\"'/<>,;", s[p-1]) < 0 {
		p--
	}
	return p >= 3 && s[p-3:p] == "://"
}
