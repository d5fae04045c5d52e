// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/internal/recognise"
	"github.com/toolscope/toolscope/redact/internal/chance"
	"github.com/toolscope/toolscope/redact/internal/codec"
)

// pairForms know tokens of several parts, with a mark between them.
var pairForms = [...]form{
	{"aws-secret-key", "an AWS access key's id and secret",
		"akia asia", false, false, awsPairAt},
	{"asana-token", "a number, a colon and 32 hexadecimal digits",
		"1/ 2/", false, false, asanaAt},
	{"zoho-token", "1000, and twice 32 hexadecimal digits",
		"1000.", false, false, zohoAt},
	{"bitwarden-token", "0, a UUID, a secret and a key",
		"0.", false, false, bitwardenAt},
	{"infisical-token", "st and three parts in hexadecimal digits",
		"st.", false, false, infisicalAt},
	{"convex-key", "a deployment's name, a bar and a key",
		"prod: dev: preview:", false, false, convexAt},
	{"wallet-key", "a private key of a wallet, by its check bytes",
		"5h 5j 5k kw kx ky kz l1 l2 l3 l4 l5", false, false, walletAt},
	{"wifi-password", "the password in the QR code of a wireless network",
		"wifi:", false, false, wifiAt},
	{"azure-function-key", "the key of an Azure function, or a code of OAuth, in a URL",
		"?code= &code=", true, false, functionAt},
}

// awsPairAt finds the secret of 40 characters next to the id at i: AWS writes both into a CSV file.
func awsPairAt(s string, i int) (start, end int, kind string) {
	const id, secret = 20, 40
	p := i + id
	if p >= len(s) || i > 0 && chars.IsAlnum(s[i-1]) || s[i:i+4] != "AKIA" && s[i:i+4] != "ASIA" {
		return 0, 0, ""
	}
	q := chars.SkipAny(s[:min(len(s), p+6)], p, ", \t;|:/\"'")
	end = chars.Skip(s[:min(len(s), q+secret+1)], q, chars.Base64)
	if q == p || end-q != secret || !chance.Random(s[q:end]) {
		return 0, 0, ""
	}
	return i, end, "aws-secret-key"
}

// hexEnd is the end of n hexadecimal digits at p; 0 if there are more or fewer.
func hexEnd(s string, p, n int) int {
	end := chars.Skip(s[:min(len(s), p+n+1)], p, chars.Hex)
	if end-p != n || end < len(s) && chars.IsAlnum(s[end]) {
		return 0
	}
	return end
}

func asanaAt(s string, i int) (start, end int, kind string) {
	p := i + 2
	for range 2 {
		q := chars.Skip(s[:min(len(s), p+21)], p, chars.Digit)
		if q-p < 12 || q >= len(s) {
			break
		}
		if s[q] == ':' {
			if end = hexEnd(s, q+1, 32); end > 0 {
				return i, end, "asana-token"
			}
			break
		}
		if p = q + 1; s[q] != '/' {
			break
		}
	}
	return 0, 0, ""
}

func zohoAt(s string, i int) (start, end int, kind string) {
	first := hexEnd(s, i+len("1000."), 32)
	if first == 0 || first >= len(s) || s[first] != '.' {
		return 0, 0, ""
	}
	if end = hexEnd(s, first+1, 32); end == 0 {
		return 0, 0, ""
	}
	return i, end, "zoho-token"
}

func bitwardenAt(s string, i int) (start, end int, kind string) {
	const uuid = 36
	p := i + len("0.")
	if p+uuid >= len(s) || !recognise.UUID(s[p:p+uuid]) || s[p+uuid] != '.' {
		return 0, 0, ""
	}
	end = p + uuid + 1
	for end < len(s) && (chars.Class[s[end]]&chars.Base64 != 0 || s[end] == ':') {
		end++
	}
	if end-p < uuid+30 {
		return 0, 0, ""
	}
	return i, end, "bitwarden-token"
}

func infisicalAt(s string, i int) (start, end int, kind string) {
	end = i + len("st.")
	from := end
	for end < len(s) && (chars.Class[s[end]]&chars.Hex != 0 || s[end] == '.' || s[end] == '-') {
		end++
	}
	if end-from < 60 || strings.Count(s[from:end], ".") != 2 || end < len(s) && chars.IsAlnum(s[end]) {
		return 0, 0, ""
	}
	return i, end, "infisical-token"
}

func convexAt(s string, i int) (start, end int, kind string) {
	name := i + strings.IndexByte(s[i:], ':') + 1
	bar := chars.Skip(s[:min(len(s), name+64)], name, chars.URL)
	if bar == name || bar >= len(s) || s[bar] != '|' {
		return 0, 0, ""
	}
	end = chars.Skip(s, bar+1, chars.Base64|chars.URL)
	if end-bar < 30 || !chance.Plausible(strings.TrimRight(s[bar+1:end], "=")) {
		return 0, 0, ""
	}
	return i, end, "convex-key"
}

// walletAt finds a private key in the import format of Bitcoin wallets: 51 or 52 characters of
// base58, of which the last four bytes are a check.
func walletAt(s string, i int) (start, end int, kind string) {
	end = chars.Skip(s[:min(len(s), i+53)], i, chars.Alnum)
	if n := end - i; n != 51 && n != 52 || strings.IndexByte("5KL", s[i]) < 0 {
		return 0, 0, ""
	}
	if size := end - i - 14; !codec.Base58Check(s[i:end], size) { // with a byte before the 32 of the key, or one more behind
		return 0, 0, ""
	}
	return i, end, "wallet-key"
}

func wifiAt(s string, i int) (start, end int, kind string) {
	limit := min(len(s), i+300)
	p := strings.Index(s[i:limit], ";P:")
	if p < 0 {
		if p = strings.Index(s[i:limit], ":P:"); p < 0 {
			return 0, 0, ""
		}
	}
	start = i + p + len(";P:")
	for end = start; end < limit && s[end] != ';' && s[end] != '\n'; end++ {
		if s[end] == '\\' {
			end++
		}
	}
	if end-start < 8 || end >= limit {
		return 0, 0, ""
	}
	return start, end, "wifi-password"
}

func functionAt(s string, i int) (start, end int, kind string) {
	start = i + len("?code=")
	end = start
	for end < len(s) && (chars.Class[s[end]]&(chars.Base64|chars.URL|chars.Percent) != 0) && s[end] != '\\' {
		end++
	}
	if n := end - start; n < 20 || !chance.Random(strings.TrimRight(s[start:end], "=")) {
		return 0, 0, ""
	}
	return start, end, "azure-function-key"
}
