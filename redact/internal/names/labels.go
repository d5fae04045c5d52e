// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package names

// labelTable are the labels of personal data: a line for each kind and language or country, with the kind's
// letter first and '|' between the labels. Words that only say "number" stand in no label (see numberWords).
// A label behind '#' counts only with such a word, one behind '~' only if its value is clearly of the kind.
// One behind '^' is only looked for: the words around it have to compose a label.
// The labels are written with their accents, and match without them, too. Behind each line: the language, and
// the authority or document that has the number, or that uses the label on its forms.
const labelTable = "" +
	// Phone numbers.
	"P phone|phone e|telephone|mobile|~cell|cellphone|mobile phone|home phone|work phone|fax|telefax|whatsapp|" +
	"msisdn|landline|#contact|#whats app|#call back|phones|direct dial\n" + // en: ITU-T E.123; 3GPP TS 23.003
	"P telefon|handy|rufnummer|mobilnummer|mobil|mobiltelefon|festnetz|#kontakt|fernsprecher|durchwahl\n" + // de: DIN 5008
	"P ~tél|numéro de portable|téléphone portable|#portable|télécopie\n" + // fr: service-public.fr
	"P teléfono|móvil|celular\n" + // es: AEAT; SAT
	"P cellulare|recapito telefonico\n" + // it: agenziaentrate.gov.it
	"P telefone|telemóvel|#contato|#contacto\n" + // pt: gov.br; gov.pt
	"P telefoon|mobiel|vaste lijn\n" + // nl: rijksoverheid.nl
	"P komórka|komórki|kontaktowy|komórkowy\n" + // pl: gov.pl
	"P telefonnummer|telefonnr|tlf\n" + // sv, da, nb: skatteverket.se; borger.dk; norge.no
	"P puhelin|matkapuhelin|kännykkä\n" + // fi: dvv.fi
	"P telefonní|telefónne\n" + // cs, sk: gov.cz; slovensko.sk
	"P telefonszám|mobilszám\n" + // hu: magyarorszag.hu
	"P telefonul|telefon mobil\n" + // ro: anaf.ro
	"P telefonu|cep tel|#cep|gsm\n" + // tr: turkiye.gov.tr
	"P telefoni|telefonas|tālrunis|telefona\n" + // et, lt, lv
	"P điện thoại|di động|sđt\n" + // vi: gov.vn
	"P telepon|ponsel|handphone|#hp|telefon bimbit\n" + // id, ms: dukcapil.kemendagri.go.id; jpn.gov.my
	"P телефон|мобильный|мобілний|мобільний|моб.\n" + // ru, uk, bg
	"P τηλέφων|τηλεφων|κινητό\n" + // el
	"P هاتف|جوال|موبايل|الموبايل|المحمول|تلفن|موبایل\n" + // ar, fa
	"P טלפון|נייד\n" + // he
	"P फ़ोन|फोन|मोबाइल|दूरभाष\n" + // hi
	"P โทรศัพท์|มือถือ|เบอร์โทร\n" + // th
	"P 電話|携帯|連絡先\n" + // ja: soumu.go.jp
	"P 电话|手机|手機|联系方式|聯絡電話\n" + // zh: GB/T 2261
	"P 전화|휴대폰|연락처|핸드폰\n" + // ko: juso.go.kr
	// Dates of birth.
	"B birth date|date of birth|time of birth|dob|birth day|born on|~born|d.o.b.|date born\n" + // en: ICAO 9303
	"B geburtstag|geboren am|geboren|geb. am|geb. dat.|geburts datum\n" + // de: PAuswV
	"B né le|née le|né(e) le|naissance\n" + // fr: CERFA forms
	"B nacido el|nacida el|nacido|nacida|fec. nac.|nacimiento|fecha nac|cumpleaños\n" + // es: Registro Civil; RENAPO
	"B data nascita|nato il|nata il|nato a il\n" + // it: ANPR
	"B nascimento|nascido em|nascida em|data de nasc.|data nasc|dt. nasc.|dt nascimento\n" + // pt: Receita Federal
	"B geboortedatum|geboren op|geboortedag|geb.datum\n" + // nl: BRP
	"B data urodzenia|urodzony|urodzona|data ur.\n" + // pl: PESEL
	"B födelsedatum|född|födelsedag|födelsetid\n" + // sv: Skatteverket
	"B fødselsdato|fødselsdag|født|fødd\n" + // da, nb: CPR; Folkeregisteret
	"B syntymäaika|syntymäpäivä|syntynyt\n" + // fi: DVV
	"B datum narození|narozen|narozena|dátum narodenia|narodený|narodená\n" + // cs, sk
	"B születési idő|születési dátum|születésnap|született\n" + // hu
	"B născut la|născută la|data naşterii|data de naștere\n" + // ro
	"B doğum tarihi|doğum günü\n" + // tr: NVİ
	"B datum rođenja|datum rojstva|sünniaeg|sünnikuupäev|gimimo data|dzimšanas datums\n" + // hr, sl, et, lt, lv
	"B ngày sinh|sinh ngày|ngày tháng năm sinh\n" + // vi
	"B tanggal lahir|tgl lahir|tarikh lahir\n" + // id, ms
	"B дата рождения|дата народження|дата на раждане|родился|родилась|день рождения\n" + // ru, uk, bg
	"B ημερομηνία γέννησης|ημ. γέννησης|γέννησης|γεννήθηκε\n" + // el
	"B تاريخ الميلاد|تاریخ تولد|الميلاد|تولد\n" + // ar, fa
	"B תאריך לידה\n" + // he
	"B जन्म तिथि|जन्मतिथि|जन्म तारीख|जन्म दिनांक\n" + // hi
	"B วันเกิด|วันเดือนปีเกิด\n" + // th
	"B 生年月日|誕生日|出生日期|出生年月日|生日|출생일|생년월일|생일\n" + // ja, zh, ko
	// Passports.
	"S passport|travel document|pass port|passports\n" + // en: ICAO 9303
	"S reisepass|passnummer|#pass|passnr\n" + // de: PassG
	"S passeport\n" + // fr: ANTS
	"S pasaporte|passaporto|passaporte\n" + // es, it, pt, tr
	"S paspoort\n" + // nl
	"S paszport|paszportu\n" + // pl
	"S passi|#passin|passinumero\n" + // fi
	"S rejsepas|#pas|#rejse pass|pasnummer\n" + // da, nb, nl, sv
	"S cestovní pas|#pasu|cestovného pasu|cestovný pas\n" + // cs, sk
	"S útlevél|útlevélszám\n" + // hu
	"S pașaportului|paşaport\n" + // ro
	"S putovnica|putovnice|pasoš|potni list|#paso|pase numurs\n" + // hr, sr, sl, lt, lv
	"S hộ chiếu\n" + // vi
	"S paspor|pasport\n" + // id, ms
	"S паспорт\n" + // ru, uk, bg
	"S διαβατήριο|διαβατηρίου\n" + // el
	"S جواز السفر|جواز سفر|الجواز|گذرنامه|پاسپورت\n" + // ar, fa
	"S דרכון\n" + // he
	"S पासपोर्ट|पारपत्र\n" + // hi
	"S หนังสือเดินทาง|พาสปอร์ต\n" + // th
	"S パスポート|旅券|护照|護照|여권\n" + // ja, zh, ko
	// Driving licences.
	"D driver license|drivers license|driving license|driving licence|driver licence|drivers licence|" +
	"~license number|~licence number|#license|#licence|dl number|#dl|~driver number|driving permit|" +
	"driver lic|drivers lic\n" + // en: ISO/IEC 18013; DVLA
	"D führerschein|fuehrerschein|fahrerlaubnis|führerausweis\n" + // de: FeV
	"D permis de conduire|~permis\n" + // fr: ANTS
	"D permiso de conducir|licencia de conducir|carnet de conducir|licencia de manejo|#licencia|" +
	"permiso de conducción\n" + // es: DGT
	"D patente di guida|patente\n" + // it: MIT
	"D cnh|carteira de motorista|carta de condução|habilitação\n" + // pt: DENATRAN; IMT
	"D rijbewijs\n" + // nl: RDW
	"D prawo jazdy|prawa jazdy\n" + // pl: CEPiK
	"D körkort|kørekort|førerkort|ajokortti|ajokortin\n" + // sv, da, nb, fi
	"D řidičský průkaz|řidičského průkazu|vodičský preukaz|vodičského preukazu\n" + // cs, sk
	"D vezetői engedély|jogosítvány\n" + // hu
	"D permis conducere|permisului\n" + // ro
	"D ehliyet|sürücü belgesi\n" + // tr
	"D vozačka dozvola|vozačke dozvole|vozniško dovoljenje|juhiluba|vairuotojo pažymėjimas|" +
	"vadītāja apliecība\n" + // hr, sl, et, lt, lv
	"D giấy phép lái xe|bằng lái xe|bằng lái|gplx\n" + // vi
	"D surat izin mengemudi|#sim|lesen memandu\n" + // id, ms
	"D водительское удостоверение|водительского удостоверения|водительские права|посвідчення водія|" +
	"водійське посвідчення|шофьорска книжка|свидетелство за управление\n" + // ru, uk, bg
	"D άδεια οδήγησης|άδειας οδήγησης|δίπλωμα οδήγησης|οδήγησης\n" + // el
	"D رخصة القيادة|رخصة السياقة|رخصة قيادة|گواهینامه\n" + // ar, fa
	"D רישיון נהיגה\n" + // he
	"D ड्राइविंग लाइसेंस|चालक लाइसेंस\n" + // hi
	"D ใบขับขี่|ใบอนุญาตขับขี่\n" + // th
	"D 免許証|運転免許|驾驶证|驾照|駕照|駕駛執照|운전면허|면허번호\n" + // ja, zh, ko
	// Postal addresses.
	"A ~address|street address|home address|~address line|~street|postal address|residential address|" +
	"mailing address|billing address|shipping address|delivery address|permanent address|current address|" +
	"physical address|residence address|~lives at|~resides at|~ship to|~deliver to|~residence|" +
	"street and number|house number\n" + // en: UPU S42
	"A anschrift|~adresse|postanschrift|wohnanschrift|wohnadresse|lieferadresse|lieferanschrift|" +
	"rechnungsadresse|~wohnhaft in|~wohnort|~strasse|~straße|straße und hausnummer|strasse hausnummer|" +
	"meldeadresse\n" + // de: DIN 5008
	"A adresse postale|~domicile|adresse de livraison|adresse de facturation|~demeurant au\n" + // fr: NF Z 10-011
	"A ~dirección|~domicilio|dirección postal|domicilio fiscal|dirección de envío\n" + // es
	"A ~indirizzo|~residenza|indirizzo di residenza|indirizzo di spedizione|~residente in\n" + // it
	"A ~endereço|endereço residencial|endereço de entrega|~morada|~logradouro\n" + // pt
	"A ~adres|woonadres|postadres|adres zamieszkania|thuisadres|afleveradres|bezorgadres|" +
	"adres zameldowania|adres korespondencyjny|adres do korespondencji\n" + // nl, pl
	"A ~adress|gatuadress|postadress|bostadsadress|hemadress|leveransadress|bopæl|bostedsadresse|" +
	"postadresse|gateadresse|hjemmeadresse|privatadresse\n" + // sv, da, nb
	"A ~osoite|kotiosoite|postiosoite|katuosoite\n" + // fi
	"A ~adresa|trvalé bydliště|~bydliště|adresa bydliště|trvalý pobyt|~bydlisko\n" + // cs, sk, ro, hr
	"A ~lakcím|~cím|lakóhely\n" + // hu
	"A ~adresi|ev adresi|ikametgah|teslimat adresi\n" + // tr
	"A ~naslov|~aadress|~adresas\n" + // sl, et, lt, lv
	"A ~địa chỉ|nơi ở|thường trú\n" + // vi
	"A ~alamat|alamat rumah\n" + // id, ms
	"A адрес|прописка|проживает|местожительства|место жительства\n" + // ru, uk, bg
	"A διεύθυνση|διευθυνση\n" + // el
	"A العنوان|عنوان السكن|آدرس|نشانی\n" + // ar, fa
	"A כתובת\n" + // he
	"A पता\n" + // hi
	"A ที่อยู่\n" + // th
	"A 住所|地址|住址|居住地|주소\n" + // ja, zh, ko
	// Bank accounts.
	"K bank account|iban|~account no|acct number|~acct|bank acct|~routing|sort code|bsb|#bank|" +
	"checking account|savings account|deposit account|#transit|#account|clabe|ifsc|aba number|#aba\n" + // en: ABA; Pay.UK; APCA
	"K kontonummer|bankkonto|bankverbindung|~konto|#giro|girokonto|bankleitzahl|blz\n" + // de
	"K compte bancaire|#compte|~rib|code guichet|numéro de compte bancaire\n" + // fr: Banque de France
	"K cuenta bancaria|cuenta corriente|cuenta de ahorro|cuenta de ahorros|~cuenta|cbu|~ccc\n" + // es: BCRA; Banxico
	"K conto corrente|conto bancario|#conto\n" + // it
	"K conta bancária|dados bancários|conta corrente|conta poupança|agência e conta|~conta\n" + // pt: BCB
	"K bankrekening|rekeningnummer|~rekening\n" + // nl
	"K rachunek bankowy|konto bankowe|#rachunku|numer konta|#konta|nr konta|nrb\n" + // pl
	"K clearingnummer|bankgiro|plusgiro|#kontonr\n" + // sv, da, nb
	"K tilinumero|pankkitili|#tili\n" + // fi
	"K číslo účtu|bankovní účet|#účtu|bankový účet\n" + // cs, sk
	"K bankszámla|számlaszám\n" + // hu
	"K cont bancar|contul bancar|#cont|contului\n" + // ro
	"K hesap numarası|banka hesabı|#hesap\n" + // tr
	"K bankovni račun|broj računa|#računa|bančni račun|#pangakonto|banko sąskaita|bankas konts\n" + // hr, sl, et, lt, lv
	"K số tài khoản|tài khoản ngân hàng|stk|#tài khoản\n" + // vi
	"K no rekening|akaun bank|#akaun\n" + // id, ms
	"K номер счета|номер счёта|расчетный счет|расчётный счёт|лицевой счет|банковский счет|рахунок|" +
	"рахунку|банкова сметка\n" + // ru, uk, bg
	"K αριθμός λογαριασμού|λογαριασμός|λογαριασμού\n" + // el
	"K رقم الحساب|الحساب البنكي|حساب بنكي|شماره حساب\n" + // ar, fa
	"K חשבון בנק|מספר חשבון\n" + // he
	"K खाता संख्या|बैंक खाता|खाता नंबर\n" + // hi
	"K เลขที่บัญชี|บัญชีธนาคาร|เลขบัญชี\n" + // th
	"K 口座|银行账号|账号|银行卡|帳號|账户|銀行帳戶|계좌\n" + // ja, zh, ko
	// Taxpayers' numbers.
	"T tax id|tax code|tax identification|taxpayer id|taxpayer identification|#tax|#taxpayer|~tin|itin|" +
	"~ein|tax file number|tfn|abn|acn|#australian business|#business|vat|#vat|vat id|utr|" +
	"taxpayer reference|employer identification|#tax reference|gst number|#gst|gstin|pan number|~pan|" +
	"#pan card|permanent account number|ird number|#ird|ppsn|pps number|#kra|kra pin|~uen\n" + // en: IRS; HMRC; ATO; CBDT
	"T steuernummer|steuer id|~id nr|#steueridentifikations|steuerliche identifikationsnummer|#steuer|" +
	"umsatzsteuer id|steuerliche id|ust id|ust idnr|~idnr|steuer idnr|~uid nummer|#mwst|mwst|" +
	"uid nr|#finanzamt|~identifikationsnummer\n" + // de: BZSt; BMF (AT); BFS (CH)
	"T numéro fiscal|#fiscal|numéro fiscal de référence|siren|siret|#tva|numéro de tva|#spi|" +
	"référence fiscale\n" + // fr: DGFiP; INSEE
	"T ~nif|~rfc|#identificación fiscal|cuit|cuil|#tributaria|~nit|ruc|cédula fiscal\n" + // es: AEAT; SAT; AFIP; SUNAT; DIAN
	"T codice fiscale|partita iva|p. iva|p.iva|piva|#fiscale|#iva\n" + // it: Agenzia delle Entrate
	"T cpf|cnpj|contribuinte|inscrição estadual\n" + // pt: Receita Federal; AT
	"T btw nummer|btw id|#btw|#fiscaal|rsin|sofinummer|kvk nummer|#kvk\n" + // nl: Belastingdienst
	"T ~nip|regon|#podatnika|#identyfikacji podatkowej|#nip\n" + // pl: KAS
	"T organisationsnummer|organisasjonsnummer|org nr|orgnr|#skatte|skattenummer|momsnummer|cvr|" +
	"se nummer|#cvr|#moms|momsregistreringsnummer|~tin nummer\n" + // sv, da, nb: Skatteverket; Brreg; Virk
	"T verotunnus|y tunnus|alv numero|veronumero\n" + // fi: Vero
	"T daňové identifikační číslo|~dič|~ičo|#dič|#ičo|#daňové\n" + // cs, sk: MFČR
	"T adószám|adóazonosító jel|adóazonosító\n" + // hu: NAV
	"T cod fiscal|cod de identificare fiscală|~cui|~cif\n" + // ro: ANAF
	"T vergi kimlik|#vergi|vergi numarası|vkn\n" + // tr: GİB
	"T davčna številka|porezni broj|mokesčių mokėtojo|#pvm|#davčna\n" + // sl, hr, lt
	"T mã số thuế|~mst|~mã số doanh nghiệp\n" + // vi
	"T npwp|wajib pajak|#cukai|cukai pendapatan\n" + // id, ms: DJP; LHDN
	"T инн|огрн|кпп|єдрпоу|іпн|рнокпп|эик|еик|податков|налогоплательщик\n" + // ru, uk, bg
	"T αφμ|α.φ.μ.|φορολογικό μητρώο|φορολογικού μητρώου\n" + // el
	"T الرقم الضريبي|الضريبي\n" + // ar
	"T מספר עוסק|ח.פ.\n" + // he
	"T पैन|जीएसटी\n" + // hi
	"T ผู้เสียภาษี\n" + // th
	"T 納税者|法人番号|税号|統一編號|统一社会信用代码|納税|纳税人|税务登记|사업자등록|사업자 등록|납세자\n" + // ja, zh, ko
	// Numbers of patients and of insurances.
	"M patient record|ihi|healthcare identifier|#health|mrn|medical record|medical records|patient id|" +
	"health insurance|#health plan|nhs|medicare|medicaid|health card|insurance member id|~member id|" +
	"#member|health id|chi number|#chi|phn|#phn|ohip|~personal health|#hospital|insurance policy|" +
	"~insurance id|~policy number|#insurance|#policy|medicare card|#chart|health record|mbi|hicn|" +
	"#beneficiary|nhi|#nhi|abha|abha id|~subscriber id\n" + // en: CMS; NHS Data Dictionary
	"M krankenversicherten|versichertennummer|#versicherten|#patienten|#krankenkassen|#krankenkasse|" +
	"#krankenversicherung|krankenkassennummer|kvnr|versicherungsnummer|#versicherungs|" +
	"#versichertenkarten|versicherungspolice|fallnummer|patientenakte|#akten\n" + // de: gematik
	"M carte vitale|dossier médical|#assuré|#dossier patient|numéro d'assurance|#assurance maladie|" +
	"#mutuelle|ramq|#adhérent\n" + // fr: Ameli
	"M historia clínica|tarjeta sanitaria|#paciente|seguro médico|#afiliado|#póliza|obra social|" +
	"expediente médico|expediente clínico|#seguro\n" + // es
	"M cartella clinica|tessera sanitaria|#paziente|#polizza|#assistito\n" + // it
	"M cartão sus|~cns|prontuário|#beneficiário|#utente|cartão de saúde|carteirinha|#apólice|" +
	"número de utente|cartão nacional de saúde\n" + // pt: DATASUS; SNS
	"M zorgverzekering|zorgpas|#patiënt|#zorgverzekerings|#zorgverzekeraar|polisnummer|relatienummer zorg\n" + // nl
	"M #pacjenta|#ubezpieczenia|#polisy|karta pacjenta|#karty pacjenta\n" + // pl: NFZ
	"M journalnummer|patientnummer|pasientnummer|sundhedskort|sygesikring|sygesikringsnummer|" +
	"#försäkrings|#forsikrings|#pasient|#journal|helsekort\n" + // sv, da, nb
	"M potilasnumero|#potilas|kela kortti|vakuutusnumero|#vakuutus\n" + // fi: Kela
	"M číslo pojištěnce|#pojištěnce|#pacienta|#poistenca|#pojistky\n" + // cs, sk
	"M taj|taj szám|betegazonosító|#biztosítási\n" + // hu: NEAK
	"M card de sănătate|fișa medicală|#pacientului|#asigurare\n" + // ro: CNAS
	"M #hasta|#poliçe|#protokol|#sigorta\n" + // tr: SGK
	"M broj osiguranika|~mbo|#osiguranika|zdravstvena kartica|kzz\n" + // hr, sl
	"M bảo hiểm y tế|mã bệnh nhân|bhyt|số bảo hiểm|bệnh nhân\n" + // vi
	"M rekam medis|bpjs|rekod perubatan|#pasien|#pesakit|#polis\n" + // id, ms
	"M полис омс|полис|омс|медицинская карта|медкарта|медицинской карты|история болезни\n" + // ru
	"M αριθμός ασθενούς|ασθενούς\n" + // el
	"M رقم المريض|الملف الطبي|التأمين الصحي|رقم التأمين\n" + // ar
	"M קופת חולים|מספר מטופל\n" + // he
	"M मरीज|रोगी|बीमा\n" + // hi
	"M ผู้ป่วย|ประกันสุขภาพ\n" + // th
	"M 患者|保険証|被保険者|カルテ|診察券|病历号|病歷號|病案号|医保|社保|就诊卡|保单|환자|건강보험|의료보험|진료|보험증권\n" + // ja, zh, ko
	// Names of persons. "Name" alone is no label: files, hosts and tables have names.
	"F ^name of|^name des|^name der|^nom|^nome|^nombre|^naam|^namn|^navn|^nimi|^nev|^neve|^nume|^jmeno|" +
	"^meno|^ime|^imie|^dane|^adi|^ismi|^nazwa|^customer name|^patient name|^employee name|^guest name|" +
	"^recipient name|^holder name|^cardholder name|^policyholder name|^passenger name|^applicant name|" +
	"^beneficiary name|^insured name|^student name|^spouse name|^father name|^mother name|^payee name|" +
	"^claimant name|^borrower name|^donor name|^subscriber name|^contact name|^person name|^kunden name|" +
	"^kunde name|^patienten name|^versicherten name|^inhaber name|^mitarbeiter name|^arbeitnehmer name|" +
	"^antragsteller name|^mieter name|^empfanger name|^kontoinhaber name|^kundin name|" +
	"^kontaktperson name\n" + // anchors of composed names
	"F full name|first name|last name|surname|given name|family name|middle name|maiden name|" +
	"patient name|card holder|account holder|" +
	"name of applicant|legal name|name on card|" +
	"beneficiary name|contact person|birth name|next of kin|" +
	"policyholder|name of holder\n" + // en: ICAO 9303; W3C Autofill
	"F vorname|nachname|familienname|geburtsname|kontoinhaber|" +
	"karteninhaber|vollständiger name|ansprechpartner|" +
	"name der kundin|versicherungsnehmer|zuname\n" + // de: PAuswV
	"F nom complet|nom de famille|prénom|nom de naissance|prénom et nom|" +
	"titulaire du compte|titulaire de la carte|nom de jeune fille\n" + // fr: CERFA
	"F nombre completo|apellidos|apellido|titular de la cuenta|" +
	"nombre de pila|titular de la tarjeta|nombre del cliente\n" + // es: DGP
	"F nome completo|cognome|intestatario|sobrenome|apelido|" +
	"titular da conta|nominativo|titolare del conto|" +
	"cognome e nome|titolare della carta\n" + // it, pt: ANPR; Receita Federal
	"F volledige naam|achternaam|voornaam|rekeninghouder|geboortenaam|kaarthouder|" +
	"tenaamstelling\n" + // nl: BRP
	"F nazwisko|imię|imiona|nazwisko rodowe|posiadacz rachunku\n" + // pl: PESEL
	"F förnamn|efternamn|fullständigt namn|fornavn|etternavn|efternavn|fulde navn|fullt navn|kontohaver|" +
	"kontoinnehavare|etunimi|sukunimi|koko nimi\n" + // sv, da, nb, fi
	"F příjmení|priezvisko|křestní jméno|teljes név|vezetéknév|keresztnév|nume și prenume|prenume|" +
	"nume complet|nume de familie|ime in priimek|prezime|családi név\n" + // cs, sk, hu, ro, hr, sl
	"F ad soyad|soyadı|isim soyisim|họ và tên|nama lengkap|nama pasien|nama penuh\n" + // tr, vi, id, ms
	"F фамилия|фамилия имя отчество|фио|ф.и.о.|имя и фамилия|отчество|прізвище|піб|име и фамилия|" +
	"фамилно име|ονοματεπώνυμο|επώνυμο|الاسم الكامل|اسم المريض|اسم العائلة|الاسم الثلاثي|نام خانوادگی|" +
	"שם מלא|שם משפחה|पूरा नाम|उपनाम|ชื่อ-นามสกุล|ชื่อและนามสกุล|นามสกุล|氏名|お名前|姓名|患者姓名|患者名|契約者名|担当者名|申請者名|" +
	"受取人名|顧客名|お客様名|名義人|联系人|收件人|持卡人|성명|이름|환자명|예금주\n" + // ru, uk, bg, el, ar, he, hi, th, ja, zh, ko
	// Numbers that a state gives a person.
	"N national id|national identity|#national|national insurance|nino|~ni number|social security|" +
	"social insurance|~sin|identity card|id card|identity number|#identification|#citizen|citizen id|" +
	"#resident|resident id|south african id|~sa id|national identification|id document|identity document|" +
	"government id|individual number|~nin|bvn|cnic|emirates id|iqama|voter id|~epic number|~epic no|" +
	"green card|alien registration|alien number|uscis number|national number|personal id|" +
	"personal identification|personal identity|nric|fin number|philsys|kennitala|matricule|hkid|" +
	"hong kong identity|mykad|aadhaar|aadhar|uidai|~uid|umid\n" + // en: SSA; HMRC NIM39110; UIDAI; ICA
	"N personalausweis|ausweisnummer|#ausweis|#personal|#personen|#sozialversicherungs|" +
	"#sozialversicherung|#rentenversicherungs|svnr|sv nummer|sv nr|ahv|avs|ahvn13|#ahv|#avs|ahv nummer|" +
	"bürgernummer|perso nr\n" + // de: DRV; BMI; SVS (AT); ZAS (CH)
	"N sécurité sociale|sécu|assurance sociale|~nir|insee|carte identité|~cni|numéro d'identité|" +
	"#identité|carte nationale d'identité|registre national|rijksregisternummer|titre de séjour\n" + // fr: INSEE; RRN (BE)
	"N dni|~nie|#identidad|seguridad social|nuss|curp|clave única de registro|~rut|~run|cédula|" +
	"documento de identidad|cédula de identidad|cédula de ciudadanía|documento nacional de identidad|" +
	"#nss|~nss|~imss|clave de elector|#dni|~ine|documento nacional|permiso de residencia\n" + // es: DGP; RENAPO; SII; RENIEC
	"N carta identità|#identità|documento d'identità\n" + // it
	"N ~rg|registro geral|#identidade|carteira de identidade|cartão de cidadão|bilhete de identidade|" +
	"~nis|~pis|~pis pasep|título de eleitor|segurança social|niss|#rg\n" + // pt: SSP; IRN
	"N bsn|burgerservicenummer|#burgerservice|identiteitskaart|#identiteits\n" + // nl: RvIG
	"N pesel|dowód osobisty|dowodu osobistego|#dowodu|numer dowodu|#dowód\n" + // pl: gov.pl
	"N #person|#pers|personnummer|#samordnings|cpr|#fødsels|d nummer|fnr\n" + // sv, da, nb
	"N henkilötunnus|hetu|henkilötunnuksen|henkilökortti\n" + // fi: DVV
	"N rodné číslo|rodného čísla|občanský průkaz|občanského průkazu|občiansky preukaz|číslo op|#op\n" + // cs, sk
	"N személyi igazolvány|személyi azonosító|#személyi|személyigazolvány\n" + // hu
	"N cnp|cod numeric personal|carte de identitate|#buletin|serie și număr ci\n" + // ro: DEPABD
	"N tc kimlik|tckn|~kimlik|t.c. kimlik|#tc|nüfus cüzdanı\n" + // tr: NVİ
	"N oib|jmbg|emšo|osobna iskaznica|osobne iskaznice|isikukood|asmens kodas|personas kods|#osobne|" +
	"lična karta|osebna izkaznica|egn\n" + // hr, sr, sl, et, lt, lv, bg
	"N cccd|cmnd|căn cước|chứng minh nhân dân|căn cước công dân\n" + // vi
	"N nik|ktp|#ktp|#nik|nomor induk kependudukan|kad pengenalan|#kp\n" + // id, ms
	"N снилс|паспортные данные|егн|лична карта|ідентифікаційний код|удостоверение личности\n" + // ru, uk, bg
	"N αμκα|α.μ.κ.α.|ταυτότητα|ταυτότητας\n" + // el
	"N رقم الهوية|الهوية|الرقم القومي|رقم الإقامة|بطاقة الهوية|الرقم الوطني|کد ملی|کدملی\n" + // ar, fa
	"N תעודת זהות|ת.ז.|ת\"ז|מספר זהות\n" + // he
	"N आधार\n" + // hi
	"N บัตรประชาชน|ประจำตัวประชาชน\n" + // th
	"N マイナンバー|個人番号|在留カード|证件|身份证|身分證|身份證|居民身份|주민등록|외국인등록|주민번호" // ja, zh, ko
