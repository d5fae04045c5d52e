// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package names

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolscope/toolscope/redact/internal/kinds"
)

// The kinds of personal data that are found by a name alone, with a value that has their form.
var (
	Phone    = kinds.New("phone-number", kinds.GroupPersonal, "a phone number", true)
	Birth    = kinds.New("date-of-birth", kinds.GroupPersonal, "a date next to a name that says birth", true)
	Passport = kinds.New("passport", kinds.GroupPersonal, "the number of a passport, by its name", true)
	Driving  = kinds.New("driving-licence", kinds.GroupPersonal, "the number of a driving licence, by its name", true)
	Address  = kinds.New("postal-address", kinds.GroupPersonal, "a number and a street, by the name", true)
	Bank     = kinds.New("bank-account", kinds.GroupPersonal,
		"a bank account, a sort code or a routing number, by its name", true)
	Tax     = kinds.New("tax-id", kinds.GroupPersonal, "a taxpayer's number, by its name", true)
	Medical = kinds.New("medical-record", kinds.GroupPersonal,
		"the number of a patient or of a health insurance, by its name", true)
	PersonName = kinds.New("person-name", kinds.GroupPersonal, "a person's name, by a label such as full name", true)
	NationalID = kinds.New("national-id", kinds.GroupPersonal, "the number a state gives a person, by its name", true)
)

// A labelList has what the labels of [labelTable] say. The Latin ones are keyed by their words, with blanks between
// them and without accents. What stands before them in a name does not matter; behind them only numberWords and
// qualifiers may stand.
type labelList struct {
	plain    map[string]Verdict
	numbered map[string]Verdict // that count only with one of numberWords, or as "…nummer"
	foreign  map[string]Verdict // in other scripts, in lower case
	scripts  []string           // the names of foreign
}

// labels is labelTable, read.
var labels = func() *labelList {
	l := &labelList{plain: make(map[string]Verdict, 1200), numbered: make(map[string]Verdict, 200),
		foreign: make(map[string]Verdict, 200)}
	var w nameWords
	eachLabel(func(kind kinds.ID, label string) { l.addLabel(&w, kind, label) })
	return l
}()

// eachLabel calls f with each label of labelTable, and its kind.
func eachLabel(f func(kind kinds.ID, label string)) {
	for _, line := range strings.Split(labelTable, "\n") {
		for _, label := range strings.Split(line[2:], "|") {
			f(labelKinds[strings.IndexByte(kindLetters, line[0])], label)
		}
	}
}

// kindLetters are the letters before the lines of labelTable.
const kindLetters = "PBSDAKTMNF"

// labelKinds are the kinds of kindLetters.
var labelKinds = [len(kindLetters)]kinds.ID{Phone, Birth, Passport, Driving, Address, Bank, Tax, Medical, NationalID,
	PersonName}

func (l *labelList) addLabel(w *nameWords, kind kinds.ID, label string) {
	v, list := Verdict{Secret, kind}, l.plain
	switch label[0] {
	case '~':
		v.Level, label = Telling, label[1:]
	case '#':
		list, label = l.numbered, label[1:]
	}
	if isForeign(label) {
		l.foreign[label] = v
		l.scripts = append(l.scripts, label)
		return
	}
	words := w.WordsOf(label)
	key := strings.Clone(strings.Join(words, " "))
	if _, known := list[key]; known {
		return
	}
	list[key] = v
	if glued := strings.ReplaceAll(key, " ", ""); len(words) > 1 && len(glued) > 6 {
		if _, known := list[glued]; !known {
			list[glued] = v // as elements of XML are written
		}
	}
}

// isForeign reports whether a label is in a script without Latin letters.
func isForeign(label string) bool {
	return strings.IndexFunc(label, func(r rune) bool { return r >= 0x370 && (r < 0x1e00 || r >= 0x1f00) }) >= 0
}

// ForeignNames are words for a password, and labels of personal data, that are no names in source code: of
// several words, or in other scripts.
var ForeignNames = slices.Concat(foreignPasswords, foreignKeys, foreignLogins, foreignTokens,
	labels.scripts)

// Title is a word of [ForeignNames] with a capital, if its script has capitals that are no ASCII letters.
func Title(word string) string {
	r, n := utf8.DecodeRuneInString(word)
	if r < utf8.RuneSelf {
		return word
	}
	return string(unicode.ToUpper(r)) + word[n:]
}

// OfForeign says what a word of [ForeignNames] tells.
func OfForeign(word string) Verdict {
	if v, ok := labels.foreign[word]; ok {
		return v
	}
	if slices.Contains(foreignKeys, word) {
		return Verdict{Secret, kinds.APIKey}
	}
	if slices.Contains(foreignTokens, word) {
		return Verdict{Telling, kinds.Token}
	}
	if slices.Contains(foreignLogins, word) {
		return Verdict{Telling, kinds.Credential}
	}
	return Verdict{Secret, kinds.Password}
}

// OfTitle says what the title of a column tells that is a word of [ForeignNames] in letters of which the first is ASCII.
func OfTitle(title string) Verdict {
	for _, word := range ForeignNames {
		if word[0] < 0x80 && strings.EqualFold(word, title) {
			return OfForeign(word)
		}
	}
	return Verdict{}
}

// foreign says what a name in another script tells: that of the longest word of ForeignNames in it.
func foreign(name string) (v Verdict) {
	length := 0
	name = strings.ReplaceAll(strings.ToLower(name), "_", " ")
	for _, word := range ForeignNames {
		if len(word) > length && word[0] >= 0x80 && strings.Contains(name, word) {
			v, length = OfForeign(word), len(word)
		}
	}
	return v
}

// PersonalKinds is the set of the kinds above.
var PersonalKinds = func() (set kinds.Set) {
	for _, kind := range labelKinds {
		set.Add(kind)
	}
	return set
}()

// numberWords may stand behind the name of a number, or before it.
var numberWords = Set("number numbers no nos nr num numero numeros nummer nummeret numer numeru n code codice codigo " +
	"numarasi numara nro nbr cislo cisla szam szama stevilka broj numar numarul nomor nombor numurs numeris so ma " +
	"idnumber seria serie card kod kodu")

// ofWords may stand between one of them and the name.
var ofWords = Set("de di do da del della dell du des of d la le el il van der do dei a az z for til")

// qualifiers may stand behind a name: phone_home, address_line, dob_raw.
var qualifiers = Set("id ids value home work mobile main primary secondary office private line full text raw " +
	"str string new old current local day evening emergency personal e 164 iso verified line field input masked")

// personal says of what personal data the words are the name; ok is false if of none.
func (w *nameWords) personal() (v Verdict, ok bool) {
	words := w.words[:w.n]
	if v, ok = lookTails(labels.plain, words); ok {
		return v, true
	}
	words, numbered, id := withoutNumberWords(words)
	if len(words) < w.n || numbered {
		if v, ok = lookTails(labels.plain, words); ok {
			if numbered && v.Kind != Address {
				v.Level = Secret
			}
			return v, !id || v.Kind != Phone && v.Kind != Birth && v.Kind != Address && v.Kind != Bank
		}
	}
	for from := max(0, len(words)-5); from < len(words); from++ {
		if numbered || endsInNumberWord(words[:from]) {
			if v, ok = look(labels.numbered, words[from:]); ok {
				return v, true
			}
		}
	}
	return v, false
}

// withoutNumberWords is the words without those at their end that say that the name is of a number, and what
// kind of one; numbered tells that one says so, id that one of them is id.
func withoutNumberWords(words []string) (head []string, numbered, id bool) {
	for len(words) > 1 && (numberWords[words[len(words)-1]] || qualifiers[words[len(words)-1]]) {
		last := words[len(words)-1]
		numbered, id = numbered || numberWords[last], id || last == "id" || last == "ids"
		words = words[:len(words)-1]
	}
	if n := len(words); n > 0 {
		if head, ok := withoutNumber(words[n-1]); ok {
			return append(words[:n-1:n-1], head), true, id
		}
	}
	return words, numbered, id
}

// endsInNumberWord reports whether the words end with one for a number, which an "of" or another such word
// may follow: number of, de la.
func endsInNumberWord(words []string) bool {
	n := len(words)
	if n == 0 {
		return false
	}
	return numberWords[words[n-1]] || ofWords[words[n-1]] && n > 1 && (numberWords[words[n-2]] || ofWords[words[n-2]])
}

// lookTails looks for the last words, five at most, in the list.
func lookTails(list map[string]Verdict, words []string) (v Verdict, ok bool) {
	for from := max(0, len(words)-5); from < len(words); from++ {
		if v, ok = look(list, words[from:]); ok {
			return v, true
		}
	}
	return v, false
}

// withoutNumber is the head of a word that ends with one for a number: Führerscheinnummer.
func withoutNumber(word string) (head string, ok bool) {
	for _, tail := range [...]string{"nummer", "nummeret", "number", "numero", "szam", "szama", "nr", "no"} {
		if head, ok = strings.CutSuffix(word, tail); ok && len(head) >= 3 && (len(tail) > 2 || len(head) > 2) {
			if !isLabel(head) {
				if short := strings.TrimSuffix(head, "s"); isLabel(short) {
					head = short
				}
			}
			return head, isLabel(head)
		}
	}
	return "", false
}

// isLabel reports whether a word by itself is a label, if it is said to be a number.
func isLabel(word string) bool {
	if _, known := labels.plain[word]; known {
		return true
	}
	_, known := labels.numbered[word]
	return known
}

func look(list map[string]Verdict, words []string) (Verdict, bool) {
	var b [MaxName + maxWords]byte
	key := b[:0]
	for i, word := range words {
		if i > 0 {
			key = append(key, ' ')
		}
		key = append(key, word...)
	}
	v, ok := list[string(key)]
	return v, ok
}
