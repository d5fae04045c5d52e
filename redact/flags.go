// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import "strings"

// flagAt looks at a command line's option that begins at i: `--password x`,
// `--token=x` (found as an assignment), `-u user:password`, `-pPASSWORD` after mysql.
func flagAt(s string, i int) (start, end int, kind string) {
	if i > 0 && !isSpace(s[i-1]) && strings.IndexByte("\"'`([,", s[i-1]) < 0 {
		return 0, 0, ""
	}
	p := i + 1
	if p < len(s) && s[p] == '-' {
		p++
	}
	nameEnd := p
	for nameEnd < len(s) && nameByte(s[nameEnd]) && nameEnd-p < maxKey {
		nameEnd++
	}
	name := s[p:nameEnd]
	if p == i+1 {
		return shortFlagAt(s, i, name, nameEnd)
	}
	if nameEnd >= len(s) || s[nameEnd] != ' ' || name == "" {
		return 0, 0, ""
	}
	if strings.EqualFold(name, "user") || strings.EqualFold(name, "proxy-user") {
		return userPassword(s, nameEnd+1)
	}
	level, kind := classifyKey(name)
	if level == harmless {
		return 0, 0, ""
	}
	start, end = argument(s, nameEnd+1)
	if start >= end || s[start] == '-' || isReference(s[start:end]) || isPlaceholder(s[start:end]) || level == telling && !random(s[start:end]) {
		return 0, 0, ""
	}
	return start, end, kind
}

// shortFlagAt looks at curl's -u user:password, and at -p after mysql, sshpass and
// docker login.
func shortFlagAt(s string, i int, name string, nameEnd int) (start, end int, kind string) {
	line := s[max(0, i-200):i]
	if n := strings.LastIndexAny(line, "\n;|&"); n >= 0 {
		line = line[n+1:]
	}
	switch {
	case name == "u" && nameEnd < len(s) && s[nameEnd] == ' ' && strings.Contains(line, "curl"):
		return userPassword(s, nameEnd+1)
	case strings.HasPrefix(name, "p") && len(name) > 1 && (strings.Contains(line, "mysql") || strings.Contains(line, "sshpass")):
		start, end = i+2, bareEnd(s, i+2, secret)
	case name == "p" && (strings.Contains(line, "sshpass") || strings.Contains(line, "login")):
		start, end = argument(s, nameEnd+1)
	}
	if start >= end || isReference(s[start:end]) {
		return 0, 0, ""
	}
	return start, end, kindPasswd
}

// userPassword is the password of a "user:password" argument.
func userPassword(s string, p int) (start, end int, kind string) {
	start, end = argument(s, p)
	colon := strings.IndexByte(s[min(start, len(s)):end], ':')
	if colon > 0 && start+colon+1 == end && random(s[start:start+colon]) { // a token as the user
		return start, start + colon, kindPasswd
	}
	if colon < 0 || start+colon+1 >= end {
		return 0, 0, ""
	}
	v := s[start+colon+1 : end]
	if isReference(v) || v == "password" || isPlaceholder(v) {
		return 0, 0, ""
	}
	return start + colon + 1, end, kindPasswd
}

// argument is the next argument of a command line, without its quotes.
func argument(s string, p int) (start, end int) {
	for p < len(s) && s[p] == ' ' {
		p++
	}
	if p < len(s) && (s[p] == '"' || s[p] == '\'') {
		return p + 1, quoteEnd(s, p+1, s[p])
	}
	return p, bareEnd(s, min(p, len(s)), secret)
}
