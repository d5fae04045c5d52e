// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

// nationalIDs are numbers that states give to people. They are off by default: most are
// runs of 9 to 13 digits with one check digit, and one of ten or eleven other numbers
// looks like them. [Strict] and [Options].Kinds look for them.
var nationalIDs = []struct {
	kind kindID
	// digits is how many digits the number has. Where letters belong to it, before and
	// after are how many stand before and behind the digits.
	digits, before, after int
	// check gets the digits alone, and the letters in upper case.
	check func(digits []byte, before, after string) bool
}{
	{newKind("uk-nino", groupPersonal, "a UK national insurance number", false), 6, 2, 1, checkNINO},
	{newKind("uk-nhs", groupPersonal, "a UK NHS number", false), 10, 0, 0, checkNHS},
	{newKind("ca-sin", groupPersonal, "a Canadian social insurance number", false), 9, 0, 0, checkSIN},
	{newKind("us-itin", groupPersonal, "a US individual taxpayer identification number", false), 9, 0, 0, checkITIN},
	{newKind("de-tax-id", groupPersonal, "a German tax identification number", false), 11, 0, 0, checkSteuerID},
	{newKind("fr-nir", groupPersonal, "a French social security number", false), 15, 0, 0, checkNIR},
	{newKind("es-dni", groupPersonal, "a Spanish identity number (DNI)", false), 8, 0, 1, checkDNI},
	{newKind("es-nie", groupPersonal, "a Spanish identity number for foreigners (NIE)", false), 7, 1, 1, checkNIE},
	{newKind("nl-bsn", groupPersonal, "a Dutch citizen service number", false), 9, 0, 0, checkBSN},
	{newKind("br-cpf", groupPersonal, "a Brazilian taxpayer number", false), 11, 0, 0, checkCPF},
	{newKind("in-aadhaar", groupPersonal, "an Indian Aadhaar number", false), 12, 0, 0, checkAadhaar},
	{newKind("pl-pesel", groupPersonal, "a Polish PESEL number", false), 11, 0, 0, checkPESEL},
	{newKind("se-personnummer", groupPersonal, "a Swedish personal identity number", false), 10, 0, 0, checkPersonnummer},
	{newKind("se-personnummer", groupPersonal, "a Swedish personal identity number", false), 12, 0, 0, checkLongPersonnummer},
	{newKind("tr-national-id", groupPersonal, "a Turkish identification number", false), 11, 0, 0, checkTCKN},
	{newKind("za-id", groupPersonal, "a South African identity number", false), 13, 0, 0, checkZAID},
}

// kindCodiceFiscale is found by its letters; see [fiscalCodeAt].
var kindCodiceFiscale = newKind("it-codice-fiscale", groupPersonal, "an Italian tax code", false)

// nationalKinds is the set of all of them.
var nationalKinds = func() (k kindSet) {
	for i := range nationalIDs {
		k.add(nationalIDs[i].kind)
	}
	k.add(kindCodiceFiscale)
	return k
}()

// maxNationalDigits is the longest of them, in digits.
const maxNationalDigits = 15

// nationalAt finds the national id that the run of digits [start,end) is, with the
// letters that belong to it.
func nationalAt(s string, start, end int, on *kindSet) (from, to int, kind kindID, ok bool) {
	for start < end && !isDigit(s[start]) {
		start++
	}
	var digits [maxNationalDigits]byte
	n := 0
	for p := start; p < end; p++ {
		if !isDigit(s[p]) {
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
		if id.digits != n || !on.has(id.kind) {
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
	if from < 0 || from > 0 && (isAlnum(s[from-1]) || n == 0 && s[from-1] == '.') {
		return 0, "", false
	}
	for k := from; k < p; k++ {
		if !isLetter(s[k]) {
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
	if to > len(s) || to < len(s) && isAlnum(s[to]) {
		return 0, "", false
	}
	for k := p; k < to; k++ {
		if !isLetter(s[k]) {
			return 0, "", false
		}
	}
	return to, s[p:to], true
}

// fiscalCodeAt finds an Italian tax code around i.
func fiscalCodeAt(s string, i int) (from, to int, ok bool) {
	from, to = wordAround(s, i)
	return from, to, to-from == 16 && checkCodiceFiscale(s[from:to])
}
