// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	b64 "encoding/base64"
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
)

// keyForms know keys by what stands at their end or within them, and private keys
// without the lines that PEM puts around them.
var keyForms = [...]form{
	{"azure-key", "a key of an Azure service, by the signature within it",
		"jqqj9 azdo azfu azse acdb azca", false, true, azureKeyAt},
	{"clickup-token", "pk_, a number, and 32 capitals and digits",
		"pk_", false, false, clickupAt},
	{"maxmind-key", "a licence key that ends with _mmk",
		"_mmk", false, true, maxmindAt},
	{"newrelic-key", "a licence key that ends with NRAL",
		"nral", false, true, licenceAt},
	{"password-hash", "a password's hash by bcrypt or Argon2",
		"$2a$ $2b$ $2y$ rgon2", false, true, hashAt},
	{"private-key", "a private key in base64",
		"mii mhccaqe mbmgbyqgsm49 mc4caqawbqydk2vw b3blbnnzac1rzxk", false, true, bareKeyAt},
	{"private-key", "the private lines of a PuTTY key",
		"private-lines:", false, false, puttyAt},
}

// before is where n characters of base64's alphabets begin that stand before i, with
// another character, or none, before them; -1 if they do not.
func before(s string, i, n int) int {
	start := i - n
	if start < 0 || start > 0 && chars.IsAlnum(s[start-1]) {
		return -1
	}
	for _, c := range []byte(s[start:i]) {
		if chars.Class[c]&chars.B64 == 0 {
			return -1
		}
	}
	return start
}

// runEnd is the end of the run of base64's alphabets that begins at i, at most 64 bytes.
func runEnd(s string, i int) int {
	end := i
	end = chars.Skip(s[:min(len(s), i+64)], end, chars.B64)
	return end
}

// azureSignatures are what identifiable keys hold, and how many characters stand before
// and follow it: https://github.com/microsoft/security-utilities tells the forms.
var azureSignatures = []struct {
	mark     string
	before   int
	min, max int // behind
}{
	{"JQQJ9", 52, 27, 30}, {"AZDO", 76, 4, 4}, {"AzFu", 44, 6, 6}, {"AzSe", 42, 6, 6}, {"ACDb", 76, 6, 6}, {"AzCa", 33, 6, 6},
}

// azureKeyAt finds a key around the signature at i.
func azureKeyAt(s string, i int) (start, end int, kind string) {
	for _, k := range azureSignatures {
		if !strings.HasPrefix(s[i:], k.mark) {
			continue
		}
		start, end = before(s, i, k.before), runEnd(s, i+len(k.mark))
		if n := end - i - len(k.mark); start < 0 || n < k.min || n > k.max {
			return 0, 0, ""
		}
		end = chars.Skip(s, end, chars.Equal)
		return start, end, "azure-key"
	}
	return 0, 0, ""
}

// clickupAt finds the token whose "pk_" is at i.
func clickupAt(s string, i int) (start, end int, kind string) {
	end = i + len("pk_")
	number := end
	end = chars.Skip(s, end, chars.Digit)
	if n := end - number; n < 5 || n > 12 || end == len(s) || s[end] != '_' {
		return 0, 0, ""
	}
	key := end + 1
	for end = key; end < len(s) && chars.Class[s[end]]&(chars.Upper|chars.Digit) != 0; end++ {
	}
	if end-key != 32 || end < len(s) && chars.IsAlnum(s[end]) || i > 0 && chars.IsAlnum(s[i-1]) || !chars.HasDigit(s[key:end]) {
		return 0, 0, ""
	}
	return i, end, "clickup-token"
}

// maxmindAt finds the key that ends with the "_mmk" at i: six characters, an underscore,
// and 29 more before it.
func maxmindAt(s string, i int) (start, end int, kind string) {
	start, end = before(s, i, 36), i+len("_mmk")
	if start < 0 || s[start+6] != '_' || s[i:end] != "_mmk" || end < len(s) && chars.IsAlnum(s[end]) {
		return 0, 0, ""
	}
	return start, end, "maxmind-key"
}

// licenceAt finds the key of 40 characters that ends with the "NRAL" at i.
func licenceAt(s string, i int) (start, end int, kind string) {
	start, end = before(s, i, 36), i+len("NRAL")
	if start < 0 || s[i:end] != "NRAL" || end < len(s) && chars.IsAlnum(s[end]) || !chars.HasDigit(s[start:i]) {
		return 0, 0, ""
	}
	return start, end, "newrelic-key"
}

// hashAt finds a hash in the form of crypt(3): "$2b$12$" and 53 characters, or Argon2's
// parameters, salt and hash.
func hashAt(s string, i int) (start, end int, kind string) {
	if s[i] != '$' { // of "argon2"
		start = i - len("$a")
		if start < 0 || !strings.HasPrefix(s[start:], "$argon2") {
			return 0, 0, ""
		}
		for end = i; end < len(s) && (chars.Class[s[end]]&chars.B64 != 0 || strings.IndexByte("$=,.", s[end]) >= 0); end++ {
		}
		if strings.Count(s[start:end], "$") < 4 || end-start < 60 {
			return 0, 0, ""
		}
		return start, end, "password-hash"
	}
	const head, body = len("$2b$12$"), 53
	end = i + head + body
	if end > len(s) || !chars.IsDigit(s[i+4]) || !chars.IsDigit(s[i+5]) || s[i+6] != '$' || end < len(s) &&
		chars.IsAlnum(s[end]) {
		return 0, 0, ""
	}
	for _, c := range []byte(s[i+head : end]) {
		if !chars.IsAlnum(c) && c != '.' && c != '/' {
			return 0, 0, ""
		}
	}
	return i, end, "password-hash"
}

// maxKey is how long a private key in base64 may be, in bytes: RSA with 16384 bits.
const maxKey = 16 << 10

// bareKeyAt finds a private key in base64 without PEM's lines, on one or on several: DER of
// PKCS #1, PKCS #8 or SEC 1, which begin with a version, or OpenSSH's own form.
func bareKeyAt(s string, i int) (start, end int, kind string) {
	const header = 8 // "MIGHAgEA" before an elliptic curve's identifier
	start = i
	if chars.HasFold(s, i, "mbmg") {
		start -= header
	}
	if start < 0 || start > 0 && (chars.IsAlnum(s[start-1]) || s[start-1] == '+' || s[start-1] == '/') ||
		!isKeyHead(s[start:]) {
		return 0, 0, ""
	}
	for end = start; end < len(s) && end-start < maxKey; {
		if chars.Class[s[end]]&(chars.URL|chars.Base64) != 0 {
			end++
			continue
		}
		next := nextKeyLine(s, end)
		if next < 0 {
			break
		}
		end = next
	}
	if end-start < 64 {
		return 0, 0, ""
	}
	return start, end, "private-key"
}

// isKeyHead reports whether base64 begins as a private key does: a sequence whose first
// member is the version 0 or 1, with the key or its kind behind it.
func isKeyHead(s string) bool {
	if strings.HasPrefix(s, "b3BlbnNzaC1rZXktdjEA") { // openssh-key-v1
		return true
	}
	var der [12]byte
	if len(s) < 16 {
		return false
	}
	if n, err := b64.RawStdEncoding.Decode(der[:], []byte(s[:16])); err != nil || n != len(der) || der[0] != 0x30 {
		return false
	}
	p := 2
	if der[1] > 0x80 {
		p += int(der[1] - 0x80)
	}
	if p > 4 || der[p] != 2 || der[p+1] != 1 || der[p+2] > 1 {
		return false
	}
	next := der[p+3]
	return next == 0x02 || next == 0x30 || next == 0x04
}

// nextKeyLine is where a line of base64 begins behind the line end and blanks at i; -1 if
// none does.
func nextKeyLine(s string, i int) int {
	broke := false
	for i < len(s) && chars.IsSpace(s[i]) {
		broke = broke || s[i] == '\n'
		i++
	}
	n := 0
	for i+n < len(s) && n < 40 && chars.Class[s[i+n]]&chars.Base64 != 0 {
		n++
	}
	if broke && (n >= 40 || n > 0 && (i+n == len(s) || chars.IsSpace(s[i+n])) && s[i+n-1] == '=') {
		return i
	}
	return -1
}

// puttyAt finds the lines that the "Private-Lines:" at i counts.
func puttyAt(s string, i int) (start, end int, kind string) {
	p := i + len("private-lines:")
	p = chars.Skip(s, p, chars.Blank)
	lines := 0
	for p < len(s) && chars.IsDigit(s[p]) && lines < 1000 {
		lines = lines*10 + int(s[p]-'0')
		p++
	}
	p = chars.Skip(s, p, chars.Space)
	start = p
	for end = p; lines > 0 && end < len(s) && end-start < maxKey && chars.Class[s[end]]&chars.Base64 != 0; lines-- {
		end = chars.Skip(s, end, chars.Base64)
		p = end
		end = chars.Skip(s, end, chars.Space)
	}
	if p-start < 32 {
		return 0, 0, ""
	}
	return start, p, "private-key"
}
