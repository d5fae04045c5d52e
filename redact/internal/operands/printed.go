// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package operands

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/chance"
	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/marks"
	"github.com/toolscope/toolscope/redact/internal/names"
	"github.com/toolscope/toolscope/redact/internal/rules"
	"github.com/toolscope/toolscope/redact/internal/values"
)

func init() {
	for _, d := range [...]struct {
		anchors string // with a line between
		find    func(s string, at int) (start, end int, kind string)
	}{
		{"pass show \ngopass \nop item get \nop read \nheroku auth:token\n$ pwgen \n$ openssl rand \nkeyvault secret show\n" +
			"versions access\ngh auth token\nglab auth token\nprint-access-token\nprint-identity-token\n" +
			"get-login-password\nbw get password\nfind-generic-password \nfind-internet-password \nlpass show \n" +
			"secret-tool lookup \noc whoami -t\ncreate token \nfly auth token\nvault kv get -field\noutput -raw \n" +
			"--query secretstring\nkeyring get ", printed},
		{"acl setuser ", redisUser},
		{"auth.user.info", userInfo},
		{"nickserv identify \nnickserv :identify ", identified},
		{"btoa(\nbuffer.from(\nb64encode(", encodedPair},
		{"@//", easyConnect},
		{"autherror: ('\nauthenticationerror: ('\nloginerror: ('\nauthfailed: ('\ncredentialserror: ('\n" +
			"authenticationfailed: ('", raised},
		{"\"stdin\"\n\\\"stdin\\\"", answered},
		{"\"oct\"\n'oct'\n\\\"oct\\\"", symmetricKey},
	} {
		Detectors = append(Detectors, kinds.Detector{Kind: kinds.Password, Anchors: strings.Split(d.anchors, "\n"),
			Match: rules.Named(d.find), Within: strings.IndexByte(d.anchors, '(') > 0}) // calls, and names of exceptions
	}
}

// maxPrinted is how many lines with blanks may stand between a command and the secret that it prints.
const maxPrinted = 3

// printed is the line behind the one with the command at i, which prints a secret: heroku auth:token. Warnings may stand
// between. If the command asks for several fields, it is what stands behind the last comma.
func printed(s string, i int) (start, end int, kind string) {
	s = s[:min(len(s), i+maxAfar)]
	p := strings.IndexByte(s[i:], '\n')
	if p < 0 {
		return 0, 0, ""
	}
	command := s[i : i+p]
	if strings.HasPrefix(command, "output") && !namesOne(command) {
		return 0, 0, "" // terraform output -raw bucket
	}
	for p, n := i+p+1, 0; n < maxPrinted && p < len(s); n++ {
		end := p + indexOr(s[p:], "\n")
		line := strings.TrimRight(s[p:end], " \r")
		if strings.IndexByte(line, ' ') < 0 && line != "" {
			if comma := chars.LastByte(line, ','); comma >= 0 && strings.IndexByte(command, ',') > 0 {
				p, line = p+comma+1, line[comma+1:]
			}
			if !isSecretWord(line) {
				return 0, 0, ""
			}
			return p, p + len(line), kinds.PasswdName
		}
		p = end + 1
	}
	return 0, 0, ""
}

// namesOne reports whether a word of a command is the name of a secret.
func namesOne(command string) bool {
	for word := range strings.FieldsSeq(command) {
		if names.Classify(word).Level == names.Secret || chars.EndsFold(word, "token") {
			return true
		}
	}
	return false
}

// isSecretWord reports whether v looks like a password or is drawn by chance, and is no mark.
func isSecretWord(v string) bool {
	return (values.LooksLikePassword(v) || values.MayBeSimple(v) || len(v) >= 16 && chance.Random(v)) &&
		!marks.IsMark(v) && !values.IsReference(v)
}

// redisUser is the password behind the '>' in the rules of a user of Redis: ACL SETUSER ann on >x.
func redisUser(s string, i int) (start, end int, kind string) {
	line := s[i:min(len(s), i+maxAfar)]
	line = line[:indexOr(line, "\n")]
	n := strings.Index(line, " >")
	if n < 0 {
		return 0, 0, ""
	}
	start = i + n + len(" >")
	end = bareEnd(s, start)
	if end-start < 4 || values.IsReference(s[start:end]) || marks.IsMark(s[start:end]) {
		return 0, 0, ""
	}
	return start, end, kinds.PasswdName
}

// userInfo is the password of the user and password that the setting at i has: basic.auth.user.info=ann:x.
func userInfo(s string, i int) (start, end int, kind string) {
	p := chars.SkipAny(s, i+len("auth.user.info"), "=: \"'")
	end = bareEnd(s, p)
	n := strings.IndexByte(s[p:end], ':')
	if n <= 0 || p == i+len("auth.user.info") || values.IsReference(s[p+n+1:end]) || marks.IsMark(s[p+n+1:end]) ||
		p+n+1 == end || values.IsFieldName(s[p+n+1:end]) {
		return 0, 0, ""
	}
	return p + n + 1, end, kinds.PasswdName
}

// encodedPair is the password of the user and password that a call at i encodes: btoa("ann:x").
func encodedPair(s string, i int) (start, end int, kind string) {
	p := i + strings.IndexByte(s[i:], '(') + 1
	p += chars.SkipAny(s[p:min(len(s), p+1)], 0, "b")
	from, to := literalAt(s, p)
	if to <= from {
		return 0, 0, ""
	}
	if start, end = LoginPair(s, from, to); end <= start || end > to || marks.IsMark(s[start:end]) {
		return 0, 0, ""
	}
	return start, end, kinds.PasswdName
}

// identified is the last of one or two arguments of the command at i: NickServ IDENTIFY ann x.
func identified(s string, i int) (start, end int, kind string) {
	p := chars.LastByte(s[:min(len(s), i+len("nickserv :identify "))], ' ') + 1
	start, end, next := Argument(s, p, min(len(s), p+maxAfar))
	if a, b, _ := Argument(s, next, min(len(s), p+maxAfar)); next < len(s) && s[next] == ' ' && isSecretWord(s[a:b]) {
		start, end = a, b
	}
	if start >= end || marks.IsMark(s[start:end]) || values.IsReference(s[start:end]) {
		return 0, 0, ""
	}
	return start, end, kinds.PasswdName
}

// easyConnect is the password before the host at i in a login of Oracle: ann/x@//host:1521/service.
func easyConnect(s string, i int) (start, end int, kind string) {
	low := max(0, i-maxProse)
	word := low + strings.LastIndexAny(s[low:i], " \t\n\"'`=(") + 1
	slash := strings.IndexByte(s[word:i], '/')
	if slash <= 0 || chars.Skip(s, word, chars.Name) != word+slash {
		return 0, 0, ""
	}
	if start = word + slash + 1; i-start < 4 || i+3 >= len(s) || !chars.IsAlnum(s[i+3]) ||
		values.IsReference(s[start:i]) || marks.IsMark(s[start:i]) {
		return 0, 0, ""
	}
	return start, i, kinds.PasswdName
}

// raised is the last literal of the arguments of an exception about a login, at i: AuthError: ('ann', 'x').
func raised(s string, i int) (start, end int, kind string) {
	line := s[i:min(len(s), i+maxAfar)]
	line = line[:indexOr(line, "\n")]
	last := strings.LastIndex(line, "')")
	open := strings.LastIndex(line[:max(0, last)], ", '")
	if open < 0 {
		return 0, 0, ""
	}
	if start, end = i+open+len(", '"), i+last; start >= end || !isSecretWord(s[start:end]) {
		return 0, 0, ""
	}
	return start, end, kinds.PasswdName
}

// symmetricKey is the key of the JSON Web Key whose type is at i (RFC 7518, 6.4): "kty":"oct","k":"x".
func symmetricKey(s string, i int) (start, end int, kind string) {
	low := max(0, i-maxAfar)
	near := s[low:min(len(s), i+maxAfar)]
	for _, name := range [...]string{`"k":`, `'k':`, " k:", `\"k\":`} {
		n := strings.Index(near, name)
		if n < 0 {
			continue
		}
		p := chars.SkipAny(s, low+n+len(name), ` "'\`)
		end = chars.Skip(s, p, chars.B64|chars.Dot)
		if end-p >= 16 && chars.HasDigit(s[p:end]) {
			return p, end, kinds.Secret.Name()
		}
	}
	return 0, 0, ""
}

// answered is the last line of what a program is given at i, if its prompts beside it ask for a password:
// "stdin": "ann\nx\n", "prompts": ["Username:", "Password:"].
func answered(s string, i int) (start, end int, kind string) {
	near := s[max(0, i-maxProse):min(len(s), i+maxAfar)]
	if !chars.ContainsFold(near, `password:`) && !chars.ContainsFold(near, "passphrase:") {
		return 0, 0, ""
	}
	p := chars.SkipAny(s, i+len(`"stdin"`), "\\\": ")
	end = p + indexOr(s[p:min(len(s), p+maxAfar)], `"`)
	end = min(end, len(s))
	end = chars.SkipBackAny(s, p, end, "\n\\")
	for end > p+2 && strings.HasSuffix(s[p:end], `\n`) {
		end = chars.SkipBackAny(s, p, end-len(`n`), "\\")
	}
	start = p + chars.LastByte(s[p:end], '\n') + 1
	if n := strings.LastIndex(s[p:end], `\n`); n >= 0 {
		start = p + n + len(`\n`)
	}
	if start >= end || !isSecretWord(s[start:end]) {
		return 0, 0, ""
	}
	return start, end, kinds.PasswdName
}
