// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package operands

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/marks"
	"github.com/toolscope/toolscope/redact/internal/names"
	"github.com/toolscope/toolscope/redact/internal/rules"
	"github.com/toolscope/toolscope/redact/internal/values"
)

// Detectors find passwords that are handed to a program or a database where no name
// stands beside them: by a pipe, by SQL, by Oracle's user/password@host.
var Detectors = []kinds.Detector{
	{Kind: kinds.Password, Anchors: []string{"sudo -s", "passwd --stdin", "passwd ", "vncpasswd -f", "kinit ", "cryptsetup ",
		"docker secret create"}, Match: rules.Named(pipedBefore)},
	{Kind: kinds.Password, Anchors: []string{"password-stdin"}, Match: rules.Named(func(s string, at int) (int,
		int, string) {
		line := strings.LastIndexByte(s[max(0, at-maxAfar):at], '|')
		if line < 0 {
			return 0, 0, ""
		}
		return pipedBefore(s, max(0, at-maxAfar)+line+1)
	})},
	{Kind: kinds.Password, Anchors: []string{"chpasswd"}, Match: rules.Named(func(s string, at int) (int, int, string) {
		if chars.HasFold(s, at-len("sudo "), "sudo ") {
			at -= len("sudo ")
		}
		start, end, kind := pipedBefore(s, at)
		if i := strings.IndexByte(s[start:end], ':'); i > 0 {
			return start + i + 1, end, kind
		}
		return 0, 0, ""
	})},
	{Kind: kinds.Password, Anchors: []string{"identified "}, Match: rules.Named(identifiedBy)},
	{Kind: kinds.Password, Anchors: []string{"htpasswd "}, Match: rules.Named(htpasswd)},
	{Kind: kinds.Password, Anchors: []string{"@tcp(", "@unix("}, Match: rules.Named(driverLogin)},
	{Kind: kinds.Password, Anchors: []string{"-passin pass:", "-passout pass:", "-pass pass:", "::add-mask::"},
		Match: rules.Named(opensslPass)},
	{Kind: kinds.Password, Anchors: []string{".tochararray(", "| convertto-securestring"}, Match: rules.Named(literalBefore)},
	{Kind: kinds.Password, Anchors: []string{"getconnection(", "pdo(", "pdo->__construct(", "mysqli(",
		"mysqli->__construct(", "mysqli_connect(",
		"mysql_connect(", "dbi->connect(", "ldap_bind(", "auth_password(",
		"clientsecretcredential(", "client.connect("}, Match: literalOf(3)},
	{Kind: kinds.Password, Anchors: []string{"wifi.begin(", "oracle.connect(", "oracledb.connect(", "createhmac(",
		"jwt.encode(", "jwt.decode(", "username_pw_set(", "setcredentials(",
		"credentials::new(", "softap(", "stomp.connect(",
		"pgp_sym_decrypt(", "pgp_sym_encrypt(", "aes_encrypt(", "aes_decrypt("},
		Match: literalOf(2)},
	{Kind: kinds.Password, Anchors: []string{"value.plaintext(", "dis.auth(", "value.unsafeplaintext(", "hashpw(", "crypt('",
		"bcrypt.compare(", "comparesync(", "hashsync(", "password_hash(", "hmac256(", "hmac512(", "signedstring(",
		"symmetricsecuritykey("},
		Match: literalOf(1), Within: true},
	{Kind: kinds.Password, Anchors: []string{"login(", "authenticate(", "credentials.basic(", "plainauth(",
		"authenticationtoken(", "create_user(", "createuser(", "check_password("}, Match: literalOf(0), Within: true},
	{Kind: kinds.Password, Anchors: []string{"-p "}, Match: rules.Named(loginOption)},
	{Kind: kinds.Password, Anchors: []string{"--user ", "--user="}, Match: rules.Named(userOption)},
	{Kind: kinds.PIN, Anchors: []string{"verification code", "one-time code", "one time code", "security code",
		"login code", "sign-in code", "access code", "door code", "alarm code", "gate code"}, Match: rules.Named(oneTimeCode)},
	{Kind: kinds.Password, Anchors: []string{" p: ", " pw: "}, Match: rules.Named(chatLogin)},
	{Kind: kinds.Password, Anchors: []string{"send \"", "send -- \"", "sendline('", "sendline(\""}, Match: rules.Named(expected)},
	{Kind: kinds.Password, Anchors: []string{"pragma key", "sp_addlogin ", "unprotect \"", ": eap \"", "attach database ", "<<< "},
		Match: rules.Named(literalBehind)},
	{Kind: kinds.Password, Anchors: []string{"> auth "}, Match: rules.Named(lastArgument)},
	{Kind: kinds.Password, Anchors: []string{"@value("}, Match: rules.Named(annotated)},
	{Kind: kinds.Password, Anchors: []string{":5432:", ":5433:", ":*:*:"}, Match: rules.Named(pgpass)},
	{Kind: kinds.Password, Anchors: []string{"sqlplus ", "oracle:thin:", "rman target ", "expdp ", "impdp ",
		"> conn ", "> connect "}, Match: rules.Named(oracleLogin)},
}

// pipedBefore is the last argument of the echo or printf whose output a pipe hands to what
// begins at i.
func pipedBefore(s string, i int) (start, end int, kind string) {
	end = i
	end = chars.SkipBack(s, 0, end, chars.Blank)
	if end == 0 || s[end-1] != '|' {
		return 0, 0, ""
	}
	end--
	from := max(0, end-maxAfar)
	from += strings.LastIndexAny(s[from:end], "\n;&|") + 1
	words := s[from:end]
	for _, program := range [...]string{"echo ", "printf ", "yes "} {
		p := strings.Index(words, program)
		if p < 0 {
			continue
		}
		limit := end
		start = -1
		for q := from + p + len(program); q < limit; {
			a, b, next := Argument(s, q, limit)
			if a >= limit || next <= q {
				break
			}
			start, end, q = a, min(b, limit), next
		}
		if start < from {
			return 0, 0, ""
		}
		if v := s[start:end]; len(v) < 2 || v[0] == '-' || values.IsReference(v) ||
			values.IsPlaceholder(v) || strings.HasPrefix(v, marks.Head) || strings.IndexByte(v, '%') == 0 {
			return 0, 0, ""
		}
		return start, end, kinds.PasswdName
	}
	return 0, 0, ""
}

// identifiedBy is the password behind SQL's IDENTIFIED at i: IDENTIFIED WITH plugin BY 'x'.
func identifiedBy(s string, i int) (start, end int, kind string) {
	if !strings.HasPrefix(s[i:], "ID") && !marks.Near(s, i, "create", "alter", "grant") {
		return 0, 0, "" // running text
	}
	p := i + len("identified ")
	with := chars.HasFold(s, p, "with ")
	if with {
		by := strings.IndexByte(s[p+5:min(len(s), p+80)], ' ')
		if by < 0 {
			return 0, 0, ""
		}
		p += 5 + by + 1
	}
	switch {
	case chars.HasFold(s, p, "by password "):
		p += len("by password ")
	case chars.HasFold(s, p, "by "), with && chars.HasFold(s, p, "as "):
		p += len("by ")
	default:
		return 0, 0, ""
	}
	o := ValueAt(s, p, values.Operand{Op: '='})
	v := s[o.Start:o.End]
	if o.End <= o.Start || values.IsReference(v) || values.IsPlaceholder(v) || strings.HasPrefix(v, marks.Head) ||
		!o.Quoted && (!chars.HasDigit(v) || chars.EqualFold(v, "values")) {
		return 0, 0, ""
	}
	return o.Start, o.End, kinds.PasswdName
}

// oracleLogin is the password of the first user/password@host on the line from i on.
func oracleLogin(s string, i int) (start, end int, kind string) {
	limit := min(len(s), i+maxAfar)
	if n := strings.IndexByte(s[i:limit], '\n'); n >= 0 {
		limit = i + n
	}
	at := strings.IndexByte(s[i:limit], '@')
	if at < 0 {
		return 0, 0, ""
	}
	end = i + at
	start = max(i, strings.LastIndexAny(s[i:end], "/ :")+i+1)
	if start == i || s[start-1] != '/' || start-2 < i || !chars.IsAlnum(s[start-2]) || start == end ||
		values.IsReference(s[start:end]) || strings.HasPrefix(s[start:end], marks.Head) {
		return 0, 0, ""
	}
	return start, end, kinds.PasswdName
}

// driverLogin is the password before the '@' at i in a data source's name of Go's driver for MySQL:
// ann:x@tcp(host:3306)/db.
func driverLogin(s string, i int) (start, end int, kind string) {
	low := max(0, i-maxAfar)
	line := s[low:i]
	word := low + strings.LastIndexAny(line, " \t\n\"'`=") + 1
	colon := strings.IndexByte(s[word:i], ':')
	if colon <= 0 || values.IsReference(s[word+colon+1:i]) || marks.IsMark(s[word+colon+1:i]) {
		return 0, 0, ""
	}
	return word + colon + 1, i, kinds.PasswdName
}

// opensslPass is the password behind openssl's "pass:", or the secret behind the command of a workflow, at i.
func opensslPass(s string, i int) (start, end int, kind string) {
	start = chars.SkipAny(s, i+2+strings.IndexByte(s[i+2:], ':'), ":")
	if end = bareEnd(s, start); end <= start || values.IsReference(s[start:end]) || marks.IsMark(s[start:end]) {
		return 0, 0, ""
	}
	return start, end, kinds.PasswdName
}

// htpasswd is the last argument of the program at i, if it was asked to take the password from there: -b.
func htpasswd(s string, i int) (start, end int, kind string) {
	limit, batch := min(len(s), i+maxAfar), false
	for q := i + len("htpasswd "); q < limit; {
		a, b, next := Argument(s, q, limit)
		if a >= limit || next <= q || strings.IndexByte("|;&\n>", s[a]) >= 0 {
			break
		}
		switch q = next; {
		case s[a] == '-':
			batch = batch || strings.IndexByte(s[a:b], 'b') > 0
		default:
			start, end = a, b
		}
	}
	if !batch || start == 0 || values.IsReference(s[start:end]) {
		return 0, 0, ""
	}
	return start, end, kinds.PasswdName
}

// literalBefore is the literal that ends at i: Java keeps passwords in arrays of characters, PowerShell pipes them.
func literalBefore(s string, i int) (start, end int, kind string) {
	if i = chars.SkipBack(s, 0, i, chars.Blank); i < 2 || s[i-1] != '"' && s[i-1] != '\'' {
		return 0, 0, ""
	}
	end = i - 1
	start = strings.LastIndexByte(s[max(0, end-maxAfar):end], s[end]) + 1 + max(0, end-maxAfar)
	if !values.LooksLikePassword(s[start:end]) || marks.IsMark(s[start:end]) {
		return 0, 0, ""
	}
	return start, end, kinds.PasswdName
}

// literalOf finds the argument n of a call that takes a password there, if it is a literal:
// getConnection(url, "ann", "x").
// If n is 0, it is the last one that looks like a password, and not the first.
//
//go:noinline
func literalOf(n int) func(s string, at, end int) (from, to int, ok bool) {
	return func(s string, at, end int) (int, int, bool) { return nthLiteral(s, at, end, n) }
}

// nthLiteral is the literal of [literalOf] in the call whose anchor is [at,p).
//
//go:noinline
func nthLiteral(s string, at, p, n int) (from, to int, ok bool) {
	limit := min(len(s), at+maxAfar)
	p = at + strings.IndexByte(s[at:p], '(') + 1
	for left := n - 1; p < limit && s[p] != ')' && s[p] != '\n'; p++ {
		switch c := s[p]; c {
		case '"', '\'':
			end := QuoteEnd(s[:limit], p+1, c)
			if v := s[p+1 : end]; (left == 0 || n == 0 && left < -1) && end+1 < len(s) &&
				strings.IndexByte(",)", s[end+1]) >= 0 && (values.LooksLikePassword(v) || values.MayBeSimple(v)) && !marks.IsMark(v) {
				from, to, ok = p+1, end, true
			}
			p = end
		case ',':
			left--
		}
	}
	return from, to, ok
}

// loginOption is the password of the option at i, if the same command has one for a user: -u ann -p x.
func loginOption(s string, i int) (start, end int, kind string) {
	line := s[max(0, i-maxAfar):i]
	line = line[strings.LastIndexAny(line, "\n|;&")+1:]
	if !strings.Contains(line, " -u ") && !strings.Contains(line, " -l ") && !strings.Contains(line, " --user") {
		return 0, 0, ""
	}
	return passwordArgument(s, i+len("-p "))
}

// oneTimeCode is the number that a message says is a code to sign in with: the words at i name the code. It stands behind
// them, or before: 482133 is your login code.
func oneTimeCode(s string, i int) (start, end int, kind string) {
	p := i + strings.Index(strings.ToLower(s[i:min(len(s), i+24)]), "code") + len("code")
	for _, link := range [...]string{" is", ":", " "} {
		if chars.HasFold(s, p, link) {
			p += len(link)
		}
	}
	p = chars.SkipAny(s[:min(len(s), p+8)], p, " \n*\"'`")
	end = chars.Skip(s, p, chars.Digit)
	if n := end - p; n >= 4 && n <= 8 && (end == len(s) || !chars.IsAlnum(s[end]) && s[end] != '-') {
		return p, end, kinds.PasswdName
	}
	low := max(0, i-40)
	if n := strings.LastIndex(s[low:i], " is your "); n > 0 {
		end = low + n
		start = chars.SkipBack(s, low, end, chars.Digit)
		if n = end - start; n >= 4 && n <= 8 && (start == 0 || !chars.IsAlnum(s[start-1]) && s[start-1] != '-') {
			return start, end, kinds.PasswdName
		}
	}
	return 0, 0, ""
}

// chatLogin is the word behind the "p:" at i, if a "u:" stands before it: u: ann p: x.
func chatLogin(s string, i int) (start, end int, kind string) {
	line := s[max(0, i-maxProse):i]
	if line = line[strings.LastIndexByte(line, '\n')+1:]; !strings.HasPrefix(line, "u: ") && !strings.Contains(line, " u: ") {
		return 0, 0, ""
	}
	return passwordArgument(s, i+strings.IndexByte(s[i:], ':')+2)
}

// expected is the literal at i that a script sends to a program that asked for a password: expect "assword:", send "x\r".
func expected(s string, i int) (start, end int, kind string) {
	if before := s[max(0, i-maxProse):i]; !chars.ContainsFold(before, "assword") && !chars.ContainsFold(before, "assphrase") {
		return 0, 0, ""
	}
	start = i + strings.IndexAny(s[i:], "\"'") + 1
	end = QuoteEnd(s, start, s[start-1])
	for end-start > 2 && s[end-2] == '\\' {
		end -= 2
	}
	if !values.LooksLikePassword(s[start:end]) && !values.MayBeSimple(s[start:end]) || marks.IsMark(s[start:end]) {
		return 0, 0, ""
	}
	return start, end, kinds.PasswdName
}

// handedTo are the programs that read a password from a here-string.
var handedTo = [...]string{"cryptsetup", "passwd", "sudo -s", "gpg", "kinit", "login", "ssh-add", "openssl"}

// literalBehind is the last literal of the line at i, if it looks like a password. Behind <<< the line has to begin
// with a program that reads one.
func literalBehind(s string, i int) (start, end int, kind string) {
	line := s[i:min(len(s), i+maxAfar)]
	if n := strings.IndexByte(line, '\n'); n >= 0 {
		line = line[:n]
	}
	if before := s[max(0, i-maxProse):i]; s[i] == '<' {
		before = before[strings.LastIndexByte(before, '\n')+1:]
		known := false
		for _, program := range handedTo {
			known = known || chars.ContainsFold(before, program)
		}
		if !known {
			return 0, 0, ""
		}
		return passwordArgument(s, i+len("<<< "))
	}
	last := strings.LastIndexAny(line, "\"'")
	if last <= 0 {
		return 0, 0, ""
	}
	start, end = i+strings.LastIndexByte(line[:last], line[last])+1, i+last
	if s[i] == 'P' && strings.ToLower(s[start:end]) == s[start:end] || // a pragma: PRAGMA key = 'main_idx'
		start == i || !values.LooksLikePassword(s[start:end]) && !values.MayBeSimple(s[start:end]) || marks.IsMark(s[start:end]) {
		return 0, 0, ""
	}
	return start, end, kinds.PasswdName
}

// lastArgument is the second of two arguments of the command at i, else the first: AUTH x, AUTH ann x.
func lastArgument(s string, i int) (start, end int, kind string) {
	p := i + len("> auth ")
	_, _, next := Argument(s, p, min(len(s), p+maxAfar))
	if next < len(s) && s[next] == ' ' {
		p = next
	}
	return passwordArgument(s, p)
}

// passwordArgument is the argument at p, if it looks like a password.
func passwordArgument(s string, p int) (start, end int, kind string) {
	start, end, _ = Argument(s, p, min(len(s), p+maxAfar))
	if start >= end || !values.LooksLikePassword(s[start:end]) && !values.MayBeSimple(s[start:end]) || marks.IsMark(s[start:end]) {
		return 0, 0, ""
	}
	return start, end, kinds.PasswdName
}

// userOption is the password of the user and password that an option at i is given: --user ann:x.
func userOption(s string, i int) (start, end int, kind string) {
	if i > 0 && !chars.IsSpace(s[i-1]) {
		return 0, 0, ""
	}
	p := i + strings.IndexAny(s[i:], " =")
	start, end, _ = Argument(s, p, min(len(s), p+maxAfar))
	if start >= len(s) {
		return 0, 0, ""
	}
	if start, end = LoginPair(s, start, end); end <= start || marks.IsMark(s[start:end]) {
		return 0, 0, ""
	}
	return start, end, kinds.PasswdName
}

// annotated is the literal of the annotation at i if the field below it has the name of a password.
func annotated(s string, i int) (start, end int, kind string) {
	start = i + len("@value(")
	if start >= len(s) || s[start] != '"' {
		return 0, 0, ""
	}
	start++
	end = QuoteEnd(s, start, '"')
	field := s[end:min(len(s), end+maxAfar)]
	stop := strings.IndexAny(field, ";=,{")
	if stop < 0 || values.IsReference(s[start:end]) || !values.LooksLikePassword(s[start:end]) {
		return 0, 0, ""
	}
	words := strings.Fields(field[:stop])
	if len(words) == 0 || names.Classify(words[len(words)-1]).Level < names.Secret {
		return 0, 0, ""
	}
	return start, end, kinds.PasswdName
}

// pgpass is the last field of the line around the port at i: host:port:database:user:password.
func pgpass(s string, i int) (start, end int, kind string) {
	line := s[i:min(len(s), i+maxAfar)]
	if n := strings.IndexByte(line, '\n'); n >= 0 {
		line = line[:n]
	}
	fields := strings.SplitN(line, ":", 5)
	if len(fields) < 5 || strings.ContainsAny(line, " \"'/") || len(fields[4]) < 4 {
		return 0, 0, ""
	}
	return i + len(line) - len(fields[4]), i + len(line), kinds.PasswdName
}
