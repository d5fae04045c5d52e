// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"crypto/sha256"
	"math/big"
	"strings"
)

// emailAt finds the address (RFC 5322, 3.4.1, in its usual form) around the @ at i.
func emailAt(s string, i, last int) (start, end int, kind string) {
	start = i
	for start > last && i-start < 64 && (alphabets[s[start-1]]&dots != 0 || strings.IndexByte("+%'!#&*=^~", s[start-1]) >= 0 || s[start-1] >= 0x80) {
		start--
	}
	for start < i && strings.IndexByte(".'=&*", s[start]) >= 0 {
		start++
	}
	end = i + 1
	dot := 0
	for end < len(s) && end-i < 254 && (alphabets[s[end]]&url != 0 && s[end] != '_' || s[end] == '.' || s[end] >= 0x80) {
		if s[end] == '.' {
			dot = end
		}
		end++
	}
	for end > i && (s[end-1] == '.' || s[end-1] == '-') {
		end--
	}
	if dot >= end {
		dot = strings.LastIndexByte(s[i+1:end], '.') + i + 1
	}
	if start == i || dot <= i+1 || end-dot < 3 || s[i-1] == '.' {
		return 0, 0, ""
	}
	for _, c := range s[dot+1 : end] {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80) && !strings.HasPrefix(s[dot+1:], "xn--") {
			return 0, 0, ""
		}
	}
	local := s[start:i]
	if local == "git" || local == "noreply" || local == "no-reply" {
		return 0, 0, ""
	}
	return start, end, "email"
}

// numberAt looks at a run of digits, with the separators that numbers for people
// have, that begins at i: payment cards, IBAN, phone numbers, US social security
// numbers, MAC and crypto addresses. Where nothing is found, end tells how far it
// looked.
func numberAt(s string, i int) (start, end int, kind string) {
	before := byte(' ')
	if i > 0 {
		before = s[i-1]
	}
	if s[i] == '+' {
		if i+1 < len(s) && s[i+1] >= '1' && s[i+1] <= '9' && alphabets[before]&alnum == 0 {
			return phoneAt(s, i)
		}
		return 0, i + 1, ""
	}
	if alphabets[before]&alnum != 0 || before == '_' {
		if b, e := wordAround(s, i); e > b {
			if kind := wordKind(s, b, e); kind != "" {
				return b, wordEnd(s, b, e, kind), kind
			}
			return 0, e, ""
		}
	}
	for b := i; b >= 0 && i-b <= 15; b -= 3 {
		if e := macEnd(s, b); e > i {
			return b, e, "mac-address"
		}
		if b == 0 || s[b-1] != ':' && s[b-1] != '-' {
			break
		}
	}
	end, digits, groups := digitRun(s, i)
	if end < len(s) && alphabets[s[end]]&alnum != 0 && groups == 1 {
		b, e := wordAround(s, i)
		if kind := wordKind(s, b, e); kind != "" {
			return b, e, kind
		}
		return 0, max(end, i+1), ""
	}
	if before == '.' && i > 1 && s[i-2] >= '0' && s[i-2] <= '9' || before == '/' && digits < 12 {
		return 0, max(end, i+1), ""
	}
	if digits >= 12 {
		if e := cardWithin(s, i, end); e > 0 {
			return i, e, "payment-card"
		}
	}
	if digits >= 8 && digits <= 10 && groups == 1 && telegram(s, end) {
		return i, end + 36, "telegram-token"
	}
	if digits == 9 {
		if e := ssnEnd(s, i, end); e > 0 {
			return i, e, "us-ssn"
		}
	}
	if b, e := phoneNumber(s, i, end, digits, groups); e > 0 {
		return b, e, "phone-number"
	}
	return 0, max(end, i+1), ""
}

// digitRun is the end of digits with single blanks, dashes, dots or parentheses
// between them, how many there are and in how many groups.
func digitRun(s string, i int) (end, digits, groups int) {
	groups, end = 1, i
	for p := i; p < len(s) && digits < 32; p++ {
		c := s[p]
		if c >= '0' && c <= '9' {
			digits++
			end = p + 1
			continue
		}
		if (c == ' ' || c == '-' || c == '.' || c == ')' || c == '(') && p+1 < len(s) {
			n := s[p+1]
			if n >= '0' && n <= '9' {
				groups++
				continue
			}
			if (c == ')' && n == ' ' || c == ' ' && n == '(') && p+2 < len(s) && s[p+2] >= '0' && s[p+2] <= '9' {
				continue
			}
		}
		break
	}
	return end, digits, groups
}

// cardWithin is the end of a card number that begins at i and ends with the run, or
// with one of its groups: numbers may follow one another.
func cardWithin(s string, i, end int) int {
	for p := end; p > i+11; p-- {
		if p < end && (isDigit(s[p]) || !isDigit(s[p-1])) {
			continue
		}
		if e := cardEnd(s, i, p); e > 0 {
			return e
		}
	}
	return 0
}

// telegram reports whether a bot's token goes on at i, after its number: a colon
// and 35 characters.
func telegram(s string, i int) bool {
	if i+36 > len(s) || s[i] != ':' || i+36 < len(s) && alphabets[s[i+36]]&url != 0 {
		return false
	}
	for _, c := range []byte(s[i+1 : i+36]) {
		if alphabets[c]&url == 0 {
			return false
		}
	}
	return true
}

// cardEnd is the end of a payment card number (ISO/IEC 7812-1: issuer's digits and
// the Luhn check) that begins at i.
func cardEnd(s string, i, end int) int {
	if i > 0 && (s[i-1] == '-' || s[i-1] == '.') || strings.IndexByte(s[i:end], '.') >= 0 || strings.IndexByte(s[i:end], '(') >= 0 {
		return 0
	}
	var d [19]byte
	n := 0
	for p := i; p < end; p++ {
		if c := s[p]; c >= '0' && c <= '9' {
			if n == len(d) {
				return 0
			}
			d[n] = c - '0'
			n++
		}
	}
	if !luhn(d[:n]) || !issuer(d[:n]) {
		return 0
	}
	return end
}

func luhn(d []byte) bool {
	sum := 0
	for k := range d {
		v := int(d[len(d)-1-k])
		if k%2 == 1 {
			if v *= 2; v > 9 {
				v -= 9
			}
		}
		sum += v
	}
	return sum%10 == 0
}

// issuer reports whether the first digits are those of a card network, with a length
// that it uses.
func issuer(d []byte) bool {
	n := len(d)
	two, four := int(d[0])*10+int(d[1]), int(d[0])*1000+int(d[1])*100+int(d[2])*10+int(d[3])
	switch {
	case d[0] == 4:
		return n == 13 || n == 16 || n == 19
	case two >= 51 && two <= 55, four >= 2221 && four <= 2720:
		return n == 16
	case two == 34 || two == 37:
		return n == 15
	case two == 36 || two == 38 || two == 39 || four >= 3000 && four <= 3059 || four == 3095:
		return n >= 14 && n <= 19
	case four == 2131 || four == 1800:
		return n == 15
	case four >= 3528 && four <= 3589:
		return n >= 16
	case two == 50 || two >= 56 && two <= 69:
		return n >= 12
	case two == 62 || two == 81 || two == 82 || two == 22:
		return n >= 16
	}
	return false
}

// ssnEnd is the end of a US social security number in the form 123-45-6789.
func ssnEnd(s string, i, end int) int {
	v := s[i:end]
	if len(v) == 9 && !near(s, i, "ssn", "social security") || len(v) != 9 && !(len(v) == 11 && v[3] == v[6] && (v[3] == '-' || v[3] == ' ' || v[3] == '.')) {
		return 0
	}
	if len(v) == 11 && v[3] != '-' && !near(s, i, "ssn", "social security") {
		return 0
	}
	area, serial := v[:3], v[len(v)-4:]
	group := v[3:5]
	if len(v) == 11 {
		group = v[4:6]
	}
	if area == "000" || area == "666" || area[0] == '9' || group == "00" || serial == "0000" || v == "078-05-1120" || v == "123-45-6789" {
		return 0
	}
	return end
}

// nearBy is how far before a number a word may stand that says what it is, in bytes.
const nearBy = 48

// near reports whether one of the words stands shortly before i. Of our own marks
// nothing counts, also where one begins farther away.
func near(s string, i int, words ...string) bool {
	from := max(0, i-nearBy)
	seen := s[max(0, from-maxMark):i]
	if m := strings.LastIndex(seen, markHead); m >= 0 {
		if end := strings.IndexByte(seen[m:], ']'); end >= 0 {
			from = max(from, i-len(seen)+m+end+1)
		}
	}
	for _, w := range words {
		if containsFold(s[from:i], w) {
			return true
		}
	}
	return false
}

var phoneWords = []string{"phone", "call", "tel", "mobile", "cell", "fax", "contact", "dial", "answering", "reach", "whatsapp", "text me", "number is", "sms"}

// phoneAt finds an international number (ITU-T E.164) after the + at i.
func phoneAt(s string, i int) (start, end int, kind string) {
	end, digits, _ := digitRun(s, i+1)
	if digits < 8 || digits > 15 || end < len(s) && alphabets[s[end]]&alnum != 0 {
		return 0, max(end, i+1), ""
	}
	return i, end, "phone-number"
}

// phoneNumber finds a national number: the North American form, groups that begin
// with 0, or any groups of digits after a word that announces a phone number.
func phoneNumber(s string, i, end, digits, groups int) (start, stop int) {
	if digits < 7 || digits > 15 || end < len(s) && (s[end] == ':' || s[end] == '/' || s[end] == '%' || s[end] == '-' && end+1 < len(s) && isDigit(s[end+1])) {
		return 0, 0
	}
	v := s[i:end]
	start = i
	if i > 0 && s[i-1] == '(' {
		start--
	}
	if i > 0 && (s[i-1] == '-' || s[i-1] == ':' || s[i-1] == '#') {
		return 0, 0
	}
	switch {
	case isDate(v):
		return 0, 0
	case northAmerican(v, start < i):
		return start, end
	case groups == 1 && digits == 11 && (v[:2] == "09" || v[:2] == "07"):
		return start, end
	case phoneKind(s[end:]):
		return start, end
	case groups >= 3 && v[0] == '0' && digits >= 9 && digits <= 12 && strings.IndexByte(v, '.') < 0:
		return start, end
	case groups >= 2 && near(s, start, phoneWords...), digits >= 9 && near(s, start, "phone", "tel:", "mobile", "call me", "fax"):
		return start, end
	}
	return 0, 0
}

// phoneKind reports whether a number is followed by what kind of phone it is.
func phoneKind(after string) bool {
	for _, k := range []string{"-Office", "-Fax", "-Home", "-Mobile", "-Cell", "-Work"} {
		if len(after) >= len(k) && strings.EqualFold(after[:len(k)], k) {
			return true
		}
	}
	return false
}

func isDate(v string) bool {
	return len(v) >= 8 && (v[4] == '-' || v[4] == '.' || v[4] == '/') && (v[:2] == "19" || v[:2] == "20") || len(v) >= 8 && len(v) <= 10 && (v[2] == '-' || v[2] == '.') && v[5] == v[2]
}

// northAmerican reports whether v is 555-123-4567, (555) 123-4567 or 555.123.4567,
// with an optional 1 before, as the numbering plan allows it.
func northAmerican(v string, opened bool) bool {
	if strings.HasPrefix(v, "1-") || strings.HasPrefix(v, "1 ") || strings.HasPrefix(v, "1.") {
		v = v[2:]
	}
	if len(v) < 12 || len(v) > 14 {
		return false
	}
	if opened {
		return v[3] == ')' && len(v) >= 12
	}
	return len(v) == 12 && v[3] == v[7] && (v[3] == '-' || v[3] == '.') && v[0] >= '2' && v[4] >= '2'
}

// macEnd is the end of a MAC address (IEEE 802) that begins at i; broadcast and
// zero addresses name nobody.
func macEnd(s string, i int) int {
	if i+17 > len(s) || i+17 < len(s) && (alphabets[s[i+17]]&alnum != 0 || s[i+17] == ':' || s[i+17] == '-') {
		return 0
	}
	v := s[i : i+17]
	sep := v[2]
	if sep != ':' && sep != '-' {
		return 0
	}
	for k := range 17 {
		if k%3 == 2 {
			if v[k] != sep {
				return 0
			}
		} else if alphabets[v[k]]&lowHex == 0 {
			return 0
		}
	}
	if strings.EqualFold(v, "ff:ff:ff:ff:ff:ff") || strings.Trim(v, "0:-") == "" || strings.EqualFold(v, "ff-ff-ff-ff-ff-ff") {
		return 0
	}
	return i + 17
}

// wordAround is the run of letters and digits around i, at most 128 bytes.
func wordAround(s string, i int) (start, end int) {
	start, end = i, i
	for start > 0 && i-start < 64 && alphabets[s[start-1]]&alnum != 0 {
		start--
	}
	for end < len(s) && end-i < 64 && alphabets[s[end]]&alnum != 0 {
		end++
	}
	return start, end
}

// wordKind tells whether the letters and digits from b to e are, or begin, an
// account number or an address.
func wordKind(s string, b, e int) string {
	w := s[b:e]
	switch {
	case len(w) == 2 && macEnd(s, b) > 0:
		return "mac-address"
	case len(w) >= 4 && isLetter(w[0]) && isLetter(w[1]) && isDigit(w[2]) && isDigit(w[3]) && ibanEnd(s, b) > 0:
		return "iban"
	case len(w) >= 26 && len(w) <= 35 && (w[0] == '1' || w[0] == '3') && base58Check(w):
		return "crypto-address"
	case len(w) >= 42 && len(w) <= 62 && strings.HasPrefix(w, "bc1"):
		return "crypto-address"
	case len(w) == 42 && (strings.HasPrefix(w, "0x")) && isHex(w[2:]):
		return "crypto-address"
	}
	return ""
}

func wordEnd(s string, b, e int, kind string) int {
	switch kind {
	case "iban":
		return ibanEnd(s, b)
	case "mac-address":
		return b + 17
	}
	return e
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

func isHex(v string) bool {
	for i := range len(v) {
		if alphabets[v[i]]&lowHex == 0 {
			return false
		}
	}
	return true
}

// ibanEnd is the end of an IBAN (ISO 13616: two letters, two check digits, up to 30
// more, blanks between groups, remainder 1 modulo 97) that begins at b.
func ibanEnd(s string, b int) int {
	remainder, n, end := 0, 0, 0
	var text [34]byte
	p := b
	for ; p < len(s) && n < len(text); p++ {
		c := s[p]
		if c >= 'a' && c <= 'z' {
			c -= 0x20
		}
		switch {
		case c >= '0' && c <= '9' || c >= 'A' && c <= 'Z':
			text[n] = c
			n++
			end = p + 1
			continue
		case (c == ' ' || c == '-') && n%4 == 0 && p+1 < len(s) && alphabets[s[p+1]]&alnum != 0:
			continue
		}
		break
	}
	for ; n >= 15; n-- { // the longest prefix that fits: words may follow
		if p < len(s) && end < len(s) && alphabets[s[end]]&alnum != 0 {
			// inside a word
		} else {
			remainder = 0
			for k := range n {
				c := text[(k+4)%n]
				if c >= 'A' {
					remainder = (remainder*100 + int(c-'A') + 10) % 97
				} else {
					remainder = (remainder*10 + int(c-'0')) % 97
				}
			}
			if remainder == 1 {
				return end
			}
		}
		end--
		for end > b && (s[end-1] == ' ' || s[end-1] == '-') {
			end--
		}
	}
	return 0
}

const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

// base58Check reports whether w is a Bitcoin address with its check bytes.
func base58Check(w string) bool {
	n := new(big.Int)
	for i := range len(w) {
		d := strings.IndexByte(base58, w[i])
		if d < 0 {
			return false
		}
		n.Mul(n, big.NewInt(58)).Add(n, big.NewInt(int64(d)))
	}
	if n.BitLen() > 200 {
		return false
	}
	var raw [25]byte
	n.FillBytes(raw[:])
	one := sha256.Sum256(raw[:21])
	two := sha256.Sum256(one[:])
	return string(two[:4]) == string(raw[21:])
}
