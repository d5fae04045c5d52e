// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package values

import (
	"strings"
	"unicode"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/chance"
	"github.com/toolscope/toolscope/redact/internal/names"
)

// An Operand is what stands beside a name.
type Operand struct {
	Start, End int
	Op         byte // '=', ':', ',', '(', '>' (XML), ' ' (an option or a bare pair), '~' (a comparison)
	Quoted     bool
	Spaced     bool // blanks before the value
	Doubled    bool // the name was in doubled quotes, as in a cell of CSV
	Flag       bool // the name was a command line's option, or a parameter of a URL
}

// LooksLikePassword reports whether v, a word of running text or of a table, is no word of a language but was made
// up: it has letters with digits or symbols, capitals where words have none, more parts than a compound, or looks
// drawn by chance.
func LooksLikePassword(v string) bool {
	if strings.HasPrefix(v, "**") || strings.HasSuffix(v, "**") { // Markdown
		v = strings.Trim(v, "*")
	}
	if len(v) < 6 || !chars.HasAlnum(v) || isAdvisory(v) || IsReference(v) || IsPlaceholder(v) || IsRelease(v) ||
		IsVersion(v) || IsPath(v) || IsDigest(v) || dateHead(v) || strings.Contains(v, "://") || strings.IndexByte(v, ' ') >= 0 ||
		strings.HasPrefix(v, "{@") {
		return false
	}
	letter, digit, high := false, false, false
	for i := range len(v) {
		letter, digit, high = letter || chars.IsLetter(v[i]), digit || chars.IsDigit(v[i]), high || v[i] >= 0x80
	}
	switch {
	case !letter && !digit, high && !digit:
		return false
	case isTerm(v), isRegion(v), IsProgramName(v), isGeneric(v),
		strings.IndexByte("#*", v[0]) >= 0 && chars.IsDotted(v[1:]) && !digit,
		strings.IndexByte(v, '[') > 0 && IsSyntax(v): // #key, *key, keys[2]
		return false
	case digit || chars.HasSpecial(v[:len(v)-1]) || chars.HasSpecial(v) && chars.IsUpper(v[0]):
		return letter && !isMember(strings.Trim(v, "[]")) && strings.IndexByte(v, '/') < 0 && strings.IndexByte(v, '(') < 0
	case isPassphrase(v):
		return true
	case strings.Count(v, "-") >= 2 || strings.Count(v, "_") >= 2 && strings.IndexByte(v, '-') < 0:
		return chars.IsFieldLike(v) && !hasFunctionWord(v)
	}
	return chance.Random(v) || chance.Unpronounceable(v)
}

// isAdvisory reports whether v is the number of a vulnerability, or an address of IPv6.
func isAdvisory(v string) bool {
	return strings.HasPrefix(v, "CVE-") ||
		strings.Contains(v, "::") && chars.SkipAny(v, 0, "0123456789abcdefABCDEF:") == len(v)
}

// MayBeSimple reports whether v may be a password that looks like other things as well: 6 to 12 digits that are no
// date, groups of them, or five small letters and more with two digits. Where it stands has to say that it is one.
func MayBeSimple(v string) bool {
	if n := chars.Skip(v, 0, chars.Lower); n >= 5 && len(v) == n+2 {
		return chars.IsDigits(v[n:])
	}
	return len(v) >= 6 && len(v) <= 12 && chars.IsDigits(v) && !(len(v) == 8 && (v[:2] == "20" || v[:2] == "19")) ||
		isDigitGroups(v)
}

// isRegion reports whether v names a region of a cloud: eu-west-3.
func isRegion(v string) bool {
	v = strings.TrimRight(v, ".")
	return len(v) > 6 && v[2] == '-' && chars.IsDigit(v[len(v)-1]) && v[len(v)-2] == '-' &&
		strings.Trim(v[:len(v)-1], "abcdefghijklmnopqrstuvwxyz-") == ""
}

// isDigitGroups reports whether v is three or more groups of as many digits, four to six, with dashes between them, as
// recovery keys and the passwords of routers are: 4821-0932-7745-1180.
func isDigitGroups(v string) bool {
	n := strings.IndexByte(v, '-')
	if n < 4 || n > 6 || len(v) < 3*n+2 || (len(v)+1)%(n+1) != 0 {
		return false
	}
	for i := range len(v) {
		if (i%(n+1) == n) != (v[i] == '-') || v[i] != '-' && !chars.IsDigit(v[i]) {
			return false
		}
	}
	return true
}

// IsPublicWord reports whether v is a community of SNMP that devices have by default.
func IsPublicWord(v string) bool { return v == "public" || v == "private" }

// isTerm reports whether v is a number, with a unit or behind a short word: 30days, SHA-256, utf8, oauth2.
func isTerm(v string) bool {
	head := chars.Skip(v, 0, chars.Digit|chars.Dot)
	if head > 0 && chars.Skip(v, head, chars.Lower) == len(v) {
		return true
	}
	head = chars.Skip(v, 0, chars.Lower|chars.Upper)
	digits := len(v) - head
	if head < len(v) && v[head] == '-' {
		head, digits = head+1, digits-1
	}
	word := v[:len(v)-len(v[head:])]
	return chars.IsDigits(v[head:]) && !chance.Unpronounceable(word) && (digits <= 2 &&
		strings.ToLower(v[1:]) == v[1:] ||
		digits <= 4 && strings.ToUpper(v) == v)
}

// functionWords stand between the parts of compounds of a language: state-of-the-art, up-to-date.
var functionWords = names.Set("a an and are as at be by case for from in is it no non not of on or per " +
	"pre self the to up " +
	"via with without well so")

// IsFunctionWord reports whether v stands between the words of a sentence.
func IsFunctionWord(v string) bool { return functionWords[v] }

// IsSentence reports whether rest, the line behind the word first, makes a sentence of it: with a full stop behind
// the word, or with one of functionWords.
func IsSentence(first, rest string) bool {
	if i := strings.IndexByte(rest, '\n'); i >= 0 {
		rest = rest[:i]
	}
	if rest = strings.TrimRight(rest, ".\r"); len(rest) < 3 || rest[0] != ' ' {
		return false
	}
	if strings.HasSuffix(first, ".") || strings.Contains(rest, "...") || isWords(rest) && len(rest) <= names.MaxName &&
		names.Classify(rest).Level == names.Secret { // Webhook secret
		return true
	}
	for n := 0; n < 4; n++ {
		word, more, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
		if functionWords[word] {
			return true
		}
		rest = more
	}
	return false
}

// IsResult reports whether v says in words how a test ended: two or three words, or more with a capital, a digit, a sign
// or a letter outside of ASCII. Passwords of words have none of these.
func IsResult(v string) bool {
	blanks, plain := 0, true
	for i := range len(v) {
		if v[i] == ' ' {
			blanks++
		} else if chars.Class[v[i]]&chars.Lower == 0 {
			plain = false
		}
	}
	return blanks > 0 && (blanks < 3 || !plain)
}

// isGeneric reports whether v is a type with a parameter: Promise<string>.
func isGeneric(v string) bool {
	head, rest, ok := strings.Cut(v, "<")
	return ok && rest != "" && chars.IsLetter(rest[0]) && chars.IsDotted(head) && chars.IsUpper(head[0])
}

// IsRemark reports whether the text of an element is words about something: a capital first, and letters alone.
func IsRemark(v string) bool {
	return strings.IndexByte(v, ' ') > 0 && chars.IsUpper(v[0]) && isWords(strings.TrimRight(v, ".!?"))
}

func hasFunctionWord(v string) bool {
	return anyPart(v, "-_", func(part string) bool {
		return functionWords[strings.ToLower(part)] || names.Classify(part).Level > names.Harmless
	})
}

// IsFieldName reports whether v is no password but what a form calls one.
func IsFieldName(v string) bool {
	if len(v) > len("api_token")+2 { // a k may be the Kelvin sign, of three bytes
		return false
	}
	switch strings.ToLower(v) {
	case "password", "pass", "token", "secret", "passwd", "pwd", "api_token", "x":
		return true
	}
	return false
}

// isNumberLike reports whether v is a short number, with separators at most.
func isNumberLike(v string) bool {
	n := 0
	for i := range len(v) {
		switch {
		case chars.IsDigit(v[i]):
			n++
		case v[i] == '-' || v[i] == ' ':
		default:
			return chance.Random(v)
		}
	}
	return n >= 3 && n <= 12
}

// isCode reports whether a bare value after a strong name is source code: another
// name, a call, a member, a type.
func isCode(v, name string, o Operand) bool {
	if isCodeForm(v, o) || isTypeName(v) || o.Op == '~' {
		return true
	}
	bare := chars.TrimEnd(v, ",;)")
	switch o.Op {
	case '=':
		// In source code a bare word is another name; in configuration it is the value.
		return o.Spaced && chars.IsIdentifier(bare) && !chance.Random(bare) &&
			!chars.HasDigit(strings.TrimRight(bare, "0123456789")) && len(bare)-len(strings.TrimRight(bare,
			"0123456789")) < 3 && !(chars.HasDigit(bare) && len(bare) >= 12) &&
			!configName(name)
	case ':':
		return bare != v && chars.IsIdentifier(bare) && !chars.HasDigit(bare) || v == name ||
			proseWords[strings.ToLower(v)]
	case ' ':
		bare = chars.TrimEnd(bare, ".:!?")
		return !o.Flag && (v[0] == '(' || v[0] == '[' || !chance.Random(v) &&
			(chars.IsIdentifier(bare) || isForeignWord(bare)) &&
			!chars.HasDigit(bare) && !chance.Unpronounceable(bare) && !LooksLikePassword(v))
	}
	return false
}

// isCodeForm reports whether v is a call, an element, a reference or a member in source code.
func isCodeForm(v string, o Operand) bool {
	if i := strings.IndexAny(v, "({<"); i > 0 && chars.IsDotted(strings.TrimSuffix(v[:i], "!")) && (v[i] == '(' ||
		chars.IsUpper(v[0])) || i == 0 && v[0] == '(' && (o.Spaced || o.Op == ' ') {
		return true
	}
	if i := strings.IndexByte(v, '['); i > 0 && chars.IsUpper(v[0]) && chars.IsIdentifier(v[:i]) &&
		strings.IndexByte(v, ']') < 0 {
		return true
	}
	if i := strings.IndexByte(v, '['); i > 0 && o.Spaced && chars.IsDotted(v[:i]) && strings.IndexByte(v, ']') > i ||
		o.Spaced && strings.Contains(v, "::") {
		return true
	}
	if i := strings.IndexByte(v, '{'); i > 0 && v[len(v)-1] == '}' && o.Op == ':' && chars.IsIdentifier(v[:i]) &&
		isNameOfSecret(v[i+1:len(v)-1]) {
		return true // PrivateKey: signer{testPrivateKey}
	}
	if v[0] == '{' && o.Spaced && strings.Contains(v, "()") { // {x.strip() for x in y}
		return true
	}
	return strings.HasPrefix(v, "&") || strings.HasPrefix(v, "[]") || strings.HasPrefix(v, "*") && len(v) > 1 &&
		chars.IsLetter(v[1]) && !chars.HasDigit(v) || isMember(v) && (o.Op == '=' && o.Spaced || o.Op == '(' || !isPair(v))
}

// isPair reports whether v is two words with a dot between them, of which one has a capital and one ends with a number
// that is none of bits, as passwords are and seldom members: Marble.Sparrow9, velvet35.Canyon.
func isPair(v string) bool {
	first, second, _ := strings.Cut(v, ".")
	numbers := 0
	for _, word := range [...]string{first, second} {
		letters := strings.TrimRight(word, "0123456789")
		if len(letters) < 4 || chars.Skip(letters, 1, chars.Lower) != len(letters) || hostWords[strings.ToLower(letters)] {
			return false
		}
		if number := word[len(letters):]; number != "" && !chars.OneOf("8 16 32 64 128 256 512", number) {
			numbers++
		}
	}
	return numbers == 1 && (chars.IsUpper(first[0]) || chars.IsUpper(second[0]))
}

// isForeignWord reports whether v is made of letters, some of which are none of ASCII.
func isForeignWord(v string) bool {
	for i := range len(v) {
		if !chars.IsLetter(v[i]) && v[i] < 0x80 {
			return false
		}
	}
	return true
}

// configName reports whether a name is written as files of settings do, and source code
// does not: DB_PASSWORD, db.password, db-password.
func configName(name string) bool {
	upper := true
	for i := range len(name) {
		if chars.Class[name[i]]&chars.Lower != 0 {
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
	v = chars.TrimEnd(v, ",;)")
	if strings.HasPrefix(v, "process.env") || strings.HasPrefix(v, "os.environ") {
		return true
	}
	dot := strings.IndexByte(v, '.')
	if arrow := strings.Index(v, "->"); arrow > 0 && chars.IsIdentifier(v[:arrow]) {
		return true
	}
	if dot <= 0 || !chars.IsDotted(v) || isPassphrase(v) {
		return false
	}
	if len(v) <= 32 && chars.HasDigit(v) && strings.ToLower(v[1:dot]) != v[1:dot] && chance.Random(strings.ReplaceAll(v, ".", "")) {
		return false
	}
	for part := range strings.SplitSeq(v, ".") {
		if part == "" || !chars.IsIdentifier(part) || chance.Random(part) || chars.HasDigit(part) && len(part) > 8 &&
			!names.IsThing(part) && names.Classify(part).Level == names.Harmless {
			return false
		}
	}
	return true
}

// hostWords are parts of the names of hosts, packages, properties and messages.
var hostWords = names.Set("com org net io dev local internal example localhost www cluster svc app apps env config " +
	"settings user users data request response body params props state this self form forms auth spec src test tests " +
	"main core common api java javax security util")

// isPassphrase reports whether v is words with dots between them, as passwords are, and none of them is one of hosts,
// properties or names of secrets: four or more in small letters, of which one may have a capital and a number; three if
// the last one ends with a number; or two with a capital each, of which the second ends with a number that is none of
// bits.
func isPassphrase(v string) bool {
	words := strings.TrimRight(v, "0123456789")
	number, dots := v[len(words):], strings.Count(v, ".")
	head := 0
	switch {
	case dots >= 3 || dots == 2 && number != "":
	case dots == 1 && len(number) >= 2 && chars.IsUpper(v[0]) && !chars.OneOf("16 32 64 128 256 512", number):
		head = 1
	default:
		return false
	}
	capital := strings.IndexFunc(words, unicode.IsUpper) // compass.Meadow0.maple.harbor
	if i := capital + 1; dots >= 3 && capital >= 0 && number == "" {
		end := chars.Skip(words, i, chars.Lower)
		number = words[end:chars.Skip(words, end, chars.Digit)]
		words = words[:capital] + strings.ToLower(words[capital:end]) + words[end+len(number):]
		if number == "" {
			return false
		}
	}
	for _, part := range strings.Split(words, ".") {
		if len(part) < 3 || head == 1 && !chars.IsUpper(part[0]) || chars.Skip(part, head, chars.Lower) != len(part) ||
			hostWords[strings.ToLower(part)] || names.AboutWords[strings.ToLower(part)] ||
			names.Classify(part).Level > names.Harmless {
			return false
		}
	}
	return len(number) < 5
}

var typeNames = names.Set("i32 i64 u32 u64 u8 usize uint8array " +
	"string str int integer number boolean bool any object secretstr unknown void optional " +
	"uint64 int64 uint32 int32 uint16 int16 uint8 float64 float32 error " +
	"bytes byte text char varchar securestring stringvar symbol " +
	"required option array list map dict none null undefined url pathlike self this match if return new await function " +
	"lambda not fn async nullable confirmed")

// proseWords begin a sentence about a name rather than are its value: "password: The
// password of …".
var proseWords = names.Set("the a an this that your if when whether used optional required must should see set " +
	"specifies how who what why when where which it is expected")

// HasRules reports whether a list has rules for the values of a field: 'required', 'min:8'.
func HasRules(list string) bool {
	for p := 0; p < len(list); {
		end := chars.Skip(list, p, chars.Lower)
		if end-p > 3 && isTypeName(list[p:end]) {
			return true
		}
		p = end + 1
	}
	return false
}

// isTypeName reports whether v is a type, or a rule for the values of a field.
func isTypeName(v string) bool {
	v = chars.TrimEnd(v, ",;)?|!")
	if i := strings.IndexAny(v, "[<("); i > 0 {
		v = v[:i]
	}
	v = chars.TrimStart(v, "&*[]?")
	return len(v) <= 12 && typeNames[strings.ToLower(v)]
}

// IsLiteral reports whether v is a value of another kind than text.
func IsLiteral(v string) bool {
	v = chars.TrimEnd(v, ",;)")
	if digits, ok := strings.CutPrefix(strings.TrimPrefix(v, "-"), "0x"); ok {
		if digits = strings.TrimRight(digits, "uUlL"); len(digits) <= 8 && chars.IsHex(digits) {
			return true
		}
	}
	switch len(v) {
	case 0:
		return true
	case 2:
		return v == "no" || v == "on"
	case 3:
		return chars.EqualFold(v, "nil") || chars.EqualFold(v, "yes") || chars.EqualFold(v, "off")
	case 4:
		return v == "read" || chars.EqualFold(v, "true") || chars.EqualFold(v, "null") || chars.EqualFold(v, "none")
	case 5:
		return v == "write" || chars.EqualFold(v, "false")
	case 7:
		return v == "inherit"
	case 9:
		return v == "undefined"
	}
	return false
}

// IsPath reports whether v is the path of a file.
func IsPath(v string) bool {
	if len(v) < 3 {
		return false
	}
	if n := len(v); n < 64 && n >= 4 && v[n-4] == '.' {
		switch v[n-3:] {
		case "pem", "key", "crt", "cer", "p12", "pfx", "jks":
			return true
		}
	}
	rooted := v[0] == '/' || v[0] == '~' && v[1] == '/' || strings.HasPrefix(v, "./") || strings.HasPrefix(v, "../") ||
		chars.IsLetter(v[0]) && v[1] == ':' && (v[2] == '\\' || v[2] == '/')
	if !rooted {
		return false
	}
	slashes := strings.Count(v, "/") + strings.Count(v, `\`)
	return slashes >= 1 && !(len(v) >= 32 && slashes*12 < len(v)) && !strings.ContainsAny(v, "=+")
}

// IsRelease reports whether v is a version, or what a package manager takes for one:
// ^1.2.3, ~4.0, 7.1.3-rc.1, workspace:*.
func IsRelease(v string) bool {
	if strings.HasPrefix(v, "workspace:") || strings.HasPrefix(v, "catalog:") {
		return true
	}
	v, _, _ = strings.Cut(chars.TrimStart(v, "^~<>=v "), " || ")
	parts, digits, i := 0, 0, 0
	for ; i < len(v); i++ {
		switch {
		case chars.IsDigit(v[i]):
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
	return i == len(v) || i+1 < len(v) && (v[i] == '-' || v[i] == '+') && len(v)-i <= 16 && !chance.Random(v[i+1:])
}

// objectWords end the names of such objects.
var objectWords = names.Set("tls cert certs secret secrets key keys creds credentials token config auth db")

// objectName reports whether v names a Kubernetes object that holds the secret, as fields
// like existingSecret and tlsSecret do, and clientSecret does not.
func objectName(v, name string) bool {
	if i := chars.LastByte(v, '-'); i > 0 && chars.EqualFold(name, "secret") && objectWords[v[i+1:]] &&
		!chars.HasDigit(v) && chars.IsFieldLike(v) {
		return true
	}
	head, ok := strings.CutSuffix(name, "Secret")
	if !ok || chars.HasDigit(v) || strings.IndexByte(v, '-') < 0 || !chars.IsFieldLike(v) ||
		names.Classify(v).Level < names.Secret {
		return false
	}
	i := len(head)
	i = chars.SkipBack(head, 0, i, chars.Lower)
	if i > 0 && chars.IsUpper(head[i-1]) {
		i--
	}
	return !names.BeforeSecret[strings.ToLower(head[i:])]
}

// IsDigest reports whether v says that it is a digest: sha512-…, sha256:….
func IsDigest(v string) bool {
	return len(v) > 7 && strings.HasPrefix(v, "sha") && chars.IsDigit(v[3]) && (v[4] == '-' || v[6] == '-' ||
		v[6] == ':')
}

// lastPart is a name without what it belongs to.
func lastPart(name string) string {
	if i := chars.LastByte(name, '.'); i > 0 && chars.IsIdentifier(name[i+1:]) {
		return name[i+1:]
	}
	return name
}

// namesSecret reports whether v is itself the name of a secret, as constants and variables
// of the environment are written, MAVEN_PASSWORD, or paths: prod/api/token.
func namesSecret(v string) bool {
	if len(v) > names.MaxName {
		return false
	}
	if i := chars.LastByte(v, '/'); i > 0 && chars.IsFieldLike(v[i+1:]) && !chars.HasDigit(v) {
		return names.Classify(v[i+1:]).Level > names.Harmless
	}
	if colon := chars.LastByte(v, ':'); colon > 0 && strings.Count(v, ":") > 1 && !chars.HasDigit(v) {
		return names.Classify(v[colon+1:]).Level == names.Secret // host:port:user:password
	}
	if strings.IndexByte(v, '_') < 0 {
		return false
	}
	for i := range len(v) {
		if chars.Class[v[i]]&chars.Upper == 0 && v[i] != '_' {
			return false
		}
	}
	return names.Classify(v).Level > names.Harmless
}

// isName reports whether v is the name again: as it is, as a type (auth_token: AuthToken),
// or as a member (token: c.token).
func isName(v, name string) bool {
	v = strings.TrimRight(v, "!, =")
	if i := strings.LastIndexAny(v, "_-"); i > 0 && len(name) > len("password") && !chars.HasDigit(v) &&
		sameName(v[:i], lastPart(name)) { // client_secret_basic
		return true
	}
	return strings.EqualFold(v, strings.TrimLeft(name, "_")) ||
		v != "" && (chars.IsUpper(v[0]) || strings.IndexByte(v, '-') > 0) && sameName(v, name) ||
		strings.IndexByte(v, '.') > 0 &&
			sameName(lastPart(v), lastPart(name))
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
		if chars.Fold[v[i]] != chars.Fold[name[j]] {
			return false
		}
		i, j = i+1, j+1
	}
}

// IsVersion reports whether v is numbers with dots or dashes between them.
func IsVersion(v string) bool {
	for i := range len(v) {
		if c := v[i]; !(chars.IsDigit(c) || c == '.' || c == 'v' && i == 0 || c == '-') {
			return false
		}
	}
	return strings.IndexByte(v, '.') > 0
}

// dateHead reports whether v begins as a date does.
func dateHead(v string) bool {
	return len(v) >= 10 && chars.IsDigit(v[0]) && chars.IsDigit(v[3]) && v[4] == '-' && v[7] == '-' &&
		(v[:2] == "19" || v[:2] == "20")
}
