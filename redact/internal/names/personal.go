// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package names

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolscope/toolscope/internal/chars"
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
// them, without accents, and without the linkWords between others. What stands before them in a name does not matter;
// behind them only numberWords, qualifiers and words for people may stand. Of labels that count only with one of
// numberWords the level is Weak.
type labelList struct {
	latin   map[string]Verdict
	foreign map[string]Verdict // in other scripts, in lower case
	scripts []string           // the names of foreign
}

// labels is labelTable, read.
var labels = func() *labelList {
	l := &labelList{latin: make(map[string]Verdict, 1400), foreign: make(map[string]Verdict, 200)}
	var w nameWords
	eachLabel(func(kind kinds.ID, label string) { l.addLabel(&w, kind, label) })
	return l
}()

// eachLabel calls f with each label of labelTable and its kind.
func eachLabel(f func(kind kinds.ID, label string)) {
	for _, line := range strings.Split(labelTable, "\n") {
		kind := letterKinds[strings.IndexByte(kindLetters, line[0])]
		for _, label := range strings.Split(line[2:], "|") {
			f(kind, label)
		}
	}
}

// kindLetters are the letters before the lines of labelTable, of the kinds in letterKinds.
const kindLetters = "PBSDAKTMNF"

var letterKinds = [...]kinds.ID{Phone, Birth, Passport, Driving, Address, Bank, Tax, Medical, NationalID, PersonName}

func (l *labelList) addLabel(w *nameWords, kind kinds.ID, label string) {
	v := Verdict{Secret, kind}
	switch label[0] {
	case '^':
		return
	case '~':
		v.Level, label = Telling, label[1:]
	case '#':
		v.Level, label = Weak, label[1:]
	}
	if isForeign(label) {
		l.foreign[label] = v
		l.scripts = append(l.scripts, label)
		return
	}
	words := w.WordsOf(label)
	key := string(labelKey(new([maxKey]byte), words))
	if old, known := l.latin[key]; known && (old.Level > Weak || old.Kind != kind) {
		return
	}
	l.latin[key] = v
	if glued := strings.ReplaceAll(key, " ", ""); len(words) > 1 && len(glued) > 6 {
		if _, known := l.latin[glued]; !known {
			l.latin[glued] = v // as elements of XML are written
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
	for _, kind := range letterKinds {
		set.Add(kind)
	}
	return set
}()

// numberWords may stand behind the name of a number, or before it.
var numberWords = Set("number numbers no nos nr num numero numeros nummer nummeret numer numeru n code codice codigo cod " +
	"numarasi numara nro nbr cislo cisla szam szama stevilka broj numar numarul nomor nombor numurs numeris so ma " +
	"idnumber seria serie card kod kodu " + identityWords)

// identityWords are numberWords that also name a record of a program. They make no number of an account or a phone.
const identityWords = "id ids identifier identifiant identificador identificativo identyfikator identifikator " +
	"identification identificacion identificazione identificacao identyfikacyjny identyfikacji " +
	"identificatienummer registreringsnummer registratienummer"

// linkWords stand between other words of a name, and say nothing themselves.
var linkWords = Set("de di do da del della dell du des of d la le el il van der do dei a az z for til e i y et en og och " +
	"und and the das dos den het s")

// qualifiers may stand behind a name: phone_home, address_line, dob_raw.
var qualifiers = Set("value home work mobile main primary secondary office private line full text raw " +
	"str string new old current local day evening emergency personal 164 iso verified line field input masked " +
	"contact contacto contato contatto interbancaria book privat prive privado privada privato privata prywatny " +
	"prywatna particulier dienstlich mobil movil celular cellulare travail domicile trabajo trabalho lavoro praca")

// people are words for the people that data is of; isPerson knows them with endings. They may stand behind a label, and
// they make the name of a person of one of nameNouns.
var people = Set("customer patient employee guest recipient holder cardholder policyholder passenger applicant beneficiary " +
	"insured student spouse father mother payee claimant borrower donor subscriber contact person kunden kunde inhaber " +
	"mitarbeiter arbeitnehmer antragsteller mieter empfanger kontoinhaber kundin kontaktperson client clienta cliente " +
	"pacient pazient pasient pacjent versichert salarie salariee assure assuree titulaire titular titolare " +
	"locataire demandeur destinataire " +
	"destinatari adherent beneficiair beneficiar etudiant emplead trabajador asegurad solicitante inquilin huesped " +
	"extranjer estrangeir contribuyente contribuinte contribuente afiliad alumno aluno funcionari segurad requerente " +
	"hospede utente dele dela dipendente assicurat assistit intestatari richiedente ospite lavorator klant klanten " +
	"houder rekeninghouder kaarthouder werknemer medewerker verzekerd huurder aanvrager ontvanger klienta klientki " +
	"pracownik ubezpieczon wnioskodawcy posiadacz najemcy odbiorcy podatnik cudzoziem kund kunds kundens anstalld " +
	"forsakrad sokande innehavar hennes hans medarbejder ansatt indehaver hendes potilaan asiakkaan tyontekijan hakijan " +
	"zakaznik zamestnan pojisten drzitel beteg ugyfel hasta musteri calisan pacijent klijenta")

// isPerson reports whether a word is one of people; the long ones may have an ending of up to three letters.
//
//go:noinline
func isPerson(word string) bool {
	for cut := len(word); cut >= len(word)-3 && (cut == len(word) || cut > 6); cut-- {
		if people[word[:cut]] {
			return true
		}
	}
	return false
}

// nameNouns are words for the name of a person, if a word for people stands beside them.
var nameNouns = Set("name nom nome nombre naam namn navn nimi nev neve nume jmeno meno ime imie dane adi ismi nazwa")

// personal says of what personal data the words are the name; ok is false if of none. It takes back words at the end
// that say whose or what kind of data it is, until a label remains.
func (w *nameWords) personal() (v Verdict, ok bool) {
	numbered, id, owned := false, false, false
	for n := w.n; n > 0; n-- {
		words := w.words[:n]
		if v, ok = tail(words, numbered); ok {
			return v, !id || v.Kind != Phone && v.Kind != Birth && v.Kind != Address && v.Kind != Bank
		}
		last := words[n-1]
		if !numbered && !id && isPersonName(words, owned) {
			return Verdict{Secret, PersonName}, true
		}
		if head, ok := withoutNumber(last); ok {
			w.words[n-1], numbered = head, true
			n++
			continue
		}
		switch {
		case chars.OneOf(identityWords, last):
			id, numbered = true, numbered || len(last) > len("ids")
		case numberWords[last]:
			numbered = true
		case qualifiers[last]:
		case isPerson(last):
			numbered, owned = false, true
		case n < w.n && linkWords[last]:
		default:
			return compoundLabel(last, numbered)
		}
	}
	return v, false
}

// tail looks for the last words of a name, six at most, among the labels. numbered tells that a word for a number
// stood behind them. It is not copied into its callers.
//
//go:noinline
func tail(words []string, numbered bool) (v Verdict, ok bool) {
	for from := max(0, len(words)-6); from < len(words); from++ {
		var key [maxKey]byte
		if v, ok = labels.latin[string(labelKey(&key, words[from:]))]; !ok {
			continue
		}
		if numbered || endsInNumberWord(words[:from]) {
			if v.Level == Weak || v.Kind != Address {
				v.Level = Secret
			}
		}
		if v.Level > Weak {
			return v, true
		}
	}
	return v, false
}

// maxKey is the longest key of a label in bytes.
const maxKey = MaxName + maxWords

// labelKey is the key of a label in the memory of b: its words but for the linkWords between others. It is not copied
// into its callers, so that programs stay small.
//
//go:noinline
func labelKey(b *[maxKey]byte, words []string) []byte {
	key := b[:0]
	for i, word := range words {
		if i > 0 && i < len(words)-1 && linkWords[word] {
			continue
		}
		if i > 0 {
			key = append(key, ' ')
		}
		key = append(key, word...)
	}
	return key
}

// isPersonName reports whether words say that they are the name of a person: a noun for a name beside one for people,
// of which the word behind it, if owned, has been taken back, or behind another name. An OAuth client is no person.
func isPersonName(words []string, owned bool) bool {
	last := words[len(words)-1]
	if !nameNouns[last] {
		cut := max(0, len(last)-len("name"))
		return nameNouns[last[cut:]] && isPerson(last[:cut]) // Kundenname
	}
	if words = withoutLinks(words[:len(words)-1]); len(words) == 0 {
		return owned
	}
	before := words[len(words)-1]
	if isPerson(before) {
		return last != "name" || before != "client"
	}
	v, _ := tail(words, false)
	return v.Kind == PersonName || last != "name" && owned
}

// withoutLinks is the words without the linkWords at their end.
//
//go:noinline
func withoutLinks(words []string) []string {
	for len(words) > 0 && linkWords[words[len(words)-1]] {
		words = words[:len(words)-1]
	}
	return words
}

// compoundLabel says what a word tells that ends with a label: Rechnungsanschrift.
//
//go:noinline
func compoundLabel(word string, numbered bool) (v Verdict, ok bool) {
	for cut := 3; cut <= len(word)-5; cut++ {
		if v, ok = labels.latin[word[cut:]]; ok && (len(word)-cut > 5 || v.Kind == Address) && (numbered || v.Level > Weak) {
			if numbered && v.Kind != Address {
				v.Level = Secret
			}
			return v, true
		}
	}
	return v, false
}

// endsInNumberWord reports whether the words end with one for a number, which an "of" or another such word
// may follow: number of, de la.
func endsInNumberWord(words []string) bool {
	words = withoutLinks(words)
	return len(words) > 0 && numberWords[words[len(words)-1]]
}

// withoutNumber is the head of a word that ends with one for a number: Führerscheinnummer.
func withoutNumber(word string) (head string, ok bool) {
	for _, tail := range [...]string{"nummer", "nummeret", "number", "numero", "szam", "szama", "nr", "no"} {
		if head, ok = strings.CutSuffix(word, tail); ok && len(head) >= 3 {
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
//
//go:noinline
func isLabel(word string) bool {
	_, known := labels.latin[word]
	if !known {
		_, known = compoundLabel(word, true)
	}
	return known
}
