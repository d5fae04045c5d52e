// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package names

import (
	"strings"

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
	NationalID = kinds.New("national-id", kinds.GroupPersonal, "the number a state gives a person, by its name", true)
)

// personalNames are names of personal data, with blanks between words. What stands before them in
// a name does not matter; behind them only numberWords may stand.
var personalNames = func() map[string]kinds.ID {
	m := make(map[string]kinds.ID)
	for kind, list := range map[kinds.ID]string{
		Phone: "phone|telephone|tel|mobile|cell|cellphone|cell phone|mobilephone|homephone|workphone|phonenumber|fax|" +
			"whatsapp|msisdn|telefon|telefono|telefone|telefonnummer|telefoonnummer|telefoon|handy|handynummer|rufnummer|" +
			"mobilnummer|celular|movil|mobil|mobiel|gsm|cellulare|mobile phone|telefax|portable " +
			"telephone|mobilephonenumber",
		Birth: "birth date|birthdate|date of birth|dateofbirth|dob|birthday|birth day|born " +
			"on|geburtsdatum|geburtstag|geboren am|" +
			"geboren|fecha de nacimiento|fecha nacimiento|date de naissance|date naissance|ne le|data di " +
			"nascita|data nascita|" +
			"data de nascimento|data nascimento|nascimento|geboortedatum|fodelsedatum|fodselsdato|data " +
			"urodzenia|dogum tarihi",
		Passport: "passport|passport " +
			"no|passportnumber|reisepass|reisepassnummer|passnummer|passeport|pasaporte|passaporto|" +
			"passaporte|paspoort|paspoortnummer|passnr|paszport|pasaport",
		Driving: "driver license|drivers license|driver s license|driving license|driving licence|driver " +
			"licence|drivers licence|" +
			"driver s licence|driverlicense|driverslicense|driverslicence|dl number|license number|licence " +
			"number|fuhrerschein|" +
			"fuhrerscheinnummer|permis de conduire|permiso de conducir|licencia de conducir|patente di " +
			"guida|patente|cnh|rijbewijs",
		Address: "address|street address|home address|streetaddress|address " +
			"line|addressline|street|anschrift|adresse|direccion|" +
			"domicilio|indirizzo|endereco|adres|strasse|strase|postal address|postanschrift",
		Bank: "bank account|account number|accountnumber|acct number|acct|bank acct|account no|routing " +
			"number|routing|" +
			"sort code|sortcode|bsb|kontonummer|konto|cuenta bancaria|numero de cuenta|compte bancaire|numero de " +
			"compte|" +
			"conto corrente|conta bancaria|conta corrente|rekeningnummer|clabe|ifsc|bankkonto",
		Tax: "tax id|taxid|taxpayer id|tax number|tin|itin|ein|tax file number|tfn|steuernummer|steuer id|steuerid|" +
			"steueridentifikationsnummer|steuer identifikationsnummer|identifikationsnummer|numero " +
			"fiscal|nif|codice fiscale|cpf|pan|" +
			"partita iva|vat number|utr|numero fiscale|tax identification number|taxpayer identification number|rfc",
		Medical: "mrn|medical record|medical record number|medicalrecord|medicalrecordnumber|patient " +
			"id|patientid|patient number|" +
			"health insurance number|nhs|nhs number|medicare|medicare " +
			"number|medicaid|krankenversichertennummer|versichertennummer|" +
			"health card|health card number|insurance member id|health id|carte vitale|chi number",
		NationalID: "national id|national identity|national insurance|national insurance " +
			"number|nationalinsurance|nino|social security|" +
			"socialsecurity|socialsecuritynumber|social security number|social insurance number|social " +
			"insurance|sin|nir|insee|" +
			"securite sociale|numero de securite " +
			"sociale|dni|nie|bsn|burgerservicenummer|pesel|personnummer|aadhaar|aadhar|curp|" +
			"rut|tc kimlik|tckn|kimlik|identity card|id card|personalausweis|ausweisnummer|identity " +
			"number|sozialversicherungsnummer|" +
			"rentenversicherungsnummer|svnr|ahv|numero de identidad|carta d identita|carta " +
			"identita|cni|egn|cnp|hkid|nric|fodselsnummer|" +
			"my number|ssn|citizen id|resident id|south african id|sa id|national identification|id " +
			"document|svn|cedula",
	} {
		for name := range strings.SplitSeq(list, "|") {
			m[name] = kind
		}
	}
	return m
}()

// PersonalKinds is the set of the kinds above.
var PersonalKinds = func() (set kinds.Set) {
	for _, kind := range []kinds.ID{Phone, Birth, Passport, Driving, Address, Bank, Tax, Medical, NationalID} {
		set.Add(kind)
	}
	return set
}()

// numberWords may stand behind the name of a number.
var numberWords = Set("number no nr num numero nummer n id value code field hash1 numer numarasi numara nro nbr")

// PersonalAnchors are words of personalNames that are looked for in texts. Those of five letters or
// more may stand within a word, as in dateOfBirth.
var PersonalAnchors = strings.Fields("phone tel mobile cell fax whatsapp msisdn telef handy rufnummer " +
	"mobilnummer celular movil " +
	"mobil gsm mobiel birth dob born geburt geboren nacimiento naissance nascita nascimento geboorte fodels " +
	"urodzenia dogum " +
	"passport reisepass passnummer passeport pasaport passaport paspoort passnr paszport driver driving licen permis " +
	"patente cnh rijbewijs address street anschrift adres direcci domicilio indirizzo endere strasse " +
	"account acct bsb konto cuenta compte conto conta rekening clabe ifsc vat " +
	"sortcode tax tin itin ein tfn steuer identifikationsnummer fiscal nif cpf pan partita utr rfc " +
	"mrn medical patient nhs medicare medicaid versicherten vitale national nino social insurance insee securit nir " +
	"dni nie bsn burgerservice pesel personnummer aadha curp rut kimlik identity ausweis versicherungsnummer " +
	"svnr ahv " +
	"identidad identita egn cnp hkid nric citizen resident cedula sin svn")

// PersonalPhrases are the same for names of which a word alone is too frequent.
var PersonalPhrases = []string{"sort code", "sort_code", "sort-code", "sort+code", "routing n", "routing_n",
	"routing-n", "routing+n", "routingn"}

// personal says of what personal data the words are the name; ok is false if of none.
func (w *nameWords) personal() (kind kinds.ID, ok bool) {
	n := w.n
	for from := max(0, n-5); from < n; from++ {
		if kind, ok = lookPersonal(w.words[from:n]); ok {
			return kind, true
		}
	}
	if n > 1 && numberWords[w.words[n-1]] {
		w.n--
		kind, ok = w.personal()
		w.n++
	}
	return kind, ok
}

func lookPersonal(words []string) (kinds.ID, bool) {
	var b [MaxName + maxWords]byte
	key := b[:0]
	for i, word := range words {
		if i > 0 {
			key = append(key, ' ')
		}
		key = append(key, word...)
	}
	id, ok := personalNames[string(key)]
	return id, ok
}
