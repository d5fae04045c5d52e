// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package personal

import (
	"strings"

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

// KindCodiceFiscale is found by its letters; see [FiscalCodeAt].
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

// isEvidentID reports whether digits in groups are the number that a state gives a person, by their separators and check
// digits. These forms need no label: two check digits, or a date and one.
func isEvidentID(v string) bool {
	var form [21]byte
	if len(v) > len(form) {
		return false
	}
	d := make([]byte, 0, len(form))
	for i := range len(v) {
		if form[i] = v[i]; chars.IsDigit(v[i]) {
			d, form[i] = append(d, v[i]-'0'), '9'
		}
	}
	switch string(form[:len(v)]) {
	case "999.999.999-99": // CPF
		return checkCPF(d, "", "")
	case "9 99 99 99 999 999 99":
		return checkNIR(d, "", "")
	case "999.9999.9999.99": // AHV and AVS
		return v[:3] == "756" && weighted(d, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1)%10 == 0
	case "99.99.99-999.99": // of Belgium: those born from 2000 on have a 2 before it
		n := weighted(d, 1e8, 1e7, 1e6, 1e5, 1e4, 1e3, 100, 10, 1)
		check := 97 - int(d[9])*10 - int(d[10])
		return isMonth(d[2:]) && (n%97 == check || (n+2e9)%97 == check)
	case "999999-9999999": // of Korea
		return isMonth(d[2:]) && d[6] > 0 && d[6] < 9 &&
			(11-weighted(d, 2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)%11)%10 == int(d[12])
	}
	return false
}

// isMonth reports whether the first four digits are a month and a day.
func isMonth(d []byte) bool {
	month, day := d[0]*10+d[1], d[2]*10+d[3]
	return month > 0 && month <= 12 && day > 0 && day <= 31
}

// FiscalCodeAt finds an Italian tax code around i.
func FiscalCodeAt(s string, i int) (from, to int, ok bool) {
	from, to = wordAround(s, i)
	return from, to, to-from == 16 && checkCodiceFiscale(s[from:to])
}

// LetteredIDAt finds a number of a person around i that has capitals and a check character: an Italian tax code, or
// the CURP of Mexico.
func LetteredIDAt(s string, i int) (from, to int, ok bool) {
	from, to = wordAround(s, i)
	v := s[from:to]
	return from, to, len(v) == 16 && strings.ToUpper(v) == v && checkCodiceFiscale(v) || len(v) == 18 && checkCURP(v)
}
