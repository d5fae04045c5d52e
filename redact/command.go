// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import "strings"

// A program takes secrets in arguments that have no telling name.
type program struct {
	name  string
	user  string // options whose argument is "user:password"
	value string // options whose argument is a secret
	glued string // options with the secret directly behind them
	first bool   // the first argument that is no option is a secret
	sep   string // what stands between user and password, if no colon
}

// programs are the command lines that are read. Options of one program are separated by
// blanks; long options with a telling name need no entry.
var programs = []program{
	{name: "curl", user: "-u --user --proxy-user -U", value: "-b --cookie"},
	{name: "wget", user: "", value: ""},
	{name: "http ", user: "-a --auth"},
	{name: "mysql", glued: "-p"},
	{name: "mariadb", glued: "-p"},
	{name: "sshpass", value: "-p", glued: "-p"},
	{name: "docker login", value: "-p"},
	{name: "podman login", value: "-p"},
	{name: "az login", value: "-p"},
	{name: "redis-cli", value: "-a"},
	{name: "mongo", value: "-p"},
	{name: "sqlcmd", value: "-P", glued: "-P"},
	{name: "ldapsearch", value: "-w", glued: "-w"},
	{name: "smbclient", user: "-U --user", sep: "%"},
	{name: "lftp", user: "-u --user", sep: ","},
	{name: "mongosh", value: "-p"},
	{name: "psexec", value: "-p"},
	{name: "plink", value: "-pw"},
	{name: "pscp", value: "-pw"},
	{name: "evil-winrm", value: "-p"},
	{name: "ipmitool", value: "-P"},
	{name: "convertto-securestring", value: "-String", first: true},
	{name: "vault operator unseal", first: true},
	{name: "vault login", first: true},
	{name: "7z ", glued: "-p"},
	{name: "zip ", value: "-P"},
	{name: "unzip ", value: "-P"},
	{name: "openssl", value: "-k"},
	{name: "rabbitmqctl", value: ""},
	{name: "aws configure set", value: "aws_secret_access_key aws_session_token"},
	{name: "htpasswd", value: ""},
}

// maxLine is how far a command line is read, in bytes.
const maxLine = 4 << 10

// commandHit reads the command line of a program whose name is at i.
func (sc *scanner) commandHit(s string, i, end, n int) int {
	p := programs[n]
	if i > 0 && (isAlnum(s[i-1]) || s[i-1] == '_') || end < len(s) && p.name[len(p.name)-1] != ' ' && !isSpace(s[end]) && strings.IndexByte("dump\"',.-", s[end]) < 0 {
		return 0
	}
	if sc.quick {
		sc.suspect = true
		return len(s)
	}
	if n == sc.program && i < sc.read {
		return 0 // an argument of its own: read already
	}
	limit := min(len(s), end+maxLine)
	q := end
	for q < limit && p.name[len(p.name)-1] != ' ' && (isAlnum(s[q]) || strings.IndexByte("-._", s[q]) >= 0) {
		q++ // mysqldump, mysql.exe, mysql-client
	}
	defer func() { sc.program, sc.read = n, q }()
	for q < limit {
		var start, stop int
		start, stop, q = argument(s, q, limit)
		if start == stop && q >= limit || start < len(s) && strings.IndexByte("|;&\n", s[start]) >= 0 {
			break
		}
		sc.spend(q - start + 1)
		word := s[start:stop]
		if len(word) >= 2 && word[0] != '-' && p.first {
			p.first = false
			if !strings.Contains(word, "=") || len(word) > 20 {
				sc.argumentSecret(s, start, stop)
			}
			continue
		}
		if len(word) < 2 || word[0] != '-' && !oneOf(p.value, word) {
			continue
		}
		switch {
		case oneOf(p.user, word) && p.sep != "":
			start, stop, q = argument(s, q, limit)
			if i := strings.Index(s[start:stop], p.sep); i > 0 {
				sc.argumentSecret(s, start+i+1, stop)
			}
		case oneOf(p.user, word):
			start, stop, q = argument(s, q, limit)
			q = sc.userArgument(s, start, stop, q, limit)
		case oneOf(p.user, word[:2]) && len(word) > 2 && word[1] != '-':
			sc.userPassword(s, start+2, stop)
		case oneOf(p.value, word):
			start, stop, q = argument(s, q, limit)
			sc.argumentSecret(s, start, stop)
		case oneOf(p.glued, word[:2]) && len(word) > 2 && word[1] != '-':
			if !strings.HasPrefix(word, "-pass") && word != "-pwd" {
				sc.argumentSecret(s, start+2, stop)
			}
		}
	}
	return 0
}

// argumentSecret removes an argument unless it is a reference or an option.
func (sc *scanner) argumentSecret(s string, start, stop int) {
	if start >= stop {
		return
	}
	if v := s[start:stop]; v[0] != '-' && !isReference(v) && !isPath(v) && !isRepeated(v) {
		sc.insert(s, start, stop, idPassword)
	}
}

// userArgument removes the password of the argument [start,stop), which may be quoted in
// parts: kevin:'…', "kevin":"…". It returns where to go on, which was next.
func (sc *scanner) userArgument(s string, start, stop, next, limit int) int {
	switch {
	case next < limit && s[next] == ':':
		next++
	case next < limit && stop > start && s[stop-1] == ':' && (s[next] == '"' || s[next] == '\''):
	default:
		sc.userPassword(s, start, stop)
		return next
	}
	start, stop, next = argument(s, next, limit)
	sc.argumentSecret(s, start, stop)
	return next
}

// userPassword removes the password, or a lone user name that is a token, of
// "user:password".
func (sc *scanner) userPassword(s string, start, stop int) {
	if start >= stop {
		return
	}
	v := s[start:stop]
	colon := strings.IndexByte(v, ':')
	if colon < 0 || v[0] == '<' && v[len(v)-1] == '>' {
		return
	}
	user, password := v[:colon], v[colon+1:]
	switch {
	case password == "" || isReference(password):
		if user != "" && !isReference(user) && (password == "" && (random(user) || len(user) >= 8 && hasSpecial(user))) {
			sc.insert(s, start, start+colon, idPassword)
		}
	case isPlaceholder(password) || isFieldName(password):
	default:
		sc.insert(s, start+colon+1, stop, idPassword)
	}
}

// isFieldName reports whether v is no password but what a form calls one.
func isFieldName(v string) bool {
	if len(v) > len("api_token")+2 { // a k may be the Kelvin sign, of three bytes
		return false
	}
	switch strings.ToLower(v) {
	case "password", "pass", "token", "secret", "passwd", "pwd", "api_token", "x":
		return true
	}
	return false
}

// insert takes a span ahead of where the scan stands; the scan goes on before it.
func (sc *scanner) insert(s string, start, stop int, kind kindID) {
	if start < sc.settled {
		return
	}
	settled := sc.settled
	sc.takeNamed(s, start, stop, kind)
	sc.settled = settled
}

// argument reads the next argument of a command line: its inside, without quotes, and
// where to go on.
func argument(s string, p, limit int) (start, stop, next int) {
	for p < limit && (s[p] == ' ' || s[p] == '\t' || s[p] == '\\' && p+1 < limit && s[p+1] == '\n' || s[p] == '\n' && p > 0 && s[p-1] == '\\' || s[p] == '=') {
		p++
	}
	if p >= limit {
		return limit, limit, limit
	}
	if n := escapedQuote(s, p); n > 0 {
		end := escapedQuoteEnd(s, p+n, s[p:p+n])
		return p + n, end, min(limit, end+n)
	}
	if c := s[p]; c == '"' || c == '\'' {
		end := quoteEnd(s, p+1, c)
		next = min(limit, end+1)
		return p + 1, min(end, limit), next
	}
	q := p
	for q < limit && !isSpace(s[q]) && s[q] != '|' && s[q] != ';' && s[q] != '"' && s[q] != '\'' {
		q++
	}
	if q == p {
		return p, min(p+1, limit), p + 1
	}
	return p, q, q
}

// oneOf reports whether word is one of the words of list.
func oneOf(list, word string) bool {
	for list != "" {
		w, rest, _ := strings.Cut(list, " ")
		if w == word {
			return true
		}
		list = rest
	}
	return false
}
