// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"math/big"
	"strings"
	"testing"
)

// TestValidNumbers judges the examples that the issuers, or pages about them, give.
func TestValidNumbers(t *testing.T) {
	for _, example := range []string{"bank|DE|DE89 3704 0044 0532 0130 00", "bank|NL|NL91 ABNA 0417 1643 00",
		"national-id|BR|529.982.247-25", "national-id|PL|44051401359", "tax|PL|526-025-02-74", "national-id|ES|12345678Z",
		"national-id|IT|RSSMRA85T10A562S", "national-id|NL|111222333", "national-id|SE|811218-9876",
		"national-id|FR|2 55 08 14 168 025 38", "national-id|CA|046 454 286", "tax|AU|123 456 782", "tax|PT|123456789",
		"tax|DE|86 095 742 719", "national-id|IN|2363", "medical|UK|943 476 5919", "national-id|CH|756.9217.0769.85",
		"national-id|TR|10000000146", "national-id|JP|1234 5678 9018", "tax|IT|07643520567"} {
		f := strings.Split(example, "|")
		if !validNumber(f[0], f[1], f[2]) {
			t.Error(example, "is not valid")
		}
		digit := strings.LastIndexAny(f[2], "123456789")
		if wrong := f[2][:digit] + string(f[2][digit]-1) + f[2][digit+1:]; validNumber(f[0], f[1], wrong) {
			t.Error(wrong, "is valid")
		}
	}
}

// validNumber tells whether a made-up number has the check digits that a real one of its kind and country has.
func validNumber(kind, country, value string) bool {
	plain := strings.NewReplacer(" ", "", ".", "", "-", "", "/", "").Replace(value)
	if kind == "bank" {
		return len(plain) < 15 || plain[0] < 'A' || validIBAN(plain)
	}
	check, ok := numberChecks[kind+" "+country]
	return !ok || check(plain)
}

func validIBAN(s string) bool {
	var digits strings.Builder
	for _, c := range s[4:] + s[:4] {
		if c >= 'A' {
			digits.WriteByte('0' + byte(c-'A'+10)/10)
			c = '0' + (c-'A'+10)%10
		}
		digits.WriteRune(c)
	}
	n, ok := new(big.Int).SetString(digits.String(), 10)
	return ok && n.Mod(n, big.NewInt(97)).Int64() == 1
}

// weighed is the sum of the digits of s, times their weights, modulo m.
func weighed(s string, m int, weights ...int) int {
	sum := 0
	for i, w := range weights {
		sum += w * int(s[i]-'0')
	}
	return (sum%m + m) % m
}

func luhn(s string) bool {
	sum := 0
	for i := range s {
		d := int(s[len(s)-1-i] - '0')
		if i%2 == 1 {
			d = d*2/10 + d*2%10
		}
		sum += d
	}
	return sum%10 == 0
}

// rest is a check digit: 11 less the remainder, 0 when that has no digit.
func rest(remainder int) byte {
	if remainder < 2 {
		return '0'
	}
	return '0' + byte(11-remainder)
}

var numberChecks = map[string]func(s string) bool{
	"national-id BR": func(s string) bool {
		return s[9] == rest(weighed(s, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2)) &&
			s[10] == rest(weighed(s, 11, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2))
	},
	"national-id PL": func(s string) bool { return weighed(s, 10, 1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1) == 0 },
	"tax PL":         func(s string) bool { return weighed(s, 11, 6, 5, 7, 2, 3, 4, 5, 6, 7, -1) == 0 },
	"national-id ES": func(s string) bool {
		n := 0
		for _, c := range s[:8] {
			n = n*10 + int(c-'0')
		}
		return s[8] == "TRWAGMYFPDXBNJZSQVHLCKE"[n%23]
	},
	"national-id IT": validCodice,
	"national-id NL": func(s string) bool { return weighed(s, 11, 9, 8, 7, 6, 5, 4, 3, 2, -1) == 0 },
	"national-id SE": func(s string) bool { return luhn(s[len(s)-10:]) },
	"national-id FR": func(s string) bool {
		n := 0
		for _, c := range s[:13] {
			n = n*10 + int(c-'0')
		}
		return (n+int(s[13]-'0')*10+int(s[14]-'0'))%97 == 0
	},
	"national-id CA": luhn,
	"tax CA":         luhn,
	"tax IT":         luhn,
	"tax AU":         func(s string) bool { return weighed(s, 11, 1, 4, 3, 7, 5, 8, 6, 9, 10) == 0 },
	"tax PT":         func(s string) bool { return s[8] == rest(weighed(s, 11, 9, 8, 7, 6, 5, 4, 3, 2)) },
	"tax DE":         validSteuerID,
	"national-id IN": validAadhaar,
	"medical UK":     func(s string) bool { return weighed(s, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1) == 0 },
	"national-id CH": func(s string) bool { return weighed(s, 10, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1) == 0 },
	"national-id TR": func(s string) bool {
		return weighed(s, 10, 7, -1, 7, -1, 7, -1, 7, -1, 7, -1) == 0 &&
			weighed(s, 10, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1) == 0
	},
	"national-id KR": func(s string) bool {
		return int(s[12]-'0') == (11-weighed(s, 11, 2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5))%10
	},
	"national-id CN": func(s string) bool {
		return weighed(s, 11, 7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2, 1) == 1
	},
	"national-id JP": func(s string) bool { return s[11] == rest(weighed(s, 11, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) },
	"national-id US": func(s string) bool { return s[0] != '9' && s[:3] != "666" && s[3:5] != "00" && s[5:] != "0000" },
}

// validCodice tells whether s is an Italian codice fiscale.
func validCodice(s string) bool {
	odd := []int{1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23}
	day := int(s[9]-'0')*10 + int(s[10]-'0')
	if !strings.Contains("ABCDEHLMPRST", s[8:9]) || day%40 < 1 || day%40 > 28 || day > 71 {
		return false
	}
	sum := 0
	for i, c := range s[:15] {
		n := int(c - '0')
		if c >= 'A' {
			n = int(c - 'A')
		}
		if i%2 == 0 {
			n = odd[n]
		}
		sum += n
	}
	return int(s[15]-'A') == sum%26
}

// validSteuerID tells whether s is a German tax number: of its first ten digits one comes twice, no other does.
func validSteuerID(s string) bool {
	var counts [10]int
	product, twice := 10, 0
	for _, c := range s[:10] {
		if counts[c-'0']++; counts[c-'0'] == 2 {
			twice++
		} else if counts[c-'0'] > 2 {
			return false
		}
		sum := (int(c-'0') + product) % 10
		if sum == 0 {
			sum = 10
		}
		product = sum * 2 % 11
	}
	return s[0] != '0' && twice == 1 && int(s[10]-'0') == (11-product)%10
}

// validAadhaar is the check of Verhoeff.
func validAadhaar(s string) bool {
	times := func(a, b int) int { // of the group of the symmetries of a pentagon
		switch {
		case a < 5 && b < 5:
			return (a + b) % 5
		case a < 5:
			return (a+b-5)%5 + 5
		case b < 5:
			return (a-5-b+5)%5 + 5
		}
		return (a - b + 5) % 5
	}
	permute, c := [10]int{1, 5, 7, 6, 2, 8, 3, 0, 9, 4}, 0
	for i := range s {
		d := int(s[len(s)-1-i] - '0')
		for range i % 8 {
			d = permute[d]
		}
		c = times(c, d)
	}
	return s[0] > '1' && c == 0
}
