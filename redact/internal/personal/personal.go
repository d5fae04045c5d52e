// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package personal

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/codec"
	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/rules"
)

// Detectors find personal data by an anchor; what is made of digits comes
// through MatchDigits and MatchWord.
var Detectors = []kinds.Detector{
	{Kind: kinds.New("ipv6", kinds.GroupPersonal, "an IPv6 address", false), Anchors: []string{":"},
		Match: func(s string, at, _ int) (int, int, bool) { return ipv6At(s, at) }},
	{Kind: kinds.New("email", kinds.GroupPersonal, "an e-mail address", true), Anchors: []string{"@"},
		Match: rules.Named(func(s string, at int) (int, int, string) { return emailAt(s, at) })},
	{Kind: kinds.New("crypto-address", kinds.GroupPersonal, "a crypto address", true), Anchors: []string{"bc1", "0x"},
		Match: rules.Named(func(s string, at int) (int, int, string) {
			b, e := wordAround(s, at)
			if kind := wordKind(s, b, e); kind == "crypto-address" {
				return b, e, kind
			}
			return 0, 0, ""
		})},
}

// numberKinds are what numberAt and wordKind may find.
var numberKinds = [...]struct{ name, group, about string }{
	{"payment-card", kinds.GroupPersonal, "a payment card number with issuer and check digit"},
	{"telegram-token", kinds.GroupToken, "a bot's token"},
	{"facebook-token", kinds.GroupToken, "an app's access token"},
	{"us-ssn", kinds.GroupPersonal, "a US social security number"},
	{"phone-number", kinds.GroupPersonal, "a phone number"},
	{"mac-address", kinds.GroupPersonal, "a MAC address"},
	{"iban", kinds.GroupPersonal, "an international bank account number"},
	{"crypto-address", kinds.GroupPersonal, "a crypto address"},
}

func init() {
	for i := range numberKinds {
		kinds.New(numberKinds[i].name, numberKinds[i].group, numberKinds[i].about, true)
	}
}

// MatchDigits finds cards, phone and social security numbers in a run (see [detector]).
func MatchDigits(s string, start, end int, enabled *kinds.Set) (from, to int, kind kinds.ID, ok bool) {
	for i := start; i < end; {
		if !chars.IsDigit(s[i]) && s[i] != '+' {
			i++
			continue
		}
		a, b, name := numberAt(s, i)
		if name != "" {
			if id := kinds.ByName[name]; enabled.Has(id) {
				return a, b, id, true
			}
		}
		i = max(b, i+1)
	}
	return 0, 0, 0, false
}

// MatchWord finds account numbers and addresses in a word (see [detector]).
func MatchWord(s string, start, end int, enabled *kinds.Set) (from, to int, kind kinds.ID, ok bool) {
	name := wordKind(s, start, end)
	if name == "" && macEnd(s, start) > 0 {
		name = "mac-address"
	}
	if name == "" {
		return 0, 0, 0, false
	}
	if id := kinds.ByName[name]; enabled.Has(id) {
		return start, wordEnd(s, start, end, name), id, true
	}
	return 0, 0, 0, false
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
		if i+1 < len(s) && s[i+1] >= '1' && s[i+1] <= '9' && chars.Class[before]&chars.Alnum == 0 {
			return phoneAt(s, i)
		}
		return 0, i + 1, ""
	}
	if chars.Class[before]&chars.Alnum != 0 || before == '_' {
		if b, e := wordAround(s, i); e > b {
			if kind := wordKind(s, b, e); kind != "" {
				return b, wordEnd(s, b, e, kind), kind
			}
			return 0, e, ""
		}
	}
	if b, e := macAround(s, i); e > 0 {
		return b, e, "mac-address"
	}
	end, digits, groups := digitRun(s, i)
	if end < len(s) && chars.Class[s[end]]&chars.Alnum != 0 && groups == 1 {
		b, e := wordAround(s, i)
		if kind := wordKind(s, b, e); kind != "" {
			return b, e, kind
		}
		return 0, max(end, i+1), ""
	}
	if before == '.' && i > 1 && s[i-2] >= '0' && s[i-2] <= '9' || before == '/' && digits < 12 {
		return 0, max(end, i+1), ""
	}
	return runAt(s, i, end, digits, groups)
}

// runAt says what the run [i,end) of digits in groups is, as numberAt does.
func runAt(s string, i, end, digits, groups int) (start, stop int, kind string) {
	if i > 0 && s[i-1] == ':' && end < len(s) && s[end] == ':' || groups > 2 && inDump(s, i, end) ||
		groups > 5 && groups*2 == digits || groups == 1 && end+1 < len(s) && s[end] == '.' && chars.IsDigit(s[end+1]) {
		return 0, max(end, i+1), ""
	}
	if digits >= 11 && groups > 1 && isEvidentID(s[i:end]) {
		return i, end, "national-id"
	}
	if digits >= 12 {
		if e := cardWithin(s, i, end); e > 0 {
			return i, e, "payment-card"
		}
	}
	if digits >= 8 && digits <= 16 && groups == 1 && rules.Telegram(s, end) && (digits <= 10 || s[end+1] == 'A') {
		return i, end + 36, "telegram-token"
	}
	if (digits == 15 || digits == 16) && groups == 1 {
		if e := rules.AppTokenEnd(s, end); e > 0 {
			return i, e, "facebook-token"
		}
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

// inDump reports whether the digits [i,end) stand among pairs of hexadecimal digits, as in a dump of bytes.
func inDump(s string, i, end int) bool {
	pairs := 0
	for p := i; p >= 3 && s[p-1] == ' ' && isPair(s, p-3) && pairs < 2; p -= 3 {
		pairs++
	}
	for p := end; p+2 < len(s) && s[p] == ' ' && isPair(s, p+1) && pairs < 2; p += 3 {
		pairs++
	}
	return pairs >= 2 || end < len(s) && chars.IsAlnum(s[end]) && chars.Class[s[end]]&chars.Hex != 0
}

// isPair reports whether two hexadecimal digits stand at p by themselves.
func isPair(s string, p int) bool {
	return chars.Class[s[p]]&chars.Class[s[p+1]]&chars.Hex != 0 && (p == 0 || chars.IsSpace(s[p-1])) &&
		(p+2 == len(s) || chars.IsSpace(s[p+2]))
}

// macAround is the MAC address that holds the byte at i; an end of 0 if there is none.
func macAround(s string, i int) (start, end int) {
	for b := i; b >= 0 && i-b <= 15; b -= 3 {
		if e := macEnd(s, b); e > i {
			return b, e
		}
		if b == 0 || s[b-1] != ':' && s[b-1] != '-' {
			break
		}
	}
	return 0, 0
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

// wordAround is the run of letters and digits around i, at most 128 bytes.
func wordAround(s string, i int) (start, end int) {
	start, end = i, i
	start = chars.SkipBack(s, max(0, i-64), start, chars.Alnum)
	end = chars.Skip(s[:min(len(s), i+64)], end, chars.Alnum)
	return start, end
}

// wordKind tells whether the letters and digits from b to e are, or begin, an
// account number or an address.
func wordKind(s string, b, e int) string {
	w := s[b:e]
	switch {
	case len(w) == 2 && macEnd(s, b) > 0:
		return "mac-address"
	case len(w) >= 4 && chars.IsLetter(w[0]) && chars.IsLetter(w[1]) && chars.IsDigit(w[2]) && chars.IsDigit(w[3]) &&
		ibanEnd(s, b) > 0:
		return "iban"
	case len(w) >= 26 && len(w) <= 35 && (w[0] == '1' || w[0] == '3') && codec.Base58Check(w, 25):
		return "crypto-address"
	case len(w) >= 42 && len(w) <= 62 && strings.HasPrefix(w, "bc1") && strings.Trim(w[3:], bech32) == "":
		return "crypto-address"
	case len(w) == 42 && (strings.HasPrefix(w, "0x")) && chars.IsHex(w[2:]):
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
