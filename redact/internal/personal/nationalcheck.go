// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package personal

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
)

// checkNINO: two letters of those in use, six digits, A to D (HM Revenue & Customs, National
// Insurance Manual NIM39110).
func checkNINO(_ []byte, before, after string) bool {
	before, after = strings.ToUpper(before), strings.ToUpper(after)
	if strings.ContainsAny(before, "DFIQUV") || before[1] == 'O' || after > "D" {
		return false
	}
	switch before {
	case "BG", "GB", "KN", "NK", "NT", "TN", "ZZ":
		return false
	}
	return true
}

// weighted is the sum of the digits times their weights.
func weighted(d []byte, weights ...int) int {
	sum := 0
	for i, w := range weights {
		sum += w * int(d[i])
	}
	return sum
}

// checkNHS: weights 10 to 2, modulo 11 (NHS Data Model and Dictionary, NHS NUMBER).
func checkNHS(d []byte, _, _ string) bool {
	check := 11 - weighted(d, 10, 9, 8, 7, 6, 5, 4, 3, 2)%11
	return check%11 == int(d[9]) && check != 10 && !same(d)
}

// checkSIN: the Luhn check, and none that begins with 0 or 8 (Employment and Social
// Development Canada, The Social Insurance Number Code of Practice).
func checkSIN(d []byte, _, _ string) bool { return d[0] != 0 && d[0] != 8 && luhn(d) }

// checkITIN: 9, and 50 to 65, 70 to 88, 90 to 92 or 94 to 99 in the middle (IRS,
// Publication 1915).
func checkITIN(d []byte, _, _ string) bool {
	middle := int(d[3])*10 + int(d[4])
	return d[0] == 9 && (middle >= 50 && middle <= 65 || middle >= 70 && middle <= 88 || middle >= 90 &&
		middle <= 92 || middle >= 94)
}

// checkSteuerID: one digit of the first ten comes twice or three times, the others once
// at most, and ISO/IEC 7064 MOD 11,10 (Bundeszentralamt fuer Steuern, § 139b AO).
func checkSteuerID(d []byte, _, _ string) bool {
	var count [10]int
	for _, v := range d[:10] {
		count[v]++
	}
	repeated := 0
	for _, n := range count {
		if n > 3 {
			return false
		}
		if n > 1 {
			repeated++
		}
	}
	product := 10
	for _, v := range d[:10] {
		sum := (int(v) + product) % 10
		if sum == 0 {
			sum = 10
		}
		product = sum * 2 % 11
	}
	return d[0] != 0 && repeated == 1 && (11-product)%10 == int(d[10])
}

// checkNIR: sex, year, month, then a key of 97 minus the remainder (INSEE, Code
// officiel géographique; Corsica's letters are not looked for).
func checkNIR(d []byte, _, _ string) bool {
	number := 0
	for _, v := range d[:13] {
		number = number*10 + int(v)
	}
	month := int(d[3])*10 + int(d[4])
	return (d[0] == 1 || d[0] == 2) && month >= 1 && (month <= 12 || month >= 20) && 97-number%97 == int(d[13])*10+int(d[14])
}

// spanishLetters are the check letters of DNI and NIE, by the remainder modulo 23
// (Real Decreto 1553/2005; Ministerio del Interior).
const spanishLetters = "TRWAGMYFPDXBNJZSQVHLCKE"

func checkDNI(d []byte, _, after string) bool {
	number := 0
	for _, v := range d {
		number = number*10 + int(v)
	}
	return spanishLetters[number%23] == after[0]&^0x20
}

// checkNIE: X, Y or Z stands for 0, 1 or 2 before the digits.
func checkNIE(d []byte, before, after string) bool {
	first := before[0]&^0x20 - 'X'
	if first > 2 {
		return false
	}
	return checkDNI(append([]byte{first}, d...), "", after)
}

// checkBSN: weights 9 to 2 and -1, divisible by 11 (Logius, Logisch Ontwerp BSN).
func checkBSN(d []byte, _, _ string) bool {
	return weighted(d, 9, 8, 7, 6, 5, 4, 3, 2, -1)%11 == 0 && !same(d)
}

// checkCPF: two check digits modulo 11 (Receita Federal, IN RFB 2172/2024).
func checkCPF(d []byte, _, _ string) bool {
	first := weighted(d, 10, 9, 8, 7, 6, 5, 4, 3, 2) * 10 % 11 % 10
	second := weighted(d, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2) * 10 % 11 % 10
	return first == int(d[9]) && second == int(d[10]) && !same(d)
}

// checkAadhaar: begins with 2 to 9, and the Verhoeff check (UIDAI; J. Verhoeff, Error
// Detecting Decimal Codes, 1969).
func checkAadhaar(d []byte, _, _ string) bool {
	c := 0
	for i := range d {
		c = dihedral(c, verhoeffPermutation(i%8, int(d[len(d)-1-i])))
	}
	return d[0] >= 2 && c == 0 && !same(d)
}

// dihedral is the product in the dihedral group of order 10.
func dihedral(a, b int) int {
	switch {
	case a < 5 && b < 5:
		return (a + b) % 5
	case a < 5:
		return 5 + (a+b)%5
	case b < 5:
		return 5 + (a-b)%5
	}
	return (a - b + 5) % 5
}

// verhoeffPermutation is the i-th power of Verhoeff's permutation, of v.
func verhoeffPermutation(i, v int) int {
	for range i {
		v = int("1576283094"[v] - '0')
	}
	return v
}

// checkPESEL: weights 1 3 7 9, modulo 10, and a month (Ministerstwo Cyfryzacji, PESEL).
func checkPESEL(d []byte, _, _ string) bool {
	month := (int(d[2])*10 + int(d[3])) % 20
	return weighted(d, 1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)%10 == 0 && month >= 1 && month <= 12 && !same(d)
}

// checkPersonnummer: a month, a day (or a day plus 60) and the Luhn check (Skatteverket,
// SKV 704).
func checkPersonnummer(d []byte, _, _ string) bool {
	month, day := int(d[2])*10+int(d[3]), (int(d[4])*10+int(d[5]))%60
	return month >= 1 && month <= 12 && day >= 1 && day <= 31 && luhn(d)
}

// checkLongPersonnummer is checkPersonnummer with the century before.
func checkLongPersonnummer(d []byte, _, _ string) bool {
	century := int(d[0])*10 + int(d[1])
	return century >= 18 && century <= 20 && checkPersonnummer(d[2:], "", "")
}

// checkTCKN: two check digits (Nüfus ve Vatandaşlık İşleri; algorithm as published for
// T.C. Kimlik No).
func checkTCKN(d []byte, _, _ string) bool {
	odd := int(d[0] + d[2] + d[4] + d[6] + d[8])
	even := int(d[1] + d[3] + d[5] + d[7])
	tenth := ((7*odd-even)%10 + 10) % 10
	return d[0] != 0 && tenth == int(d[9]) && (odd+even+int(d[9]))%10 == int(d[10])
}

// checkZAID: a date of birth, 0 to 2 for the citizenship, and the Luhn check (Department
// of Home Affairs, Identification Act 68 of 1997).
func checkZAID(d []byte, _, _ string) bool {
	month, day := int(d[2])*10+int(d[3]), int(d[4])*10+int(d[5])
	return month >= 1 && month <= 12 && day >= 1 && day <= 31 && d[10] <= 2 && luhn(d)
}

// The values of the characters of an Italian tax code at odd places, by digit or letter,
// with A as 0 (Decreto Ministeriale 23 dicembre 1976).
const fiscalOdd = "\x01\x00\x05\x07\x09\x0d\x0f\x11\x13\x15\x02\x04\x12\x14\x0b\x03\x06\x08\x0c\x0e\x10\x0a\x16\x19\x18\x17"

// checkCodiceFiscale: six letters, two digits, a letter of a month, two digits, a letter,
// three digits, a check letter; digits may be letters where two people would share one.
func checkCodiceFiscale(v string) bool {
	const form = "LLLLLLDDMDDLDDDL"
	sum := 0
	for i := range 15 {
		c := v[i]
		if chars.IsLetter(c) {
			c &^= 0x20
		}
		switch {
		case form[i] == 'L' && !chars.IsLetter(c),
			form[i] == 'M' && strings.IndexByte("ABCDEHLMPRST", c) < 0,
			form[i] == 'D' && !chars.IsDigit(c) && strings.IndexByte("LMNPQRSTUV", c) < 0:
			return false
		}
		value := int(c - 'A')
		if chars.IsDigit(c) {
			value = int(c - '0')
		}
		if i%2 == 0 {
			value = int(fiscalOdd[value])
		}
		sum += value
	}
	return v[15]&^0x20 == byte('A'+sum%26)
}

// checkAHV: the country 756 and the check digit of EAN-13 (ZAS, AHV-Nummer).
func checkAHV(d []byte, _, _ string) bool {
	sum := 0
	for i, v := range d {
		sum += int(v) * (1 + i%2*2)
	}
	return d[0] == 7 && d[1] == 5 && d[2] == 6 && sum%10 == 0
}

// checkRegister: a date of birth and 97 less the remainder, with a 2 before it from the year 2000 on (Belgium, Royal
// decree of 3 April 1984).
func checkRegister(d []byte, _, _ string) bool {
	number := 0
	for _, v := range d[:9] {
		number = number*10 + int(v)
	}
	check := 97 - int(d[9])*10 - int(d[10])
	return isDay(d[2:]) && (number%97 == check || (number%97+2_000_000_000%97)%97 == check)
}

// checkRRN: a date of birth, the century and sex, and weights 2 to 9, modulo 11 (Korea, resident registration).
func checkRRN(d []byte, _, _ string) bool {
	sum := 0
	for i, v := range d[:12] {
		sum += int(v) * (i%8 + 2)
	}
	return isDay(d[2:]) && d[6] > 0 && d[6] < 9 && (11-sum%11)%10 == int(d[12])
}

// isDay reports whether the first four digits are a month and a day.
func isDay(d []byte) bool {
	month, day := d[0]*10+d[1], d[2]*10+d[3]
	return month > 0 && month <= 12 && day > 0 && day <= 31
}

// checkCURP: four letters, a date, H, M or X, five letters, a letter or digit, a check digit over an alphabet with Ñ
// (RENAPO, Instructivo normativo para la asignación de la CURP).
func checkCURP(v string) bool {
	const form = "LLLLDDDDDDSLLLLL"
	sum := 0
	for i := range 17 {
		c := v[i]
		switch digit := chars.IsDigit(c); {
		case !digit && !chars.IsUpper(c), i < 16 && digit != (form[i] == 'D'), i == 10 && c != 'H' && c != 'M' && c != 'X':
			return false
		case digit:
			sum += int(c-'0') * (18 - i)
		case c > 'N':
			sum += int(c-'A'+11) * (18 - i)
		default:
			sum += int(c-'A'+10) * (18 - i)
		}
	}
	return v[17] == byte('0'+(10-sum%10)%10)
}

// same reports whether all digits are the same one.
func same(d []byte) bool {
	for _, v := range d {
		if v != d[0] {
			return false
		}
	}
	return true
}
