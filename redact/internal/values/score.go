// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package values

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/internal/recognise"
	"github.com/toolscope/toolscope/redact/internal/chance"
	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/marks"
	"github.com/toolscope/toolscope/redact/internal/names"
)

// The points of a value. The sum decides: [Enough] points or more make it a secret.
//
//	the name         strong +60, weak +20
//	the value        drawn by chance +40, a mix of letters and digits that might be +30
//	a weak name      an id, a digest, a path, a date, an object's id -50
//	source code      a bare name, a call, a type, a comparison with a word -60
//	running text     a word of a sentence -60
//	no secret        a reference, a placeholder, a mark, the name again, a version -100
//
// So the value of a strong name goes unless something speaks against it, and that of a weak name
// goes if it looks drawn by chance and is no id.
const (
	Enough = 50

	strongName = 60
	weakName   = 20
	byChance   = 40
	plausible  = 30
	identifier = -50
	sourceCode = -60
	sentence   = -60
	noSecret   = -100
	formed     = 100 // the form decides, as with a PIN
)

// Judge reports whether the value v beside a telling name is a secret.
// called tells that an opening parenthesis follows.
func Judge(v, name string, d names.Verdict, o Operand, called bool) bool {
	return Score(v, name, d, o, called) >= Enough
}

// Score returns the points of the value v beside a telling name.
func Score(v, name string, d names.Verdict, o Operand, called bool) int {
	points := weakName
	if d.Level == names.Secret {
		points = strongName
	}
	if v == "" || isWordsOfSecret(v, d) || called && !o.Quoted || o.Flag && v[0] == '-' || (!o.Quoted || isConstant(name)) &&
		isNameOfSecret(v) || isNoSecret(v,
		name) || IsRequest(v, name) || speaksOf(v, name, d, o) || d.Kind == kinds.Secret && objectName(v, name) {
		return points + noSecret
	}
	switch {
	case d.Kind == kinds.PIN, d.Kind == kinds.SSN:
		return points + byForm(isNumberLike(v))
	case d.Kind == kinds.Cookie && strings.IndexByte(v, '=') < 0:
		return points + byForm(chance.Plausible(v))
	case d.Level < names.Secret:
		return points + weakPoints(strings.TrimSpace(v), name, d, o)
	case !o.Quoted && (IsSyntax(v) || o.Spaced && o.Op == '=' && len(v) <= 3 && chars.IsDigits(v)),
		!o.Quoted && o.Op == ':' && v[0] == '!' && isWords(v[1:]): // a tag of YAML: !Ref Name
		return points + sourceCode
	case drawn(d.Kind) && (isConstant(v) || isFields(v) && !strings.HasPrefix(v, "sk-") &&
		(strings.IndexAny(v, "-_") > 0 || len(v) < 16 && !LooksLikePassword(v))):
		return points + sentence // api_key="test"
	case d.Kind != kinds.Password && (isDay(v) || !o.Quoted && IsVersion(v)):
		return points + noSecret
	case IsPath(v), len(v) < 2, o.Quoted && !judgeLiteral(v, d, o.Op, o.Flag), !o.Quoted && isCode(v, name, o),
		isArgument(v, name, d, o), (o.Op == ',' || drawn(d.Kind)) && isHeader(v),
		o.Op == ',' && drawn(d.Kind) && !chance.Plausible(v) && (len(v) < 12 || strings.IndexByte(v, '/') > 0): // ("API_KEY", "gpt-4o")
		return points + sourceCode
	}
	if chance.Plausible(v) {
		points += plausible
	}
	return points
}

// IsRequest reports whether v is the id of a request or of a change that its client draws so that it counts once: a UUID
// beside ClientToken, request-token or changeToken.
func IsRequest(v, name string) bool {
	if name == "ClientToken" { // of AWS
		return true
	}
	if len(v) < uuidLen-1 || len(v) > uuidLen || strings.Count(v, "-") != 4 || chars.Skip(v, 0, chars.URL) != len(v) {
		return false
	}
	for _, end := range [...]string{"client", "request", "change"} {
		if chars.EndsFold(name, end+"token") || chars.EndsFold(name, end+"-token") {
			return true
		}
	}
	return false
}

// isArgument reports whether v is no secret where it stands: the argument of a call, in a list behind a constant, behind
// an option, or in the definition of a macro.
func isArgument(v, name string, d names.Verdict, o Operand) bool {
	switch o.Op {
	case '(':
		return drawn(d.Kind) && !chance.Plausible(v) && !LooksLikePassword(v) || isConstant(v) ||
			isConstant(name) && isMember(v) || // PASSWORD_AGE("error.age")
			chars.EqualFold(lastPart(name), "pass") && !LooksLikePassword(v) // of a test
	case ',':
		return isConstant(v)
	case ':':
		if o.Flag && (v == "env" || v == "file") { // -storepass:env NAME
			return true
		}
	case '=':
		return o.Flag && chars.Skip(v, 0, chars.Upper) == len(v) && names.Classify(v).Level == names.Secret // --pass=PASS
	case ' ':
		if o.Flag && !o.Quoted && (functionWords[v] || chars.OneOf("option options flag flags argument must", v)) {
			return true // use of --password via the command line
		}
		if o.Quoted { // #define X_PSK "psk"
			return chars.EndsFold(name, strings.ToLower(v)) || IsFieldName(v)
		}
	}
	return !o.Quoted && len(v) == 2 && isWords(v)
}

// drawn reports whether secrets of the kind are drawn by chance.
func drawn(k kinds.ID) bool {
	return k == kinds.Token || k == kinds.APIKey || k == kinds.Session || k == kinds.Authorization
}

// isHeader reports whether v is the name of a header: X-Api-Key, Www-Authenticate.
func isHeader(v string) bool {
	if strings.IndexByte(v, '-') <= 0 {
		return false
	}
	for i := range len(v) {
		if head := i == 0 || v[i-1] == '-'; v[i] != '-' && !chars.IsLetter(v[i]) || head && !chars.IsUpper(v[i]) {
			return false
		}
	}
	return true
}

// isConstant reports whether v is capitals with '_' between them.
func isConstant(v string) bool {
	return strings.IndexByte(v, '_') > 0 && chars.Skip(v, 0, chars.Upper|chars.Digit|chars.Join) == len(v) &&
		!chance.Random(v)
}

// isFields reports whether v is names of fields, none of which looks drawn by chance.
func isFields(v string) bool {
	return chars.IsFieldLike(strings.ReplaceAll(v, " ", "_")) && !chars.HasDigit(v) && !chance.Random(v)
}

// judgeLiteral decides on a quoted value after a strong name, by the operator.
func judgeLiteral(v string, d names.Verdict, op byte, flag bool) bool {
	switch op {
	case '~':
		return chance.Random(v) || chars.HasSpecial(v) || LooksLikePassword(v)
	case ',':
		if isMember(v) || isTypeName(v) || drawn(d.Kind) && isFields(v) ||
			strings.Count(v, " ") > 2 && hasFunctionWord(strings.ReplaceAll(v, " ", "-")) {
			return false
		}
		return chars.HasDigit(v) || !chars.IsIdentifier(v) || names.Classify(v).Level == names.Harmless
	case ' ': // secret "web" created
		return flag || d.Kind == kinds.Password || !chars.IsFieldLike(v) || chars.HasDigit(v)
	}
	return true
}

// isDay reports whether v is a date: 2026-01-05.
func isDay(v string) bool {
	return len(v) == len("2026-01-05") && dateHead(v) && chars.IsDigits(strings.ReplaceAll(v, "-", ""))
}

func byForm(ok bool) int {
	if ok {
		return formed
	}
	return noSecret
}

// isNoSecret reports whether v is a reference, a placeholder, a mark, a version, a labelled digest,
// or the name of a secret.
func isNoSecret(v, name string) bool {
	return marks.IsMark(v) || IsLiteral(v) || !chars.HasAlnum(v) || IsReference(v) || IsPlaceholder(v) ||
		name != "" && isName(v, name) || IsRelease(v) || IsDigest(v) || namesSecret(v) || isQuantity(v) ||
		isState(v) || isTitle(v) || isChoice(v) || isPublicData(v) || isAlgorithm(v) || isRegion(v)
}

// algorithmWords are the parts of the names of ciphers, of kinds of keys and of what exchanges them.
const algorithmWords = "tls ssl aes des ede rc null sha md cbc gcm ccm ctr chacha poly camellia aria seed idea psk " +
	"dhe ecdhe dh ecdh rsa dss ecdsa srp krb anon with ssh ed nistp curve hmac sm sk cert v"

// isAlgorithm reports whether v names an algorithm, in two parts or more: ssh-ed25519, TLS_PSK_WITH_AES_128_CCM.
func isAlgorithm(v string) bool {
	if len(v) > names.MaxName || strings.IndexByte(v, '-') < 0 && strings.IndexByte(v, '_') < 0 {
		return false
	}
	for p := 0; p < len(v); {
		q := chars.Skip(v, p, chars.Lower|chars.Upper)
		if q > p && !chars.OneOf(algorithmWords, chars.FoldString(v[p:q])) {
			return false
		}
		if p = chars.SkipAny(v, q, "0123456789-_"); p == q && p < len(v) {
			return false
		}
	}
	return chars.IsLetter(v[0])
}

// isChoice reports whether v lists what may be chosen, words in small letters: none|basic|digest.
func isChoice(v string) bool {
	if head, _, ok := strings.Cut(v, "|"); ok && isTypeName(head) { // required|string|min:8
		return true
	}
	for i := range len(v) {
		if chars.Class[v[i]]&(chars.Lower|chars.Join|chars.Blank) == 0 && strings.IndexByte("|[]", v[i]) < 0 {
			return false
		}
	}
	return strings.IndexByte(v, '|') > 0
}

// publicHeads begin public keys, images, programs and archives, in base64, and what says so.
const publicHeads = "ssh- data AAAA MFkw MCow iVBO /9j/ R0lG AGFz UEsD"

// isPublicData reports whether v is a public key, a certificate, an image, a program or an archive.
func isPublicData(v string) bool {
	if len(v) <= 48 {
		return false
	}
	v = strings.TrimLeft(v, " \n")
	return len(v) > 48 && (chars.OneOf(publicHeads, v[:4]) || strings.HasPrefix(v, "MIIBI") ||
		chars.OneOf("PUBLIC CERTIF", v[len("-----BEGIN "):len("-----BEGIN PUBLIC")]))
}

// isTitle reports whether v is what a form calls a password, in any language: Passwort.
func isTitle(v string) bool {
	v, _, _ = strings.Cut(v, " (")
	if v == "" || len(v) > 32 || !chars.IsUpper(v[0]) || strings.ToUpper(v) == v {
		return false
	}
	for _, word := range strings.Split(v, " ") {
		if !isWordOfText(word) || word == "" || strings.ToLower(word[1:]) != word[1:] {
			return false
		}
	}
	return max(names.Classify(v).Level, names.OfTitle(v).Level) == names.Secret
}

// states are what is said of a secret instead of giving it.
var states = names.Set("stdin incorrect correct invalid valid missing wrong expired accepted rejected " +
	"unchanged changed unset set " +
	"empty hidden masked disabled enabled mismatch ok fail failed pass passed skip skipped success present absent " +
	"sensitive required optional always never compat files secure")

func isState(v string) bool {
	v = strings.Trim(v, "*[]<>")
	var b [len("unchanged")]byte
	if len(v) > len(b) {
		return false
	}
	for i := range len(v) {
		if !chars.IsLetter(v[i]) {
			return false
		}
		b[i] = chars.Fold[v[i]]
	}
	return states[string(b[:len(v)])]
}

// isQuantity reports whether v is a fraction, a share, a place, or the last columns of fstab: 3/5, 97%, 134:1, 0 2.
func isQuantity(v string) bool {
	i := chars.Skip(v, 0, chars.Digit)
	return i > 0 && i < len(v) && (v[i] == '%' && i+1 == len(v) || strings.IndexByte("/:", v[i]) >= 0 && chars.IsDigits(v[i+1:]) ||
		i == 1 && v[i] == ' ' && chars.IsDigits(strings.TrimLeft(v[i:], " ")))
}

// isWordsOfSecret reports whether v is what secrets of its kind are called: the name of a property (user.password), or,
// of keys and tokens, which are drawn by chance, words: my-api-key, assumedSessionToken.
func isWordsOfSecret(v string, d names.Verdict) bool {
	if len(v) < 6 || len(v) > names.MaxName || chars.HasDigit(v) || chance.Random(v) {
		return false
	}
	switch d.Kind {
	case kinds.APIKey, kinds.Token, kinds.Session, kinds.PrivateKey:
		return (chars.IsFieldLike(v) || isWords(v)) && names.Classify(v).Level > names.Harmless
	}
	return (isMember(v) || d.Kind == kinds.Secret && strings.IndexByte(v, '_') > 0 && chars.IsIdentifier(v)) &&
		names.Classify(v).Level == names.Secret
}

// isNameOfSecret reports whether a bare value is a constant, or the name of another secret:
// KEY_TYPES, testRSAPrivateKey.
func isNameOfSecret(v string) bool {
	v = chars.TrimEnd(v, ",;)")
	if n := len(v); n < 8 || !chars.IsIdentifier(v) || chars.IsDigit(v[n-1]) || chance.Random(v) {
		return false
	}
	if strings.ToUpper(v) == v && !chars.HasDigit(v) {
		return strings.IndexByte(v, '_') > 0
	}
	return chars.IsLetter(v[0]) && strings.ToLower(v[1:]) != v[1:] && names.Classify(v).Level > names.Harmless
}

// speaksOf reports whether v is about the secret: a link to its documentation, or its description
// in a schema.
func speaksOf(v, name string, d names.Verdict, o Operand) bool {
	if isLink(v) || strings.HasPrefix(v, "urn:") {
		return true
	}
	if o.Quoted && strings.HasSuffix(strings.TrimRight(v, " "), ":") && isWords(v) {
		return true // a prompt
	}
	if first, rest, ok := strings.Cut(v, " "); ok && o.Quoted && (saysWords[first] && isWords(rest) ||
		chars.Skip(first, 0, chars.Upper) == len(first) && rest != "" && rest[0] == '/') {
		return true // an error of a form, or a route
	}
	if o.Quoted && (isBetween(v) || isMessage(v, name, o)) || isTechnical(v) || isPublic(v) {
		return true
	}
	return o.Quoted && isDescription(v) && (d.Kind != kinds.Password || isTypeName(firstWord(v)) ||
		strings.HasSuffix(v, ")"))
}

// isPublic reports whether v is PEM that says that it is no private key.
func isPublic(v string) bool {
	_, head, ok := strings.Cut(v[:min(len(v), 80)], "-----BEGIN ")
	return ok && !strings.Contains(head, "PRIVATE")
}

// saysWords begin what is said of a field: is too short.
var saysWords = names.Set("is has was must cannot should may does did needs contains too not can't doesn't can")

// isLink reports whether v is a URL without credentials and without anything drawn by chance.
func isLink(v string) bool {
	if !strings.HasPrefix(v, "http://") && !strings.HasPrefix(v, "https://") || strings.IndexByte(v, '@') >= 0 {
		return false
	}
	return !anyPart(v, "/?#&=", func(part string) bool { return len(part) >= 16 && chance.Random(part) })
}

// anyPart reports whether is says so of a part of v, between bytes of separators.
func anyPart(v, separators string, is func(part string) bool) bool {
	for v != "" {
		i := strings.IndexAny(v, separators)
		if i < 0 {
			return is(v)
		}
		if i > 0 && is(v[:i]) {
			return true
		}
		v = v[i+1:]
	}
	return false
}

// isWords reports whether v is made of letters, blanks and a colon.
//
//go:noinline
func isWords(v string) bool {
	for i := range len(v) {
		if !chars.IsLetter(v[i]) && v[i] != ' ' && v[i] != ':' {
			return false
		}
	}
	return true
}

func firstWord(v string) string {
	v, _, _ = strings.Cut(v, " ")
	return strings.TrimRight(v, ",:;")
}

// isDescription reports whether v begins as the description of a field does: with its type, or with
// a word of a sentence.
func isDescription(v string) bool {
	space := strings.IndexByte(v, ' ')
	if space <= 0 || strings.IndexByte(v[space+1:], ' ') < 0 && !strings.ContainsAny(v, "(,") {
		return false
	}
	first := firstWord(v)
	if !chars.IsIdentifier(first) || chars.HasDigit(first) {
		return false
	}
	return isTypeName(first) || proseWords[strings.ToLower(first)]
}

// weakPoints are the points of a value whose name only says that it may be a secret.
func weakPoints(v, name string, d names.Verdict, o Operand) int {
	switch {
	case d.Kind == kinds.Session && (strings.Trim(v, "0123456789_-") == "" || strings.HasPrefix(v, "0x") ||
		len(v) < 16 && chars.IsHex(v)):
		return identifier // of what is no user's
	case IsPath(v), IsVersion(v), dateHead(v), !o.Quoted && (isMember(v) || o.Op == '~' || o.Op == ' ' && !o.Flag && len(v) < 12),
		(d.Kind == kinds.Secret || d.Kind == kinds.Credential) && strings.Contains(v, "://"):
		return identifier
	}
	if d.Kind == kinds.Vendor {
		return vendorPoints(v, o)
	}
	if i := chars.LastByte(v, '-'); i > 0 && sameName(v[:i], name) { // export-token-ep5cwyzune7
		return identifier
	}
	if !chance.Plausible(v) {
		return 0
	}
	token := d.Kind == kinds.Token && recognise.UUID(v) && (o.Flag || d.Level == names.Telling || v[14] == '4')
	if d.Kind == kinds.Signature && o.Flag { // of a URL
		return plausible
	}
	if isID(v) && !token || d.Level == names.Weak && d.Kind != kinds.Token && isHexDigest(v) {
		return plausible + identifier
	}
	if chance.Random(v) || chance.RandomPart(v) {
		return byChance
	}
	return plausible
}

// vendorPoints are the points of a value whose name is only that of a vendor: the value has to be long, drawn
// by chance, and in quotes or behind an operator.
func vendorPoints(v string, o Operand) int {
	if len(v) >= 16 && chars.HasDigit(v) && (chance.Random(v) || chance.RandomPart(v)) && !isMember(v) &&
		!recognise.UUID(v) && (o.Quoted || o.Op == '=' || o.Op == ':') {
		return byChance
	}
	return 0
}

// isID reports whether v has the form of what names an object: a UUID, a ULID, an object's id
// (cus_NffrFeUfNV2Hib), a path, or words with a number.
func isID(v string) bool {
	if i := chars.LastByte(v, '.'); i > 0 && len(v)-i <= 5 && strings.IndexByte(v[:i], '/') > 0 &&
		chars.Skip(v, i+1, chars.Lower|chars.Digit) == len(v) {
		return true // a path: backup/3f2504e0.tar
	}
	return recognise.UUID(v) || hasUUID(v) || isResourceID(v) || isULID(v) || isObjectID(v) || hasIDPart(v) || isSlug(v) ||
		strings.Count(v, "/") >= 2 && chars.IsFieldLike(firstPart(v)) || strings.HasPrefix(v, "arn:") ||
		strings.HasPrefix(v, "urn:")
}

// uuidLen is the length of a UUID.
const uuidLen = 36

// hasUUID reports whether v is a UUID with words before or behind it: d901b37a-…-external-principals.
func hasUUID(v string) bool {
	for i := 0; i+uuidLen <= len(v); i++ {
		if before := i > 0 && strings.IndexByte("-/", v[i-1]) < 0; before || !recognise.UUID(v[i:i+uuidLen]) {
			continue
		}
		return strings.Trim(v[:i]+v[i+uuidLen:], "abcdefghijklmnopqrstuvwxyz-/0123456789") == ""
	}
	return false
}

// maxResource is the length of the longest id of a resource behind its prefix.
const maxResource = 17

// isResourceID reports whether v is the id of a resource in a cloud: a short word, a hyphen, and small letters and
// digits: subnet-0a1b2c3d. Words of secrets begin none.
func isResourceID(v string) bool {
	word, id, ok := strings.Cut(v, "-")
	return ok && len(word) <= maxResource && len(id) >= 8 && len(id) <= maxResource && word != "sk" && word != "pk" &&
		word != "rk" && isWords(word) && names.Classify(word).Level == names.Harmless &&
		chars.Skip(id, 0, chars.Lower|chars.Digit) == len(id) && strings.ToLower(word) == word
}

func firstPart(v string) string {
	v, _, _ = strings.Cut(v, "/")
	return v
}

// isHexDigest reports whether v is as long as a digest of MD5, SHA-1, SHA-2 or CRC64, in hexadecimal.
func isHexDigest(v string) bool {
	switch len(v) {
	case 16, 24, 32, 40, 64, 96, 128:
		return chars.IsHex(v)
	}
	return false
}

// isULID reports whether v is 26 characters of Crockford's base32 that begin with a time of
// this century (https://github.com/ulid/spec).
func isULID(v string) bool {
	if len(v) != 26 || v[0] != '0' {
		return false
	}
	for i := range len(v) {
		if c := v[i]; chars.Class[c]&(chars.Upper|chars.Digit) == 0 || strings.IndexByte("ILOU", c) >= 0 {
			return false
		}
	}
	return true
}

// isObjectID reports whether v is a short lower-case word, an underscore, and an id, as Stripe has
// them. Words of secrets are none.
func isObjectID(v string) bool {
	word, id, ok := strings.Cut(v, "_")
	if !ok || len(word) < 2 || len(word) > 10 || len(id) > 26 || strings.IndexByte(id, '_') >= 0 ||
		!chars.IsIdentifier(id) && !hasOnlyAlnum(id) {
		return false
	}
	for i := range len(word) {
		if !chars.IsLetter(word[i]) || chars.IsUpper(word[i]) {
			return false
		}
	}
	switch word {
	case "sk", "rk", "pk", "key", "token", "secret", "live", "test", "pat", "api", "whsec", "auth", "tok":
		return false
	}
	n := names.Classify(word)
	return n.Level == names.Harmless || n.Kind.Group() == kinds.GroupPersonal
}

func hasOnlyAlnum(v string) bool { return chars.Skip(v, 0, chars.Alnum) == len(v) }

// hasIDPart reports whether v is names and an id, with separators between them:
// user#01ARZ3NDEKTSV4RRFFQ69G5FAV, session:3f2504e0-….
func hasIDPart(v string) bool {
	i := strings.LastIndexAny(v, "#:/|")
	return i > 0 && (recognise.UUID(v[i+1:]) || isULID(v[i+1:])) && chars.IsFieldLike(strings.NewReplacer("#", "_",
		":", "_", "/", "_").Replace(v[:i]))
}

// isSlug reports whether v is words and numbers with '-' between them, none of which looks drawn by
// chance: build-agent-07, oauth2-pkce-s256, sess-20260112-0007a1.
func isSlug(v string) bool {
	return strings.IndexByte(v, '-') > 0 && !anyPart(v, "-_.", func(part string) bool {
		if len(part) > 12 || len(part) > 8 && !chars.IsDigits(part) && chars.HasDigit(part) || chance.Random(part) {
			return true
		}
		for i := range len(part) {
			if !chars.IsAlnum(part[i]) || chars.IsUpper(part[i]) && i > 0 && !chars.IsUpper(part[i-1]) {
				return true
			}
		}
		return false
	})
}
