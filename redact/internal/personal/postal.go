// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package personal

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/names"
)

// maxAddress is the longest address, in bytes.
const maxAddress = 160

// streetWords are words for streets and places, in small letters and without accents.
var streetWords = names.Set("street st road rd avenue ave lane ln drive dr boulevard blvd court ct square sq close way " +
	"place pl terrace highway hwy parkway crescent apt flat unit suite floor house box " +
	"rue av bd quai chemin allee impasse place route cours " +
	"calle avenida plaza paseo carrera ctra camino col colonia rua travessa praca largo estrada alameda bairro " +
	"via viale piazza corso vicolo strada str strasse stradela ul ulica al aleja os osiedle pl plac " +
	"bulevardul aleea nam ulitsa jalan jl gang lorong taman duong phuong quan pho sokak sok cadde cad mah mahallesi " +
	"bulvar utca ut ter korut nagar marg road")

// streetEnds are what words for streets end with.
var streetEnds = strings.Split("strasse|straße|str|gasse|weg|platz|allee|ring|damm|ufer|straat|laan|plein|gracht|"+
	"kade|gade|gata|gatan|gate|vej|vejen|veien|vagen|vägen|katu|tie|utca|utja", "|")

// particles stand between the words of addresses.
var particles = names.Set("de da do dos das di dei degli delle del della la le les l du des el los las van der den of " +
	"y e und a bis ter no nr n apt c/o in am im an auf zum zur te het 't på vid d kv bus bte dom aux sur sous lgh m lok bei")

// An addressReader reads an address word by word.
type addressReader struct {
	number, word, street, comma, post bool
	words, lower                      int
	end                               int
}

// addressForm is the end of an address that begins at i: numbers and words with capitals. A weak name of an address
// needs a word for a street, a postcode, or parts with commas between them. It is 0 if there is none.
func addressForm(s string, i int, weak bool) int {
	if cjk := eastAddress(s, i); cjk > 0 {
		return cjk
	}
	if len(s) > i+3 && chars.OneOf("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec", s[i:i+3]) && dated(s, i) {
		return 0 // an address was given on a day
	}
	var a addressReader
	for p, more := i, true; more && p < len(s) && p-i < maxAddress; {
		q := p
		for q < len(s) && strings.IndexByte(" ,+\n\r\t\"|;&<>{}=@[]\\*`:_", s[q]) < 0 {
			q++
		}
		if q == p || q < len(s) && (strings.IndexByte("=@_\\{", s[q]) >= 0 && s[q] != '\\' || strings.HasPrefix(s[q:], "://")) ||
			!a.addToken(s[p:q]) {
			break
		}
		p, more = a.endToken(s, p, q)
	}
	if !a.number || !a.word || a.end == 0 || weak && !a.street && !(a.comma && a.words > 1) && !(a.post && a.words > 0) {
		return 0
	}
	return chars.SkipBackAny(s, i, a.end, " .,+")
}

// dated reports whether the word at i has a day behind it, with a comma and a year: January 30, 1961.
func dated(s string, i int) bool {
	p := chars.Skip(s, i, chars.Lower|chars.Upper)
	q := chars.Skip(s, min(p+1, len(s)), chars.Digit)
	return q > p+1 && q-p <= 3 && strings.HasPrefix(s[q:], ", ") && chars.Skip(s, q+2, chars.Digit) == q+6
}

// endToken ends the token [p,q), and returns where the next one begins and whether the address goes on.
func (a *addressReader) endToken(s string, p, q int) (next int, more bool) {
	if q < len(s) && s[q] == ':' && !numberWord(s[p:q]) || sentenceEnd(s, p, q) {
		a.endsAt(p, q, s)
		return q, false
	}
	if q < len(s) && s[q] == ':' {
		q++
	}
	if q < len(s) && s[q] == ',' {
		a.comma = true
		q++
	}
	a.endsAt(p, q, s)
	if q < len(s) && (s[q] == ' ' || s[q] == '+') {
		return q + 1, true
	}
	return q, q < len(s) && s[q-1] == ','
}

// endsAt notes that the token [p,q) belongs to the address, unless it is a particle.
func (a *addressReader) endsAt(p, q int, s string) {
	if token := strings.Trim(s[p:q], ".,"); !particles[token] {
		a.end = q
	}
}

// sentenceEnd reports whether the token [p,q) ends a sentence: a long word with a full stop, and no number behind it.
func sentenceEnd(s string, p, q int) bool {
	return q-p > 6 && s[q-1] == '.' && !chars.HasDigit(s[p:min(len(s), q+2)])
}

// addToken reads a word of an address, and reports whether it may be one.
func (a *addressReader) addToken(token string) bool {
	bare := strings.Trim(token, ".()#№'’")
	if bare == "" {
		return len(token) == 1 && a.words > 0
	}
	digits := 0
	for i := range len(bare) {
		if chars.IsDigit(bare[i]) {
			digits++
		}
	}
	if digits > 0 {
		return a.addNumber(bare, digits)
	}
	folded := foldWord(bare)
	street := streetWords[folded]
	for _, end := range streetEnds {
		street = street || len(folded) > len(end)+1 && strings.HasSuffix(folded, end)
	}
	switch {
	case bare[0] >= 0x80 || chars.IsUpper(bare[0]):
		a.words++
		a.word = a.word || len(bare) >= 3
	case street && (a.number || a.words == 0 || len(folded) > 3):
		a.words++
		a.word = true
	case particles[folded]:
		return true
	case a.number && a.lower < 3 && !a.street && !sentenceWords[folded], a.street && a.comma && a.lower < 5 &&
		!sentenceWords[folded]:
		a.lower++ // 12 oak street, springfield
		return true
	default:
		return false
	}
	a.street = a.street || street
	return true
}

// addNumber reads a word with so many digits, a house number or a postcode, and reports whether it may be
// one.
func (a *addressReader) addNumber(word string, digits int) bool {
	if digits > 8 || len(word) > 14 || strings.Count(word, ".") > 1 ||
		strings.IndexByte(word, '.') > 0 && digits == len(word)-1 || strings.HasPrefix(word, "0x") {
		return false
	}
	if len(word) > 3 && chars.Skip(word[:3], 0, chars.Lower|chars.Upper) == 3 { // IPv4
		return true
	}
	a.number = true
	a.post = a.post || a.words > 0 && (digits >= 4 && digits <= 6 && !chars.IsLetter(word[0]) || isPostcode(word))
	return true
}

// sentenceWords are words of sentences, with which an address ends.
var sentenceWords = names.Set("and but so please which the is was where since from until thanks with for are or if it " +
	"this that has have in on at to as by not be already bytes bits items lines times use used invalid")

// isPostcode reports whether v is a part of a British, Canadian or Irish postcode: SW1A, 1AA, K1A.
func isPostcode(v string) bool {
	return len(v) >= 3 && len(v) <= 4 && strings.ToUpper(v) == v && !chars.IsDigits(v) && strings.IndexByte(v, '-') < 0
}

// foldWord is a word in small letters; of letters with accents only those of streetWords' languages matter.
func foldWord(v string) string { return accents.Replace(strings.ToLower(v)) }

// eastAddress is the end of an address of Chinese, Japanese or Korean letters and a number at i, or 0.
func eastAddress(s string, i int) int {
	letters, digit, end := 0, false, i
	for k, r := range s[i:min(len(s), i+2*maxAddress)] {
		if strings.ContainsRune("\n\r\t\"|;&<>{}=@[]\\*`:_。、「」", r) || r == ',' && letters < 2 {
			break
		}
		if eastAsian(r) {
			letters++
		} else if letters == 0 && k > 12 {
			return 0
		}
		digit = digit || r >= '0' && r <= '9' || r >= '０' && r <= '９' || strings.ContainsRune("一二三四五六七八九十", r)
		end = i + k + len(string(r))
	}
	if letters < 3 || !digit {
		return 0
	}
	return chars.SkipBackAny(s, i, end, " .,")
}
