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
	if end == 0 {
		return 0, 0, ""
	}
	start = mailbox(s, start, i)
	// an added line, or one of a listing, with a decorator: +@pytest.mark.skip
	if strings.Contains(s[start:i], "│") || strings.Trim(s[start:i], "+-=_") == "" {
		return 0, 0, ""
	}
	if start > 0 && (s[start-1] == '@' || s[start-1] == '/' && strings.ToUpper(s[i:end]) == s[i:end] || // of Kerberos
		chars.EndsFold(s[:start], "message-id: <")) || strings.HasPrefix(s[end:], ": Permission denied") { // of ssh
		return 0, 0, ""
	}
	if isNumbered(s[start:i]) || isProtocol(s[start:i], s[i+1:end]) || start > 0 && s[start-1] == '$' ||
		inUserinfo(s, start) {
		return 0, 0, ""
	}
	if isLogin(s, start, i+1, end) || isNoDomain(s[i+1:end]) {
		return 0, 0, ""
	}
	switch s[start:i] {
	case "git", "noreply", "no-reply":
		return 0, 0, ""
	}
	return start, end, "email"
}

// mailbox is where the mailbox begins whose local part ends at i, if the name of a field, of a variable or of an option
// stands before it, from start on: set_id=ann@…, --username=ann@…. Words with '-' or '+' are a part of the local
// part: an address that another one is written into has them (bounce-ann=example.com@…).
func mailbox(s string, start, i int) int {
	eq := strings.LastIndexByte(s[start:i], '=')
	if eq < 0 {
		return start
	}
	name := s[start : start+eq]
	if strings.HasPrefix(name, "--") {
		name = strings.ReplaceAll(name, "-", "")
	}
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.=") != "" {
		return start
	}
	return min(i, chars.SkipAny(s, start+eq+1, "'"))
}

// longNumber is the least number of digits in a row that no mailbox of a person has.
const longNumber = 16

// isNumbered reports whether a local part has the number of a client or an object: client.5498841531868486423.1548.
func isNumbered(local string) bool {
	for i, digits := 0, 0; i < len(local); i++ {
		if !chars.IsDigit(local[i]) {
			digits = 0
		} else if digits++; digits >= longNumber {
			return true
		}
	}
	return false
}

// isProtocol reports whether local@domain names an algorithm of SSH, with the domain of who defines it (RFC 4251,
// section 6): hmac-sha2-256-etm@openssh.com.
func isProtocol(local, domain string) bool {
	return strings.IndexByte(local, '-') > 0 && chars.OneOf("openssh.com libssh.org", domain)
}

// isNoDomain reports whether what stands behind an '@' is no domain of mail: a version (v1.2.3.txt) or a scale
// (2x.png), with an empty part, or with an end of capitals and small letters, as members have.
func isNoDomain(v string) bool {
	set, numbers := uint16(0), 0
	for i := range len(v) {
		if v[i] != '.' {
			set |= chars.Class[v[i]] & (chars.Lower | chars.Upper | chars.Digit)
			continue
		}
		if i == 0 || v[i-1] == '.' || i == 2 && v[1] == 'x' && set&chars.Digit != 0 {
			return true
		}
		if set == chars.Digit || set == chars.Digit|chars.Lower && v[0] == 'v' {
			numbers++
		}
		set = 0
	}
	return numbers > 1 || set == chars.Lower|chars.Upper
}

// privateDomains end the names of hosts in networks without e-mail addresses.
var privateDomains = [...]string{".internal", ".local", ".lan", ".localdomain", ".svc", ".cluster", ".intranet",
	".home", ".service", ".slice", ".socket"} // and of units of systemd

// isLogin reports whether user@host, the host being [host,end), is an account on a machine: behind
// ssh and the like, before a path, or in a private network.
func isLogin(s string, start, host, end int) bool {
	for _, d := range privateDomains {
		if chars.EndsFold(s[host:end], d) {
			return true
		}
	}
	if end+1 < len(s) && s[end] == ':' && (s[end+1] == '/' || s[end+1] == '~' || chars.IsLetter(s[end+1])) {
		return true
	}
	if host, _, _ := strings.Cut(s[host:end], "."); strings.Count(host, "-") > 3 && chars.HasDigit(host) &&
		strings.Trim(host[strings.IndexByte(host, '-'):], "-0123456789") == "" {
		return true // ec2-52-52-41-150
	}
	line := s[max(0, start-80):start]
	line = line[strings.LastIndexAny(line, "\n|;&")+1:]
	for _, program := range [...]string{"ssh ", "scp ", "sftp ", "rsync ", "ssh-copy-id ", "mosh "} {
		if i := strings.Index(line, program); i >= 0 && (i == 0 || !chars.IsAlnum(line[i-1])) &&
			strings.IndexByte(line[i:], ',') < 0 {
			return true
		}
	}
	return false
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
