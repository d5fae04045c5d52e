// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package values

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/names"
)

// smallWords are the articles, pronouns and verbs of sentences in several languages.
var smallWords = names.Set("you we they not don't has have can could does did please enter type no yes any all new but " +
	"der die das ein ist nicht bitte mit und le la les un une est pas du et el los las es y o il lo di non per " +
	"os um uma não het een niet en na til ikke er nie jest для не и в на de del")

// isMessage reports whether v is words that tell a person something rather than a secret of several words: a prompt,
// an error, the text of a form. Words alone are no evidence, as passphrases have them. Two of these are: a capital at
// the head alone, two words or more than six with it, an acronym, the end of a sentence, small words (each counts), the
// name of a secret, a place to fill in, a call whose argument v is, and a name that tells what is done with the secret.
// Small words alone are not enough, as passphrases have them, too, unless one that speaks of a field comes first. With a
// number at the end v may be a password.
func isMessage(v, name string, o Operand) bool {
	if len(v) > 400 {
		return false
	}
	if isForeignText(v) {
		return true
	}
	action := 0
	if slices.ContainsFunc(actions[:], func(action string) bool { return chars.ContainsFold(name, action) }) {
		if action = 1; chars.IsUpper(v[0]) && !chars.ContainsFold(name, "confirm") {
			action = 2
			v = strings.ReplaceAll(v, "-", " ")
		}
	}
	if strings.IndexByte(v, ' ') <= 0 {
		return false
	}
	first, _, _ := strings.Cut(v, " ")
	count, points, capitals, small, acronyms := 0, action, 0, 0, 0
	for word := range strings.SplitSeq(v, " ") {
		bare := strings.Trim(word, `.,:;?!()'"-\*`)
		low := strings.ToLower(bare)
		switch {
		case bare == "":
			continue
		case isFilledIn(bare):
			points++
		case !isWordOfText(bare):
			return false
		case len(bare) > maxSmallWord:
		case functionWords[low] || proseWords[low] || saysWords[low] || smallWords[low]:
			small++
		}
		if names.Classify(bare).Level == names.Secret {
			points++
		}
		if count++; chars.IsUpper(bare[0]) && len(bare) > 1 && low[1:] == bare[1:] {
			capitals++
		} else if len(bare) > 1 && chars.Skip(bare, 0, chars.Upper) == len(bare) {
			acronyms++
		}
	}
	if count < 2 || chars.IsDigit(v[len(v)-1]) {
		return false
	}
	if capitals == 1 && chars.IsUpper(v[0]) {
		points++
		if count == 2 || count > 6 {
			points++
		}
	}
	if acronyms > 0 && acronyms < count {
		points++
	}
	if end := strings.TrimRight(v, " "); strings.IndexByte(".?:", end[len(end)-1]) >= 0 {
		points++
	}
	if o.Op == '(' {
		points++
	}
	return points+small >= 2 && (points > 0 || saysWords[first])
}

// actions are in the names of texts about what is done with a secret.
var actions = [...]string{"create", "update", "delete", "reset", "confirm", "change", "success", "warning", "incorrect",
	"users_", "form.", "menu.", "page."}

// isForeignText reports whether v is text that passwords seldom are, without digits but in a sentence: characters of Chinese,
// Japanese or Korean, or several words with letters beyond ASCII that do not begin with a small letter.
func isForeignText(v string) bool {
	wide, beyond := 0, false
	for i := range len(v) {
		switch {
		case chars.IsDigit(v[i]):
			number := i > 0 && i+1 < len(v) && v[i-1] == ' ' && v[i+1] == ' '
			if !number && (i == 0 || v[i-1] < 0x80 || !strings.HasSuffix(v, "。")) {
				return false
			}
		case v[i] >= 0xe3: // of UTF-8 the first byte of these scripts
			wide++
		case v[i] >= 0x80:
			beyond = true
		}
	}
	first, _ := utf8.DecodeRuneInString(v)
	return wide > 1 || beyond && strings.IndexByte(v, ' ') > 0 && !unicode.IsLower(first)
}

// maxSmallWord is the longest of the words of sentences, in bytes.
const maxSmallWord = len("specifies")

// isWordOfText reports whether v is letters of any script, with apostrophes and dashes between them, or a short number.
func isWordOfText(v string) bool {
	if len(v) <= 3 && chars.IsDigits(v) {
		return true
	}
	for i := range len(v) {
		if !chars.IsLetter(v[i]) && v[i] < 0x80 && (i == 0 || strings.IndexByte(`'-/\`, v[i]) < 0) {
			return false
		}
	}
	return true
}

// isFilledIn reports whether v is where a program fills something in: %s, {}, {name}, ${data.x}.
func isFilledIn(v string) bool {
	v = strings.TrimPrefix(v, "$")
	n := len(v)
	return n >= 2 && (v[0] == '%' && n <= 3 && chars.IsLetter(v[n-1]) || v[0] == '{' && v[n-1] == '}' &&
		(n == 2 || chars.IsDotted(v[1:n-1]) || chars.IsDigits(v[1:n-1])))
}

// terms are the parts of the names of algorithms, modes, formats and schemes.
var terms = names.Set("sha md hmac aes des rsa rsassa dsa ecdsa eddsa ed ec ecdh pbkdf scrypt bcrypt argon id blake " +
	"ripemd crc cbc gcm ctr ecb cfb ofb ccm pss pkcs oaep padding with and hs rs es ps none utf iso ascii base hex " +
	"latin json xml application text html form www url urlencoded scram basic bearer digest x p chacha poly tls ssl " +
	"rc hkdf kdf 15 16 32 64 128 160 192 224 256 384 512 521 1024 2048 3072 4096 8859 1305 25519")

// isTechnical reports whether v is what an algorithm, a mode or a format is called: SHA-256, PBKDF2WithHmacSHA1,
// AES/CBC/PKCS5Padding, utf-8, application/json.
func isTechnical(v string) bool {
	if len(v) > 40 || !chars.IsLetter(v[0]) {
		return false
	}
	for i := 0; i < len(v); {
		start := i
		switch c := v[i]; {
		case chars.IsDigit(c):
			if i = chars.Skip(v, i, chars.Digit); i-start > 1 && !terms[v[start:i]] {
				return false
			}
		case chars.IsUpper(c):
			i = chars.Skip(v, i, chars.Upper)
			if low := chars.Skip(v, i, chars.Lower); low > i {
				if i-start > 1 { // the last capital begins a word: SHAWith
					i--
				} else {
					i = low
				}
			}
		case chars.IsLetter(c):
			i = chars.Skip(v, i, chars.Lower)
		case strings.IndexByte("-_/.", c) >= 0:
			i++
			continue
		default:
			return false
		}
		var b [16]byte
		if !chars.IsLetter(v[start]) {
			continue
		}
		n := 0
		for ; n < len(b) && start+n < i; n++ {
			b[n] = chars.Fold[v[start+n]]
		}
		if !terms[string(b[:n])] {
			return false
		}
	}
	return true
}
