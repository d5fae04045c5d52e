// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package personal

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/internal/recognise"
)

// emailAt finds the address around the @ at i that names a person. Userinfo of a URL looks like one,
// as do variables of a shell before an '@'.
func emailAt(s string, i int) (start, end int, kind string) {
	start, end = recognise.Email(s, i)
	if end == 0 || start > 0 && s[start-1] == '$' || inUserinfo(s, start) {
		return 0, 0, ""
	}
	switch s[start:i] {
	case "git", "noreply", "no-reply":
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
