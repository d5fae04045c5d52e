// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package names

import (
	"maps"
	"slices"
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

// personalNames are names of personal data, with blanks between words and without accents. What stands
// before them in a name does not matter; behind them only numberWords may stand.
var personalNames = wordsOf(map[kinds.ID]string{
	Phone: "phone|telephone|tel|mobile|cell|cellphone|cell phone|mobilephone|homephone|workphone|phonenumber|fax|" +
		"whatsapp|msisdn|telefon|telefono|telefone|telefonnummer|telefoonnummer|telefoon|handy|rufnummer|" +
		"mobilnummer|celular|movil|mobil|mobiel|gsm|cellulare|mobile phone|telefax|portable telephone|" +
		"mobilephonenumber|telefon kontaktowy|telefone celular|telefone de contato|telefono de contacto|telefonu|" +
		"komorka|komorki|recapito telefonico|puhelin",
	Birth: "birth date|birthdate|date of birth|dateofbirth|dob|birthday|birth day|born on|geburtsdatum|geburtstag|" +
		"geboren am|geboren|geboren op|fecha de nacimiento|fecha nacimiento|nacido el|nacida el|nacido|nacida|" +
		"date de naissance|date naissance|ne le|nee le|data di nascita|data nascita|nato il|nata il|" +
		"data de nascimento|data nascimento|nascimento|nascido em|nascida em|geboortedatum|geboortedag|fodelsedatum|" +
		"" +
		"fodelsedag|fodd|fodselsdato|data urodzenia|urodzony|urodzona|geb datum|geb dat|fodt|syntymaaika",
	Passport: "passport|passportnumber|reisepass|passnummer|passeport|pasaporte|passaporto|passaporte|paspoort|" +
		"passnr|paszport|paszportu|pasaport|passi",
	Driving: "driver number|ehliyet|forerkort|korekort|ajokortti|driver license|drivers license|driver s license|" +
		"driving license|driving licence|driver licence|" +
		"drivers licence|driver s licence|driverlicense|driverslicense|driverslicence|dl number|license number|" +
		"licence number|fuhrerschein|fuehrerschein|permis de conduire|permiso de conducir|" +
		"licencia de conducir|carnet de conducir|patente di guida|patente|cnh|carteira de habilitacao|" +
		"carteira de motorista|rijbewijs|prawo jazdy|prawa jazdy|korkort",
	Address: "address|street address|home address|streetaddress|address line|addressline|street|anschrift|adresse|" +
		"adress|direccion|domicilio|indirizzo|residenza|endereco|adres|strasse|strase|postal address|" +
		"postanschrift|wohnanschrift|adresse postale|residential address|mailing address|billing address|" +
		"shipping address|woonadres|postadres|adres zamieszkania|gatuadress|postadress|bostadsadress|" +
		"endereco residencial|direccion postal|osoite",
	Bank: "hesap no|hesap numarasi|checking account|savings account|transit number|tilinumero|bank account|" +
		"account number|accountnumber|acct number|acct|bank acct|account no|routing number|routing|" +
		"sort code|sortcode|bsb|kontonummer|konto|cuenta bancaria|compte bancaire|conto corrente|conta bancaria|" +
		"conta corrente|conto bancario|rekeningnummer|bankrekening|bankrekeningnummer|clabe|ifsc|bankkonto|" +
		"bankverbindung|rachunek bankowy|konto bankowe|clearingnummer|agencia e conta",
	Tax: "mwst|business number|abn|vergi no|vergi kimlik no|vergi kimlik|cvr|tax id|taxid|taxpayer id|tax number|" +
		"tin|itin|ein|tax file number|tfn|steuernummer|steuer id|steuerid|" +
		"steueridentifikationsnummer|steuer identifikationsnummer|identifikationsnummer|numero fiscal|nif|" +
		"codice fiscale|cpf|cnpj|pan|partita iva|vat number|vat id|utr|numero fiscale|tax identification number|" +
		"taxpayer identification number|taxpayer number|rfc|numero de identificacion fiscal|siren|siret|" +
		"btw nummer|btw id|btwnummer|fiscaal nummer|fiscaalnummer|rsin|nip|regon|organisationsnummer|skattenummer|" +
		"gstin|gst number|umsatzsteuer id|ust id|ustidnr|numero de tva|numero tva|cif|" +
		"unique taxpayer reference|employer identification number|contribuinte",
	Medical: "patient record|health number|mrn|medical record|medical record number|medicalrecord|" +
		"medicalrecordnumber|patient id|patientid|" +
		"patient number|health insurance number|nhs|nhs number|medicare|medicare number|medicaid|" +
		"krankenversicherungsnummer|krankenversichertennummer|versichertennummer|health card|health card number|" +
		"insurance member id|health id|carte vitale|chi number|historia clinica|tarjeta sanitaria|tessera sanitaria|" +
		"" +
		"cartao sus|cns|prontuario|abha|zorgverzekering|zorgpas|journalnummer|patientnummer|patientennummer|" +
		"numero de assure|dossier medical|cartella clinica|krankenkassennummer",
	NationalID: "cpr|hetu|emso|oib|jmbg|national id|national identity|national insurance|nationalinsurance|nino|" +
		"social security|" +
		"socialsecurity|socialsecuritynumber|social insurance|sin|nir|insee|securite sociale|dni|nie|bsn|" +
		"burgerservicenummer|pesel|personnummer|personnr|samordningsnummer|aadhaar|aadhar|curp|rut|tc kimlik|tckn|" +
		"kimlik|identity card|id card|personalausweis|ausweisnummer|identity number|sozialversicherungsnummer|" +
		"rentenversicherungsnummer|svnr|ahv|numero de identidad|carta d identita|carta identita|cni|egn|cnp|hkid|" +
		"nric|fodselsnummer|my number|ssn|citizen id|resident id|south african id|sa id|national identification|" +
		"id document|rg|svn|cedula|documento de identidad|dowod osobisty|dowodu osobistego|registro geral|" +
		"identiteitskaart|carte d identite|carte identite|henkilotunnus|individual number",
})

// numberedNames are the same for names that say it only with one of numberWords, or as "…nummer".
var numberedNames = wordsOf(map[kinds.ID]string{
	Phone:    "contact|whats app|kontakt",
	Passport: "pass|rejse pass",
	Driving:  "permis|patente|licencia|rijbewijs|prawa jazdy|licence|license",
	Bank:     "conto|conta|konta|konto|cuenta|compte|bank|rekening|rachunku|giro|girokonto",
	Tax:      "tax|fiscal|fiscale|steuer|tva|vat|btw|skatte|podatnika",
	Medical: "patient|paciente|paziente|pacjenta|patienten|krankenkasse|krankenversicherung|ubezpieczenia|assure|" +
		"seguro medico|zorgverzekerings|zorgverzekering|tessera sanitaria|historia clinica|beneficiario|abha",
	NationalID: "identidade|identidad|identite|identita|dowodu|ausweis|personal|personen|seguridad social|" +
		"securite sociale|sozialversicherung|citizen|resident",
})

// foreignNames are names of personal data in scripts without the letters of ASCII.
var foreignNames = map[string]kinds.ID{
	"電話": Phone, "携帯": Phone, "电话": Phone, "手机": Phone, "전화": Phone, "телефон": Phone,
	"生年月日": Birth, "誕生日": Birth, "出生日期": Birth, "생년월일": Birth, "дата рождения": Birth,
	"パスポート": Passport, "旅券": Passport, "护照": Passport, "여권": Passport, "паспорт": Passport,
	"免許証": Driving, "运转免許": Driving, "驾驶证": Driving, "운전면허": Driving,
	"住所": Address, "地址": Address, "주소": Address, "адрес": Address,
	"口座": Bank, "银行账号": Bank, "계좌": Bank, "номер счета": Bank,
	"納税者": Tax, "法人番号": Tax, "税号": Tax, "инн": Tax,
	"统一社会信用代码": Tax, "纳税人识别": Tax, "사업자등록": Tax, "doğum tarihi": Birth,
	"sürücü belgesi": Driving,
	"患者":             Medical, "保険証": Medical, "被保険者": Medical, "カルテ": Medical,
	"マイナンバー": NationalID, "個人番号": NationalID, "身份证": NationalID, "주민등록": NationalID,
	"снилс": NationalID,
}

// wordsOf turns lists of names, with '|' between them, into a map.
func wordsOf(lists map[kinds.ID]string) map[string]kinds.ID {
	m := make(map[string]kinds.ID)
	for kind, list := range lists {
		for name := range strings.SplitSeq(list, "|") {
			m[name] = kind
			if glued := strings.ReplaceAll(name, " ", ""); len(glued) > 6 {
				m[glued] = kind // as elements of XML are written
			}
		}
	}
	return m
}

// ForeignNames are words for a password, and names of personal data, that are no names in source code: of
// several words, or in other scripts.
var ForeignNames = slices.AppendSeq(slices.Concat(foreignPasswords, foreignKeys), maps.Keys(foreignNames))

// OfForeign says what a word of [ForeignNames] tells.
func OfForeign(word string) Verdict {
	if kind, ok := foreignNames[word]; ok {
		return Verdict{Secret, kind}
	}
	if slices.Contains(foreignKeys, word) {
		return Verdict{Secret, kinds.APIKey}
	}
	return Verdict{Secret, kinds.Password}
}

// foreign says what a name in another script tells: that of the word of ForeignNames in it.
func foreign(name string) (v Verdict) {
	length := 0
	for _, word := range ForeignNames {
		if len(word) > length && word[0] >= 0x80 && strings.Contains(name, word) {
			v, length = OfForeign(word), len(word)
		}
	}
	return v
}

// PersonalKinds is the set of the kinds above.
var PersonalKinds = func() (set kinds.Set) {
	for _, kind := range []kinds.ID{Phone, Birth, Passport, Driving, Address, Bank, Tax, Medical, NationalID} {
		set.Add(kind)
	}
	return set
}()

// numberWords may stand behind the name of a number, or before it.
var numberWords = Set("number no nr num numero nummer numer n id value code field hash1 numarasi numara nro nbr")

// ofWords may stand between one of them and the name.
var ofWords = Set("de di do da del della dell du des of d la le el il van")

// PersonalAnchors are words of personalNames that are looked for in texts. Those of five letters or
// more may stand within a word, as in dateOfBirth.
var PersonalAnchors = strings.Fields("phone tel mobile cell fax whatsapp msisdn telef handy rufnummer " +
	"contact kontakt " +
	"mobilnummer celular movil m\xc3\xb3vil mobil gsm mobiel komork birth dob born geburt geboren " +
	"nacimiento nacid naissance " +
	"nascita nascid nato nata nascimento geboorte fodels f\xc3\xb6dels f\xc3\xb6dd fodd urodz dogum " +
	"passport reisepass passnummer passeport pasaport passaport paspoort passnr paszport driving driver licen permis " +
	"conducir patente guida cnh habilita motorista rijbewijs jazdy korkort k\xc3\xb6rkort hrerschein " +
	"address street anschrift adres direcci domicilio indirizzo residenza endere strasse " +
	"account acct bsb konto konta cuenta compte conto conta rekening rachun clearingn clabe ifsc vat btw tva " +
	"sortcode tax tin itin ein tfn steuer identifikationsnummer fiscal fiscaal skatte nif nip cif regon rsin cpf cnpj " +
	"pan partita utr rfc siren siret gstin gst organisationsn contribuinte podatnika " +
	"mrn medical medic patient pati\xc3\xabnt pacient pazient pacjent nhs medicare medicaid versicher " +
	"krankenkass vitale sanitari " +
	"historia prontu\xc3\xa1rio prontuario abha zorg journaln ubezpiecz assur sus cns cartella dossier " +
	"national nino social insurance insee securit s\xc3\xa9curit nir dni nie bsn burgerservice pesel personn samordn " +
	"health henkil f\xc3\xb8dsels mwst hesap vergi abn cpr hetu geb ehliyet aadha curp rut kimlik identi " +
	"ausweis svnr ahv egn cnp hkid nric citizen resident cedula sin svn rg " +
	"dow\xc3\xb3d dowod " +
	"seguridad")

// PersonalPhrases are the same for names of which a word alone is too frequent.
var PersonalPhrases = []string{"sort code", "sort_code", "sort-code", "sort+code", "routing n", "routing_n",
	"routing-n", "routing+n", "routingn", "n\xc3\xa9le", "n\xc3\xa9_le", "dl number", "dl_number",
	"dlnumber", "business n", "business_n", "businessn", "pass nr", "pass_nr", "passnr", "n\xc3\xa9 le", "n\xc3\xa9e le"}

// personal says of what personal data the words are the name; ok is false if of none.
func (w *nameWords) personal() (kind kinds.ID, ok bool) {
	words, numbered := w.words[:w.n], false
	for from := max(0, len(words)-5); from < len(words); from++ {
		if kind, ok = look(personalNames, words[from:]); ok {
			return kind, true
		}
	}
	for len(words) > 1 && numberWords[words[len(words)-1]] {
		words, numbered = words[:len(words)-1], true
	}
	if n := len(words); n > 0 {
		if head, ok := withoutNumber(words[n-1]); ok {
			words, numbered = append(words[:n-1:n-1], head), true
		}
	}
	for from := max(0, len(words)-5); from < len(words); from++ {
		before := from > 0 && (numberWords[words[from-1]] || ofWords[words[from-1]] && from > 1 &&
			(numberWords[words[from-2]] || ofWords[words[from-2]]))
		if numbered || before {
			if kind, ok = look(personalNames, words[from:]); ok {
				return kind, true
			}
			if kind, ok = look(numberedNames, words[from:]); ok {
				return kind, true
			}
		}
	}
	return kind, false
}

// withoutNumber is the head of a word that ends with one for a number: Führerscheinnummer.
func withoutNumber(word string) (head string, ok bool) {
	for _, tail := range [...]string{"nummer", "number", "nr"} {
		if head, ok = strings.CutSuffix(word, tail); ok && len(head) >= 3 {
			if _, known := personalNames[head]; !known {
				if _, known = numberedNames[head]; !known {
					head = strings.TrimSuffix(head, "s")
				}
			}
			return head, true
		}
	}
	return "", false
}

func look(list map[string]kinds.ID, words []string) (kinds.ID, bool) {
	var b [MaxName + maxWords]byte
	key := b[:0]
	for i, word := range words {
		if i > 0 {
			key = append(key, ' ')
		}
		key = append(key, word...)
	}
	id, ok := list[string(key)]
	return id, ok
}
