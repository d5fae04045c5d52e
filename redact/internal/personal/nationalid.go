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
var nationalIDs = []struct {
	kind kinds.ID
	// digits is how many digits the number has. Where letters belong to it, before and
	// after are how many stand before and behind the digits.
	digits, before, after int
	// check gets the digits alone, and the letters in upper case.
	check func(digits []byte, before, after string) bool
}{
	{kinds.New("uk-nino", kinds.GroupPersonal, "a UK national insurance number", false), 6, 2, 1, checkNINO},
	{kinds.New("uk-nhs", kinds.GroupPersonal, "a UK NHS number", false), 10, 0, 0, checkNHS},
	{kinds.New("ca-sin", kinds.GroupPersonal, "a Canadian social insurance number", false), 9, 0, 0, checkSIN},
	{kinds.New("us-itin", kinds.GroupPersonal, "a US individual taxpayer identification number", false), 9, 0, 0, checkITIN},
	{kinds.New("de-tax-id", kinds.GroupPersonal, "a German tax identification number", false), 11, 0, 0, checkSteuerID},
	{kinds.New("fr-nir", kinds.GroupPersonal, "a French social security number", false), 15, 0, 0, checkNIR},
	{kinds.New("es-dni", kinds.GroupPersonal, "a Spanish identity number (DNI)", false), 8, 0, 1, checkDNI},
	{kinds.New("es-nie", kinds.GroupPersonal, "a Spanish identity number for foreigners (NIE)", false), 7, 1, 1, checkNIE},
	{kinds.New("nl-bsn", kinds.GroupPersonal, "a Dutch citizen service number", false), 9, 0, 0, checkBSN},
	{kinds.New("br-cpf", kinds.GroupPersonal, "a Brazilian taxpayer number", false), 11, 0, 0, checkCPF},
	{kinds.New("in-aadhaar", kinds.GroupPersonal, "an Indian Aadhaar number", false), 12, 0, 0, checkAadhaar},
	{kinds.New("pl-pesel", kinds.GroupPersonal, "a Polish PESEL number", false), 11, 0, 0, checkPESEL},
	{kinds.New("se-personnummer", kinds.GroupPersonal, "a Swedish personal identity number", false), 10, 0, 0,
		checkPersonnummer},
	{kinds.New("se-personnummer", kinds.GroupPersonal, "a Swedish personal identity number", false), 12, 0, 0,
		checkLongPersonnummer},
	{kinds.New("tr-national-id", kinds.GroupPersonal, "a Turkish identification number", false), 11, 0, 0, checkTCKN},
	{kinds.New("za-id", kinds.GroupPersonal, "a South African identity number", false), 13, 0, 0, checkZAID},
}

// KindCodiceFiscale is found by its letters; see [FiscalCodeAt].
var KindCodiceFiscale = kinds.New("it-codice-fiscale", kinds.GroupPersonal, "an Italian tax code", false)

// NationalKinds is the set of all of them.
var NationalKinds = func() (k kinds.Set) {
	for i := range nationalIDs {
		k.Add(nationalIDs[i].kind)
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

// FiscalCodeAt finds an Italian tax code around i.
func FiscalCodeAt(s string, i int) (from, to int, ok bool) {
	from, to = wordAround(s, i)
	return from, to, to-from == 16 && checkCodiceFiscale(s[from:to])
}
