// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import "strings"

// judge decides by its shape whether the value beside a telling name is a secret.
// called tells that an opening parenthesis follows.
func judge(v, name string, d verdict, o operand, called bool) bool {
	if v == "" || called && !o.quoted || isMark(v) || isLiteral(v) || !hasAlnum(v) || isReference(v) || isPlaceholder(v) || name != "" && isName(v, name) ||
		isRelease(v) || isDigest(v) || namesSecret(v) {
		return false
	}
	if (d.kind == idPassword || d.kind == idAuthorization) && (strings.HasPrefix(v, "http://") || strings.HasPrefix(v, "https://")) && strings.IndexByte(v, '@') < 0 {
		return false // proxy_pass, and links of documents
	}
	if d.kind == idSecret && objectName(v, name) {
		return false
	}
	if d.kind == idPIN || d.kind == idSSN {
		return isNumberLike(v)
	}
	if d.kind == idCookie && strings.IndexByte(v, '=') < 0 {
		return plausible(v)
	}
	if d.kind == idSession && (strings.Trim(v, "0123456789_-") == "" || strings.HasPrefix(v, "0x")) {
		return false // ids of what is no user's
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
		switch o.op {
		case '~':
			return random(v) || hasSpecial(v)
		case ',':
			return !isMember(v) && (hasDigit(v) || !isIdentifier(v) || classify(v).level == harmless)
		case ' ': // secret "web" created
			return o.flag || d.kind == idPassword || !isFieldLike(v) || hasDigit(v)
		}
		return true
	}
	return !isCode(v, name, o)
}

// randomValue reports whether v looks drawn by chance. In code a bare value must look
// it more.
func randomValue(v string, o operand) bool {
	v = strings.TrimSpace(v)
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
	if i := strings.IndexAny(v, "({<"); i > 0 && isDotted(strings.TrimSuffix(v[:i], "!")) && (v[i] == '(' || isUpper(v[0])) || i == 0 && v[0] == '(' && o.spaced {
		return true
	}
	if i := strings.IndexByte(v, '['); i > 0 && isUpper(v[0]) && isIdentifier(v[:i]) && strings.IndexByte(v, ']') < 0 {
		return true
	}
	if i := strings.IndexByte(v, '['); i > 0 && o.spaced && isDotted(v[:i]) && strings.IndexByte(v, ']') > i || o.spaced && strings.Contains(v, "::") {
		return true
	}
	if strings.HasPrefix(v, "&") || strings.HasPrefix(v, "[]") || strings.HasPrefix(v, "*") && len(v) > 1 && isLetter(v[1]) || isMember(v) {
		return true
	}
	if isTypeName(v) || o.op == '~' {
		return true
	}
	bare := trimEnd(v, ",;)")
	switch o.op {
	case '=':
		// In source code a bare word is another name; in configuration it is the value.
		return o.spaced && isIdentifier(bare) && !random(bare) && !hasDigit(strings.TrimRight(bare, "0123456789")) && !(hasDigit(bare) && len(bare) >= 12) && !configName(name)
	case ':':
		return bare != v && isIdentifier(bare) && !hasDigit(bare) || v == name || proseWords[strings.ToLower(v)]
	case ' ':
		bare = trimEnd(bare, ".:!?")
		return !o.flag && (v[0] == '(' || v[0] == '[' || !random(v) && isIdentifier(bare) && !hasDigit(bare))
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
	v = trimEnd(v, ",;)")
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
	"required array list map dict none null undefined url pathlike self this match if return new await function lambda not fn async")

// proseWords begin a sentence about a name rather than are its value: "password: The
// password of …".
var proseWords = set("the a an this that your if when whether used optional required must should see set specifies")

func isTypeName(v string) bool {
	v = trimEnd(v, ",;)?|")
	if i := strings.IndexAny(v, "[<("); i > 0 {
		v = v[:i]
	}
	v = trimStart(v, "&*[]?")
	return len(v) <= 12 && typeNames[strings.ToLower(v)]
}

// isLiteral reports whether v is a value of another kind than text.
func isLiteral(v string) bool {
	v = trimEnd(v, ",;)")
	if len(v) <= 6 && strings.HasPrefix(v, "0x") && isHex(v[2:]) {
		return true
	}
	switch len(v) {
	case 0:
		return true
	case 2:
		return v == "no" || v == "on"
	case 3:
		return equalFold(v, "nil") || equalFold(v, "yes") || equalFold(v, "off")
	case 4:
		return v == "read" || equalFold(v, "true") || equalFold(v, "null") || equalFold(v, "none")
	case 5:
		return v == "write" || equalFold(v, "false")
	case 7:
		return v == "inherit"
	case 9:
		return v == "undefined"
	}
	return false
}

// isPath reports whether v is the path of a file.
func isPath(v string) bool {
	if len(v) < 3 {
		return false
	}
	if n := len(v); n < 64 && n >= 4 && v[n-4] == '.' {
		switch v[n-3:] {
		case "pem", "key", "crt", "cer", "p12", "pfx", "jks":
			return true
		}
	}
	rooted := v[0] == '/' || v[0] == '~' && v[1] == '/' || strings.HasPrefix(v, "./") || strings.HasPrefix(v, "../") || isLetter(v[0]) && v[1] == ':' && (v[2] == '\\' || v[2] == '/')
	if !rooted {
		return false
	}
	slashes := strings.Count(v, "/") + strings.Count(v, `\`)
	return slashes >= 1 && !(len(v) >= 32 && slashes*12 < len(v)) && !strings.ContainsAny(v, "=+")
}

// isRelease reports whether v is a version, or what a package manager takes for one:
// ^1.2.3, ~4.0, 7.1.3-rc.1, workspace:*.
func isRelease(v string) bool {
	if strings.HasPrefix(v, "workspace:") || strings.HasPrefix(v, "catalog:") {
		return true
	}
	v = trimStart(v, "^~<>=v ")
	parts, digits, i := 0, 0, 0
	for ; i < len(v); i++ {
		switch {
		case isDigit(v[i]):
			digits++
			continue
		case v[i] == '.' && digits > 0 && digits <= 4:
			parts, digits = parts+1, 0
			continue
		}
		break
	}
	if parts == 0 || parts > 3 || digits == 0 || digits > 4 {
		return false
	}
	return i == len(v) || i+1 < len(v) && (v[i] == '-' || v[i] == '+') && len(v)-i <= 16 && !random(v[i+1:])
}

// objectName reports whether v names a Kubernetes object that holds the secret, as fields
// like existingSecret and tlsSecret do, and clientSecret does not.
func objectName(v, name string) bool {
	head, ok := strings.CutSuffix(name, "Secret")
	if !ok || hasDigit(v) || strings.IndexByte(v, '-') < 0 || !isFieldLike(v) || classify(v).level < secret {
		return false
	}
	i := len(head)
	for i > 0 && chars[head[i-1]]&chLower != 0 {
		i--
	}
	if i > 0 && isUpper(head[i-1]) {
		i--
	}
	return !beforeSecret[strings.ToLower(head[i:])]
}

// isDigest reports whether v says that it is a digest: sha512-…, sha256:….
func isDigest(v string) bool {
	return len(v) > 7 && strings.HasPrefix(v, "sha") && isDigit(v[3]) && (v[4] == '-' || v[6] == '-' || v[6] == ':')
}

// lastPart is a name without what it belongs to.
func lastPart(name string) string {
	if i := strings.LastIndexByte(name, '.'); i > 0 && isIdentifier(name[i+1:]) {
		return name[i+1:]
	}
	return name
}

// namesSecret reports whether v is itself the name of a secret, as constants and variables
// of the environment are written: MAVEN_PASSWORD.
func namesSecret(v string) bool {
	if strings.IndexByte(v, '_') < 0 || len(v) > maxName {
		return false
	}
	for i := range len(v) {
		if chars[v[i]]&chUpper == 0 && v[i] != '_' {
			return false
		}
	}
	return classify(v).level == secret
}

// isName reports whether v is the name again: as it is, as a type (auth_token: AuthToken),
// or as a member (token: c.token).
func isName(v, name string) bool {
	return strings.EqualFold(v, name) || isUpper(v[0]) && sameName(v, name) || strings.IndexByte(v, '.') > 0 && sameName(lastPart(v), lastPart(name))
}

// sameName compares names without regard to case, '_' and '-'.
func sameName(v, name string) bool {
	i, j := 0, 0
	for {
		for i < len(v) && (v[i] == '_' || v[i] == '-') {
			i++
		}
		for j < len(name) && (name[j] == '_' || name[j] == '-') {
			j++
		}
		if i == len(v) || j == len(name) {
			return i == len(v) && j == len(name)
		}
		if lower[v[i]] != lower[name[j]] {
			return false
		}
		i, j = i+1, j+1
	}
}

func isUpper(c byte) bool { return chars[c]&chUpper != 0 }

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
