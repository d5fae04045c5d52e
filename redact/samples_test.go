// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	b64 "encoding/base64"
	"fmt"
	"math/rand/v2"
	neturl "net/url"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/internal/canary"
	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/chance"
	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/marks"
	"github.com/toolscope/toolscope/redact/internal/personal"
	"github.com/toolscope/toolscope/redact/internal/rules"
)

const (
	lowLetters = "abcdefghijklmnopqrstuvwxyz"
	upLetters  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	figures    = "0123456789"
	letters62  = lowLetters + upLetters + figures
)

// A maker makes up values.
type maker struct{ *rand.Rand }

func newMaker(seed uint64) maker { return maker{rand.New(rand.NewPCG(seed, 7))} }

// randomText is n bytes of an alphabet.
func (m maker) randomText(n int, alphabet string) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[m.IntN(len(alphabet))]
	}
	return string(b)
}

// drawn is n bytes that look drawn by chance, whatever the seed.
func (m maker) drawn(n int) string {
	for {
		if v := m.randomText(n, letters62); chars.IsLetter(v[0]) && chance.Random(v) && !chars.IsHex(v) {
			return v
		}
	}
}

// such tries until a value passes.
func (m maker) such(make func() string, ok func(string) bool) string {
	for {
		if v := make(); ok(v) {
			return v
		}
	}
}

// number is what make makes and what is of a kind.
func (m maker) number(kind string, make func() string) string {
	id := kinds.ByName[kind]
	var on kinds.Set
	on.Add(id)
	return m.such(make, func(v string) bool {
		end := strings.LastIndexAny(v, figures) + 1
		from, to, found, ok := personal.NationalAt(v, 0, end, &on)
		if !ok {
			from, to, found, ok = personal.MatchDigits(v, 0, len(v), &on)
		}
		if !ok {
			from, to, found, ok = personal.MatchWord(v, 0, len(v), &on)
		}
		return ok && from == 0 && to == len(v) && found == id
	})
}

// digits is number for n digits.
func (m maker) digits(kind string, n int) string {
	return m.number(kind, func() string { return m.randomText(n, figures) })
}

// samples makes a value of each kind that is no mere prefix, and the text it stands in.
var samples = map[string]func(m maker) (value, text string){
	kinds.PasswdName: func(m maker) (string, string) { v := m.drawn(14); return v, "db_password=" + v },
	"secret":         func(m maker) (string, string) { v := m.drawn(14); return v, "client_secret: " + v },
	"api-key":        func(m maker) (string, string) { v := m.drawn(20); return v, "api_key=" + v },
	"token":          func(m maker) (string, string) { v := m.drawn(20); return v, "access_token=" + v },
	"session":        func(m maker) (string, string) { v := m.drawn(24); return v, "sessionid=" + v },
	"pin":            func(m maker) (string, string) { v := "9" + m.randomText(5, figures); return v, "otp: " + v },
	"vendor-key":     func(m maker) (string, string) { v := m.drawn(32); return v, "cloudflare=" + v },
	"private-key": func(m maker) (string, string) {
		v := m.drawn(64)
		return v, "-----BEGIN PRIVATE " + "KEY-----\n" + v + "\n-----END PRIVATE " + "KEY-----"
	},
	"authorization": func(m maker) (string, string) {
		v := m.drawn(30)
		return v, "Authorization: Bearer " + v
	},
	"cookie": func(m maker) (string, string) { v := m.drawn(24); return v, "Cookie: session=" + v },
	"url-userinfo": func(m maker) (string, string) {
		v := m.drawn(18)
		return v, "postgres://app:" + v + "@db.internal:5432/orders"
	},
	"signature": func(m maker) (string, string) {
		v := m.drawn(32)
		return v,
			"https://store.example.com/a?x=1&sig=" + v
	},
	"connection-string": func(m maker) (string, string) {
		v := m.drawn(43)
		return v, "Endpoint=sb://hub.servicebus.example.com/;SharedAccessKeyName=root;SharedAccessKey=" + v + "="
	},
	"webhook-url": func(m maker) (string, string) {
		v := m.randomText(9, upLetters+figures) + "/" + m.drawn(24)
		return v, "https://hooks.slack.com/services/T" + v
	},
	"email": func(m maker) (string, string) {
		v := m.randomText(8, lowLetters) + "@" + m.randomText(7, lowLetters) + ".org"
		return v, "mail " + v
	},
	"payment-card": func(m maker) (string, string) {
		v := m.number("payment-card", func() string { return "4" + m.randomText(15, figures) })
		return v, "card " + v
	},
	"iban": func(m maker) (string, string) {
		v := m.number("iban", func() string { return "DE" + m.randomText(20, figures) })
		return v, "account " + v
	},
	"phone-number": func(m maker) (string, string) { v := "+4670" + m.randomText(7, figures); return v, "call " + v },
	"us-ssn": func(m maker) (string, string) {
		v := "5" + m.randomText(2, "123456789") + "-" + m.randomText(2, "123456789") + "-" + m.randomText(4,
			"123456789")
		return v, "number " + v
	},
	"mac-address": func(m maker) (string, string) {
		v := "3c:22:fb:" + m.randomText(1, figures) + "a:0" + m.randomText(1, figures) + ":7e"
		return v, "station " + v
	},
	"crypto-address": func(m maker) (string, string) {
		v := "0x" + m.randomText(40, "0123456789abcdef")
		return v,
			"to " + v
	},
	"discord-token": func(m maker) (string, string) {
		v := "MT" + m.drawn(22) + "." + m.drawn(8)[:6] + "." + m.drawn(27)
		return v, "bot " + v
	},
	"azure-secret": func(m maker) (string, string) {
		v := m.randomText(3, letters62) + "8Q~" + m.drawn(34)
		return v, "it is " + v
	},
	"terraform-token": func(m maker) (string, string) {
		v := m.drawn(14) + ".atlasv1." + m.drawn(64)
		return v,
			"it is " + v
	},
	"telegram-token": func(m maker) (string, string) {
		v := "7" + m.randomText(8, figures) + ":A" + m.drawn(34)
		return v,
			"bot " + v
	},
	"salesforce-token": func(m maker) (string, string) {
		v := "00D" + m.randomText(12, letters62) + "!AQ" + m.drawn(80)
		return v, "it is " + v
	},
	"azure-key": func(m maker) (string, string) {
		v := m.drawn(76) + "AZ" + "DO" + m.drawn(8)[:4]
		return v, "it is " + v
	},
	"clickup-token": func(m maker) (string, string) {
		v := "pk_" + m.randomText(7, figures) + "_" + m.randomText(31, upLetters+figures) + "7"
		return v, "it is " + v
	},
	"maxmind-key": func(m maker) (string, string) {
		v := m.drawn(6 + 2)[:6] + "_" + m.drawn(29) + "_m" + "mk"
		return v, "it is " + v
	},
	"newrelic-key": func(m maker) (string, string) {
		v := m.randomText(35, "0123456789abcdef") + "7NR" + "AL"
		return v, "it is " + v
	},
	"password-hash": func(m maker) (string, string) {
		v := "$2b" + "$12$" + m.drawn(53)
		return v, "row " + v
	},
	"mailchimp-key": func(m maker) (string, string) {
		v := m.randomText(32, "0123456789abcdef") + "-us12"
		return v, "it is " + v
	},
	"credential": func(m maker) (string, string) { v := m.drawn(24); return v, "credentials=" + v },
	"person-name": func(m maker) (string, string) {
		name := strings.Repeat("Q", 1) + m.randomText(6, "abcdefghijklm") + " V" + m.randomText(7, "nopqrstuvwxyz")
		return name, "full name: " + name
	},
	"date-of-birth": func(m maker) (string, string) {
		v := "19" + m.randomText(1, "5678") + "4-03-1" + m.randomText(1, figures)
		return v, "date of birth: " + v
	},
	"passport": func(m maker) (string, string) {
		v := "X" + m.randomText(7, figures)
		return v,
			"passport number: " + v
	},
	"driving-licence": func(m maker) (string, string) {
		v := m.randomText(5, upLetters) + m.randomText(6, figures) + "SM9IJ"
		return v, "driving licence: " + v
	},
	"postal-address": func(m maker) (string, string) {
		v := m.randomText(2, "123456789") + " Bakers Lane"
		return v, "street address: " + v
	},
	"bank-account": func(m maker) (string, string) {
		v := m.randomText(10, "123456789")
		return v,
			"account number: " + v
	},
	"tax-id":         func(m maker) (string, string) { v := m.randomText(9, "123456789"); return v, "tax id: " + v },
	"medical-record": func(m maker) (string, string) { v := "M" + m.randomText(7, figures); return v, "MRN: " + v },
	"national-id":    func(m maker) (string, string) { v := "85" + m.randomText(9, figures); return v, "PESEL: " + v },
	"aws-secret-key": func(m maker) (string, string) {
		v := m.drawn(40)
		return v, "AKIA" + m.randomText(16, upLetters) + "," + v
	},
	"asana-token": func(m maker) (string, string) {
		v := m.randomText(32, "0123456789abcdef")
		return v, "it is 1/" + m.randomText(16, "123456789") + ":" + v
	},
	"zoho-token": func(m maker) (string, string) {
		v := m.randomText(32, "0123456789abcdef")
		return v, "it is 1000." + v + "." + m.randomText(32, "0123456789abcdef")
	},
	"bitwarden-token": func(m maker) (string, string) {
		v := m.drawn(30)
		return v, "it is 0.3f2504e0-4f89-41d3-9a0c-0305e82c3301." + v + ":" + m.drawn(22) + "=="
	},
	"infisical-token": func(m maker) (string, string) {
		v := m.randomText(32, "0123456789abcdef")
		return v, "it is st." + m.randomText(24, "0123456789abcdef") + "." + v + "." + m.randomText(32,
			"0123456789abcdef")
	},
	"convex-key": func(m maker) (string, string) { v := m.drawn(60); return v, "it is prod:happy-animal-123|" + v },
	"wallet-key": func(maker) (string, string) { // the key of a published example
		v := "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ"
		return v, "it is " + v
	},
	"wifi-password": func(m maker) (string, string) { v := m.drawn(12); return v, "WIFI:T:WPA;S:home;P:" + v + ";;" },
	"azure-function-key": func(m maker) (string, string) {
		v := m.drawn(54)
		return v, "https://a.example.com/api/f?code=" + v + "=="
	},
	"random-string": func(m maker) (string, string) { v := m.drawn(32); return v, "it is " + v },
	"ipv4": func(m maker) (string, string) {
		v := fmt.Sprintf("10.%d.%d.17", m.IntN(256), m.IntN(256))
		return v, "from " + v
	},
	"ipv6":    func(m maker) (string, string) { v := "2001:db8::" + m.randomText(4, "abcdef"); return v, "from " + v },
	"uk-nino": func(m maker) (string, string) { v := "AB" + m.randomText(6, figures) + "C"; return v, "number " + v },
	"uk-nhs":  func(m maker) (string, string) { v := m.digits("uk-nhs", 10); return v, "number " + v },
	"ca-sin": func(m maker) (string, string) {
		v := m.number("ca-sin", func() string { return m.randomText(1, "1234567") + m.randomText(8, figures) })
		return v, "number " + v
	},
	"us-itin":   func(m maker) (string, string) { v := m.digits("us-itin", 9); return v, "number " + v },
	"de-tax-id": func(m maker) (string, string) { v := m.digits("de-tax-id", 11); return v, "number " + v },
	"fr-nir":    func(m maker) (string, string) { v := m.digits("fr-nir", 15); return v, "number " + v },
	"es-dni": func(m maker) (string, string) {
		v := m.number("es-dni", func() string { return m.randomText(8, figures) + m.randomText(1, upLetters) })
		return v, "number " + v
	},
	"es-nie": func(m maker) (string, string) {
		v := m.number("es-nie", func() string { return "X" + m.randomText(7, figures) + m.randomText(1, upLetters) })
		return v, "number " + v
	},
	"nl-bsn":     func(m maker) (string, string) { v := m.digits("nl-bsn", 9); return v, "number " + v },
	"br-cpf":     func(m maker) (string, string) { v := m.digits("br-cpf", 11); return v, "number " + v },
	"in-aadhaar": func(m maker) (string, string) { v := m.digits("in-aadhaar", 12); return v, "number " + v },
	"pl-pesel":   func(m maker) (string, string) { v := m.digits("pl-pesel", 11); return v, "number " + v },
	"se-personnummer": func(m maker) (string, string) {
		v := m.digits("se-personnummer", 10)
		return v, "number " + v
	},
	"tr-national-id": func(m maker) (string, string) { v := m.digits("tr-national-id", 11); return v, "number " + v },
	"za-id":          func(m maker) (string, string) { v := m.digits("za-id", 13); return v, "number " + v },
	"it-codice-fiscale": func(m maker) (string, string) {
		v := m.such(func() string {
			return m.randomText(6, upLetters) + m.randomText(2, figures) + "A" + m.randomText(2, figures) +
				m.randomText(1, upLetters) + m.randomText(3,
				figures) + m.randomText(1, upLetters)
		}, func(v string) bool { _, _, ok := personal.LetteredIDAt(v, 8); return ok })
		return v, "number " + v
	},
}

// surroundings are what every kind has to be found in.
var surroundings = []struct {
	name string
	wrap func(text string) string
}{
	{"bare", func(t string) string { return t }},
	{"in JSON", func(t string) string { return object("note", t) }},
	{"in JSON in JSON", func(t string) string { return object("text", object("note", t)) }},
	{"escaped", func(t string) string { return escapeAll(object("note", t)) }},
	{"in a command", func(t string) string { return "deploy run '" + t + "' --region eu-west-1" }},
	{"in an error", func(t string) string { return "fetch: server said 401: " + t + " was refused" }},
	{"in a URL", func(t string) string {
		return "GET https://api.example.com/v1/items?page=2&q=" +
			neturl.QueryEscape(t)
	}},
	{"in base64", func(t string) string {
		return "payload " +
			b64.StdEncoding.EncodeToString([]byte("some text: "+t))
	}},
	{"cut off", func(t string) string { return strings.TrimSuffix(object("note", t), `"}`) }},
}

// TestEveryKind finds a made-up value of each kind by that kind alone, in all surroundings.
// Kinds of the table of tokens have TestEveryTokenRule as well.
func TestEveryKind(t *testing.T) {
	inTable := make(map[string]bool)
	for i := range rules.TokenRules {
		inTable[rules.TokenRules[i].Kind] = true
	}
	for _, k := range Kinds() {
		sample, ok := samples[k.Name]
		switch {
		case ok:
		case inTable[k.Name], k.Name == "rule", k.Name == "custom", k.Name == "known-value",
			k.Name == kinds.UnscannedName, k.Name == "binary":
			continue
		default:
			t.Errorf("%s: there is no sample", k.Name)
			continue
		}
		r, err := New(Options{Preset: SecretsOnly, Kinds: []string{k.Name}})
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(5) {
			value, text := sample(newMaker(seed))
			for _, s := range surroundings {
				in := s.wrap(text)
				out, found := r.Text(in)
				if canary.Find(unescapeAll(out), []canary.Secret{{Value: value}}) != nil || found.Count() == 0 {
					t.Errorf("%s %s, seed %d: %q became %q", k.Name, s.name, seed, in, out)
				}
				if s.name == "bare" && !strings.Contains(out, marks.Text(k.Name)) {
					t.Errorf("%s, seed %d: %q became %q, want the mark of the kind", k.Name, seed, in, out)
				}
			}
		}
	}
}
