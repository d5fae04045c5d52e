// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import "strings"

// judge decides by its shape whether the value beside a telling name is a secret.
// called tells that an opening parenthesis follows.
func judge(v, name string, d verdict, o operand, called bool) bool {
	if v == "" || called && !o.quoted || isMark(v) || isLiteral(v) || !hasAlnum(v) || isReference(v) || isPlaceholder(v) {
		return false
	}
	if d.kind == idPIN || d.kind == idSSN {
		return isNumberLike(v)
	}
	if d.kind == idVendor && d.level == telling {
		return len(v) >= 16 && hasDigit(v) && (random(v) || randomPart(v)) && !isPath(v) && !isMember(v) && (o.quoted || o.op == '=' || o.op == ':')
	}
	if d.level == telling {
		if d.kind == idSecret && strings.Contains(v, "://") {
			return false
		}
		return randomValue(v, o)
	}
	if isPath(v) || len(v) < 2 {
		return false
	}
	if o.quoted {
		return o.op != '~' || random(v) || hasSpecial(v)
	}
	return !isCode(v, name, o)
}

// randomValue reports whether v looks drawn by chance. In code a bare value must look
// it more.
func randomValue(v string, o operand) bool {
	if isPath(v) || isVersion(v) || dateHead(v) {
		return false
	}
	if !o.quoted && (isMember(v) || o.op == ' ' && !o.flag && len(v) < 12) {
		return false
	}
	return plausible(v)
}

// isCode reports whether a bare value after a strong name is source code: another
// name, a call, a member, a type.
func isCode(v, name string, o operand) bool {
	if i := strings.IndexByte(v, '('); i > 0 && isDotted(v[:i]) {
		return true
	}
	if strings.HasPrefix(v, "&") || strings.HasPrefix(v, "[]") || strings.HasPrefix(v, "*") && len(v) > 1 && isLetter(v[1]) || isMember(v) {
		return true
	}
	if isTypeName(v) || o.op == '~' {
		return true
	}
	bare := strings.TrimRight(v, ",;)")
	switch o.op {
	case '=':
		// In source code a bare word is another name; in configuration it is the value.
		return o.spaced && isIdentifier(bare) && !random(bare) && !hasDigit(strings.TrimRight(bare, "0123456789")) && !(hasDigit(bare) && len(bare) >= 12) && !configName(name)
	case ':':
		return bare != v && isIdentifier(bare) && !hasDigit(bare) || v == name
	case ' ':
		return !o.flag && !random(v) && isIdentifier(bare) && !hasDigit(bare)
	}
	return false
}

// configName reports whether a name is written as files of settings do, and source code
// does not: DB_PASSWORD, db.password, db-password.
func configName(name string) bool {
	upper := true
	for i := range len(name) {
		if chars[name[i]]&chLower != 0 {
			upper = false
		}
		if i > 0 && i+1 < len(name) && (name[i] == '.' || name[i] == '-') {
			return !strings.HasPrefix(name, "self.") && !strings.HasPrefix(name, "this.")
		}
	}
	return upper && len(name) > 4
}

// isMember reports whether v is a dotted name as source code has them.
func isMember(v string) bool {
	v = strings.TrimRight(v, ",;)")
	if strings.HasPrefix(v, "process.env") || strings.HasPrefix(v, "os.environ") {
		return true
	}
	dot := strings.IndexByte(v, '.')
	if arrow := strings.Index(v, "->"); arrow > 0 && isIdentifier(v[:arrow]) {
		return true
	}
	if dot <= 0 || !isDotted(v) {
		return false
	}
	for part := range strings.SplitSeq(v, ".") {
		if part == "" || !isIdentifier(part) || random(part) || hasDigit(part) && len(part) > 8 {
			return false
		}
	}
	return true
}

var typeNames = set("string str int integer number boolean bool any object secretstr unknown void optional bytes byte text char varchar securestring stringvar symbol " +
	"required array list map dict none null undefined url pathlike self this")

func isTypeName(v string) bool {
	v = strings.TrimRight(v, ",;)?|")
	if i := strings.IndexAny(v, "[<("); i > 0 {
		v = v[:i]
	}
	v = strings.TrimLeft(v, "&*[]?")
	return len(v) <= 12 && typeNames[strings.ToLower(v)]
}

// isReference reports whether v says where a value is, and is none: ${VAR}, $(cmd),
// {{ .Values.x }}, <your token>, %s, process.env.X.
func isReference(v string) bool {
	v = strings.TrimSpace(strings.TrimRight(v, ",;"))
	if v == "" {
		return true
	}
	n := len(v)
	switch v[0] {
	case '$':
		switch {
		case n > 2 && v[1] == '{' && strings.IndexByte(v, '}') >= n-2 && isExpression(v[2:]):
			return true
		case n > 2 && (v[1] == '(' && v[n-1] == ')' || v[1] == '(' && strings.IndexByte(v, ')') < 0), n > 4 && strings.HasPrefix(v, "${{") && (v[n-1] == '}' || strings.IndexByte(v, '}') < 0):
			return true
		case n > 1 && isIdentifier(v[1:]) && !random(v[1:]):
			return true
		case strings.HasPrefix(v, "$env:") || strings.HasPrefix(v, "$secrets."):
			return true
		}
	case '{':
		return strings.HasPrefix(v, "{{") && (strings.HasSuffix(v, "}}") || !strings.Contains(v, "}}")) && isExpression(v[2:]) || n > 2 && v[n-1] == '}' && isDotted(v[1:n-1])
	case '<':
		return v[n-1] == '>' && n < 80 || strings.HasPrefix(v, "<%=")
	case '%':
		return n <= 3 || v[n-1] == '%' && isIdentifier(v[1:n-1]) || strings.HasPrefix(v, "%(")
	case '#':
		return strings.HasPrefix(v, "#{") && v[n-1] == '}'
	case '@':
		return strings.HasPrefix(v, "@Microsoft.KeyVault(")
	}
	for _, p := range [...]string{"process.env", "os.environ", "os.getenv", "system.getenv", "getenv(", "env(", "secretkeyref", "arn:aws:", "!ref ", "!sub ", "!getatt", "ref+", "vault:", "ssm:", "op://", "secret://", "secrets.", "var.", "local.", "data.", "module.", "input(", "config.", "settings.", "self.", "this.", "args.", "opts.", "ctx.", "req."} {
		if hasFold(v, 0, p) {
			return strings.IndexByte(p, '.') < len(p)-1 || isDotted(strings.TrimRight(v, ")(];"))
		}
	}
	return false
}

// isExpression reports whether the inside of a bracketed reference is a name, with
// defaults and filters, rather than part of a password.
func isExpression(v string) bool {
	for i := range len(v) {
		if c := v[i]; chars[c]&(chName|chSpace) == 0 && strings.IndexByte("}|:\"'/()[],=?+*@", c) < 0 {
			return false
		}
	}
	return true
}

// isLiteral reports whether v is a value of another kind than text.
func isLiteral(v string) bool {
	v = strings.TrimRight(v, ",;)")
	switch len(v) {
	case 0:
		return true
	case 2:
		return v == "no" || v == "on"
	case 3:
		return equalFold(v, "nil") || equalFold(v, "yes") || equalFold(v, "off")
	case 4:
		return equalFold(v, "true") || equalFold(v, "null") || equalFold(v, "none")
	case 5:
		return equalFold(v, "false")
	case 9:
		return v == "undefined"
	}
	return false
}

// isPlaceholder reports whether v stands for a value to be filled in.
func isPlaceholder(v string) bool {
	if isRepeated(v) {
		return true
	}
	if len(v) > 48 || random(v) {
		return false
	}
	for _, p := range placeholders {
		if containsFold(v, p) && (len(v) <= len(p)+14 || strings.IndexByte(p, ' ') >= 0) {
			return true
		}
	}
	return hasFold(v, 0, "your") && len(v) > 5 && !hasDigit(v)
}

// patterned reports whether v is made of runs of the same character, one after another,
// as examples are: 5555aaaa7777.
func patterned(v string) bool {
	var run, longest, runs int
	for i := 1; i < len(v); i++ {
		if v[i] != v[i-1] {
			run, runs = 0, runs+1
		} else if run++; run > longest {
			longest = run
		}
	}
	return len(v) >= 24 && runs >= 4 && runs*3 < len(v) && longest*2 < len(v)
}

// isRepeated reports whether v is little more than filler characters again and again.
func isRepeated(v string) bool {
	if len(v) < 3 {
		return strings.Trim(v, "xX*.-_#?") == ""
	}
	var run, longest int
	filler := false
	for i := 1; i < len(v); i++ {
		if v[i] != v[i-1] {
			run = 0
			continue
		}
		if run++; run > longest {
			longest, filler = run, strings.IndexByte("xX*.-_#?0", v[i]) >= 0
		}
	}
	return longest+1 == len(v) || filler && longest >= 7 && longest*3 >= len(v)*2 || patterned(v)
}

var placeholders = []string{
	"changeme", "change_me", "change-me", "placeholder", "your_", "your-", "yourpass", "yoursecret", "redacted", "dummy", "notapassword", "insert_", "insert-", "replace_me", "replaceme",
	"replace-me", "todo", "not-set", "notset", "not_set", "xxxxxx", "******", "......", "enter ", "afakekey", "too-short", "example_", "example-", "_here", "-here", "my_password", "my-password",
}

func hasAlnum(v string) bool {
	for i := range len(v) {
		if chars[v[i]]&chAlnum != 0 || v[i] >= 0xf0 {
			return true
		}
	}
	return false
}

func hasDigit(v string) bool {
	for i := range len(v) {
		if isDigit(v[i]) {
			return true
		}
	}
	return false
}

func hasSpecial(v string) bool { return strings.ContainsAny(v, "!@#$%^&*{}[]<>?~") }

// isNumberLike reports whether v is a short number, with separators at most.
func isNumberLike(v string) bool {
	n := 0
	for i := range len(v) {
		switch {
		case isDigit(v[i]):
			n++
		case v[i] == '-' || v[i] == ' ':
		default:
			return random(v)
		}
	}
	return n >= 3 && n <= 12
}

func isIdentifier(v string) bool {
	for i := range len(v) {
		c := v[i]
		if chars[c]&chLetter == 0 && c != '_' && (i == 0 || !isDigit(c)) {
			return false
		}
	}
	return v != ""
}

func isDotted(v string) bool {
	for i := range len(v) {
		if c := v[i]; chars[c]&chAlnum == 0 && c != '_' && c != '.' && c != '$' {
			return false
		}
	}
	return v != ""
}

// isPath reports whether v is the path of a file.
func isPath(v string) bool {
	if len(v) < 3 {
		return false
	}
	rooted := v[0] == '/' || v[0] == '~' && v[1] == '/' || strings.HasPrefix(v, "./") || strings.HasPrefix(v, "../") || isLetter(v[0]) && v[1] == ':' && (v[2] == '\\' || v[2] == '/')
	if !rooted {
		return false
	}
	slashes := strings.Count(v, "/") + strings.Count(v, `\`)
	return slashes >= 1 && !(len(v) >= 32 && slashes*12 < len(v)) && !strings.ContainsAny(v, "=+")
}

func isVersion(v string) bool {
	for i := range len(v) {
		if c := v[i]; !(isDigit(c) || c == '.' || c == 'v' && i == 0 || c == '-') {
			return false
		}
	}
	return strings.IndexByte(v, '.') > 0
}

// dateHead reports whether v begins as a date does.
func dateHead(v string) bool {
	return len(v) >= 10 && isDigit(v[0]) && isDigit(v[3]) && v[4] == '-' && v[7] == '-' && (v[:2] == "19" || v[:2] == "20")
}

// pronounceable reports whether v may be words.
func pronounceable(v string) bool { return !random(v) }
