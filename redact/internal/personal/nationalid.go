// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package personal

import (
	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/kinds"
)

// nationalIDs are numbers that states give to people. They are off by default: most are
// runs of 9 to 13 digits with one check digit, and one of ten or eleven other numbers
// looks like them. The preset Strict and the option Kinds look for them.
var nationalIDs = [...]struct {
	name, about string
	// digits is how many digits the number has. Where letters belong to it, before and
	// after are how many stand before and behind the digits.
	digits, before, after int
	// check gets the digits alone, and the letters in upper case.
	check func(digits []byte, before, after string) bool
	kind  kinds.ID
}{
	{"uk-nino", "a UK national insurance number", 6, 2, 1, checkNINO, 0},
	{"uk-nhs", "a UK NHS number", 10, 0, 0, checkNHS, 0},
	{"ca-sin", "a Canadian social insurance number", 9, 0, 0, checkSIN, 0},
	{"us-itin", "a US individual taxpayer identification number", 9, 0, 0, checkITIN, 0},
	{"de-tax-id", "a German tax identification number", 11, 0, 0, checkSteuerID, 0},
	{"fr-nir", "a French social security number", 15, 0, 0, checkNIR, 0},
	{"es-dni", "a Spanish identity number (DNI)", 8, 0, 1, checkDNI, 0},
	{"es-nie", "a Spanish identity number for foreigners (NIE)", 7, 1, 1, checkNIE, 0},
	{"nl-bsn", "a Dutch citizen service number", 9, 0, 0, checkBSN, 0},
	{"br-cpf", "a Brazilian taxpayer number", 11, 0, 0, checkCPF, 0},
	{"in-aadhaar", "an Indian Aadhaar number", 12, 0, 0, checkAadhaar, 0},
	{"pl-pesel", "a Polish PESEL number", 11, 0, 0, checkPESEL, 0},
	{"se-personnummer", "a Swedish personal identity number", 10, 0, 0, checkPersonnummer, 0},
	{"se-personnummer", "a Swedish personal identity number", 12, 0, 0, checkLongPersonnummer, 0},
	{"tr-national-id", "a Turkish identification number", 11, 0, 0, checkTCKN, 0},
	{"za-id", "a South African identity number", 13, 0, 0, checkZAID, 0},
}

// KindCodiceFiscale is found by its letters; see [LetteredIDAt].
var KindCodiceFiscale = kinds.New("it-codice-fiscale", kinds.GroupPersonal, "an Italian tax code", false)

// NationalKinds is the set of all of them.
var NationalKinds = func() (k kinds.Set) {
	for i := range nationalIDs {
		id := &nationalIDs[i]
		id.kind = kinds.New(id.name, kinds.GroupPersonal, id.about, false)
		k.Add(id.kind)
	}
	k.Add(KindCodiceFiscale)
	return k
}()

// maxNationalDigits is the longest of them, in digits.
const maxNationalDigits = 15

// NationalAt finds the national id that the run of digits [start,end) is, with the
// letters that belong to it.
func NationalAt(s string, start, end int, on *kinds.Set) (from, to int, kind kinds.ID, ok bool) {
	for start < end && !chars.IsDigit(s[start]) {
		start++
	}
	var digits [maxNationalDigits]byte
	n := 0
	for p := start; p < end; p++ {
		if !chars.IsDigit(s[p]) {
			continue
		}
		if n == len(digits) {
			return 0, 0, 0, false
		}
		digits[n] = s[p] - '0'
		n++
	}
	for i := range nationalIDs {
		id := &nationalIDs[i]
		if id.digits != n || !on.Has(id.kind) {
			continue
		}
		a, before, ok1 := lettersBefore(s, start, id.before)
		b, after, ok2 := lettersAfter(s, end, id.after)
		if ok1 && ok2 && id.check(digits[:n], before, after) {
			return a, b, id.kind, true
		}
	}
	return 0, 0, 0, false
}

// lettersBefore takes n letters before i, a blank or dash between allowed, and reports
// whether they and nothing more stand there.
func lettersBefore(s string, i, n int) (from int, letters string, ok bool) {
	p := i
	if n > 0 && p > 0 && (s[p-1] == ' ' || s[p-1] == '-') {
		p--
	}
	from = p - n
	if from < 0 || from > 0 && (chars.IsAlnum(s[from-1]) || n == 0 && s[from-1] == '.') {
		return 0, "", false
	}
	for k := from; k < p; k++ {
		if !chars.IsLetter(s[k]) {
			return 0, "", false
		}
	}
	return from, s[from:p], true
}

// lettersAfter is lettersBefore for the other side.
func lettersAfter(s string, i, n int) (to int, letters string, ok bool) {
	p := i
	if n > 0 && p < len(s) && (s[p] == ' ' || s[p] == '-') {
		p++
	}
	to = p + n
	if to > len(s) || to < len(s) && chars.IsAlnum(s[to]) {
		return 0, "", false
	}
	for k := p; k < to; k++ {
		if !chars.IsLetter(s[k]) {
			return 0, "", false
		}
	}
	return to, s[p:to], true
}

// evidentForms are numbers that states give to people and that need no label: their separators show what they are, and
// they have two check digits, or one and a date.
var evidentForms = [...]struct {
	form  string
	check func(digits []byte, before, after string) bool
}{
	{"000.000.000-00", checkCPF}, {"0 00 00 00 000 000 00", checkNIR}, {"000.0000.0000.00", checkAHV},
	{"00.00.00-000.00", checkRegister}, {"000000-0000000", checkRRN},
}

// isEvidentID reports whether digits in groups are one of evidentForms.
func isEvidentID(v string) bool {
	for i := range evidentForms {
		f := &evidentForms[i]
		if len(v) != len(f.form) {
			continue
		}
		var digits [maxNationalDigits]byte
		n, k := 0, 0
		for ; k < len(v); k++ {
			if chars.IsDigit(v[k]) && f.form[k] == '0' {
				digits[n] = v[k] - '0'
				n++
			} else if v[k] != f.form[k] {
				break
			}
		}
		if k == len(v) {
			return f.check(digits[:n], "", "")
		}
	}
	return false
}

// LetteredIDAt finds a number of a person around i that has capitals and a check character: an Italian tax code, or
// the CURP of Mexico.
func LetteredIDAt(s string, i int) (from, to int, ok bool) {
	from, to = wordAround(s, i)
	v := s[from:to]
	return from, to, len(v) == 16 && chars.IsUpper(v[0]) && checkCodiceFiscale(v) || len(v) == 18 && checkCURP(v)
}
