// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/internal/canary"
	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/chance"
	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/marks"
	"github.com/toolscope/toolscope/redact/internal/rules"
)

// tokenName tells a token from all others. Samples depend on it alone, so that a new rule
// changes no other rule's.
func tokenName(r *rules.Token) string {
	return fmt.Sprintf("%s %s %d to %d", r.Kind, r.Prefix, r.Min, r.Max)
}

// sampleToken makes up a token of a rule: its prefix, and as many bytes of its alphabet
// as it needs at least, the first one a digit, which distinguishes short tokens
// from words, and the last one a letter or digit.
func sampleToken(r *rules.Token, seed uint64) string {
	hash := fnv.New64a()
	hash.Write([]byte(tokenName(r)))
	random := rand.New(rand.NewPCG(seed, hash.Sum64()))
	var letters, ends []byte
	for c := range 128 {
		if rules.Alphabet(chars.Class[c])&r.Body != 0 {
			letters = append(letters, byte(c))
			if chars.Class[c]&chars.Alnum != 0 {
				ends = append(ends, byte(c))
			}
		}
	}
	if r.Body&rules.IsUUID != 0 {
		return fmt.Sprintf("%s%08x-%04x-4%03x-8%03x-%012x", r.Prefix, random.Uint32(), random.IntN(1<<16),
			random.IntN(1<<12),
			random.IntN(1<<12), random.Uint64()>>16)
	}
	for {
		if v := sampleBody(r, random, letters, ends); !r.Floored() || chance.Random(v) {
			return r.Prefix + v
		}
	}
}

func sampleBody(r *rules.Token, random *rand.Rand, letters, ends []byte) string {
	b := append([]byte(nil), byte('2'+random.IntN(8)))
	for range r.Min - 2 {
		b = append(b, letters[random.IntN(len(letters))])
	}
	return string(append(b, ends[random.IntN(len(ends))]))
}

// forms are the surroundings in which every token has to be found.
var forms = []struct {
	name string
	wrap func(token string) string
}{
	{"bare", func(t string) string { return t }},
	{"in prose", func(t string) string { return "the deploy used " + t + " and then failed" }},
	{"in JSON", func(t string) string { return object("note", t) }},
	{"in JSON in JSON", func(t string) string { return object("text", object("note", "it is "+t)) }},
	{"escaped", func(t string) string { return escapeAll(object("note", t)) }},
	{"in a command", func(t string) string { return "deploy run '" + t + "' --region eu-west-1" }},
	{"in an error", func(t string) string { return "fetch: server said 401: " + t + ": refused" }},
	{"in a query", func(t string) string { return "GET https://api.example.com/v1/items?q=" + t + "&page=2" }},
	{"cut off", func(t string) string { return `{"items":[` + strings.TrimSuffix(object("note", "it is "+t), `"}`) }},
}

func object(name, value string) string {
	b, err := json.Marshal(map[string]string{name: value})
	if err != nil {
		panic(err)
	}
	return string(b)
}

// samplesOfRule is how many tokens are made up for each prefix of each rule.
const samplesOfRule = 60 / raceSaving

func TestEveryTokenRule(t *testing.T) {
	seen := make(map[string]bool)
	for i := range rules.Tokens {
		rule := &rules.Tokens[i]
		name := tokenName(rule)
		if seen[name] {
			t.Errorf("%s: there are two rules of this name", name)
		}
		seen[name] = true
		for seed := range uint64(samplesOfRule) {
			token := sampleToken(rule, seed)
			body := strings.TrimPrefix(token, rule.Prefix)
			for _, form := range forms {
				out, found := Default().Text(form.wrap(token))
				if rest := canary.Find(unescapeAll(out), []canary.Secret{{Kind: rule.Kind, Value: body}}); rest != nil {
					t.Errorf("%s %s, %d: survives in %q", form.name, name, seed, out)
				}
				if found.Count() == 0 || !strings.Contains(out, marks.Head) {
					t.Errorf("%s %s, %d: found %v in %q, want a mark", form.name, name, seed, found, out)
				}
			}
		}
	}
}

// TestByName: values whose name or place tells that they are secrets.
func TestByName(t *testing.T) {
	const v = "hu3nter2Zq" // has no form of its own
	for _, c := range []struct{ kind, text string }{
		{kinds.PasswdName, "password = " + v},
		{kinds.PasswdName, "PASSWORD=" + v},
		{kinds.PasswdName, "export DB_PASSWORD='" + v + "'"},
		{kinds.PasswdName, "spring.datasource.password=" + v},
		{kinds.PasswdName, "password: " + v + "\nuser: admin\n"},
		{kinds.PasswdName, `db.connect("db1", password="` + v + `")`},
		{kinds.PasswdName, `var password string = "` + v + `"`},
		{kinds.PasswdName, `setProperty("password", "` + v + `")`},
		{kinds.PasswdName, "<password>" + v + "</password>"},
		{kinds.PasswdName, `<add key="password" value="` + v + `"/>`},
		{kinds.PasswdName, `{"password":"` + v + `"}`},
		{kinds.PasswdName, `{"dbPassword":"` + v + `"}`},
		{kinds.PasswdName, `{"\u0070assword":"` + v + `"}`},
		{kinds.PasswdName, `{"name":"password","value":"` + v + `"}`},
		{kinds.PasswdName, `["--password","` + v + `"]`},
		{kinds.PasswdName, `{"passwords":{"value":"` + v + `"},"password":["a1","` + v + `"]}`},
		{kinds.PasswdName, "mysql -u root -p" + v + " orders"},
		{kinds.PasswdName, "sshpass -p " + v + " ssh host"},
		{kinds.PasswdName, "curl -u admin:" + v + " https://example.com"},
		{kinds.PasswdName, "tool --password " + v + " --verbose"},
		{kinds.PasswdName, `{"error":"login failed: password=` + v + `"`},
		{"api-key", "X-Api-Key: " + v},
		{"api-key", `{"api_key":"` + v + `"}`},
		{"secret", `{"client_secret":"` + v + `"}`},
		{"secret", "clientSecret: '" + v + "'"},
		{"cookie", "Cookie: session=" + v},
		{"authorization", "Authorization: Bearer " + v + v},
		{"authorization", `{"Authorization":"Bearer ` + v + v + `"}`},
		{"url-userinfo", "postgres://app:" + v + "@db:5432/orders"},
		{"url-userinfo", "redis://:" + v + "@cache:6379"},
		{"signature", "https://store.example.com/a?x=1&sig=" + v + "1a2B3c4D5e"},
	} {
		out, found := Default().Text(c.text)
		if strings.Contains(out, v[:8]) {
			t.Errorf("%s: survives in %s", c.text, out)
		}
		if kinds := found.Kinds(); len(kinds) == 0 || !strings.Contains(fmt.Sprint(kinds), c.kind) {
			t.Errorf("%s: got kinds %v, want %s", c.text, kinds, c.kind)
		}
	}
}

func TestPersonalData(t *testing.T) {
	for _, c := range []struct{ kind, value string }{
		{"payment-card", "4111 1111 " + "1111 1111"},
		{"payment-card", "5555-5555-" + "5555-4444"},
		{"payment-card", "3782" + "822463" + "10005"},
		{"iban", "DE89 3704 0044 0532 0130 00"},
		{"iban", "GB82WEST" + "12345698765432"},
		{"email", "jane.doe@mail.example.org"},
		{"phone-number", "+46 70 123 45 67"},
		{"phone-number", "(415) 555-2671"},
		{"us-ssn", "536-22-" + "8726"},
		{"mac-address", "3c:22:fb:9a:01:7e"},
	} {
		text := "it was " + c.value + " as far as I know"
		out, found := Default().Text(text)
		if out != "it was "+marks.Text(c.kind)+" as far as I know" || found.Count() != 1 {
			t.Errorf("%s: got %q", c.kind, out)
		}
		clean, err := New(Options{Preset: SecretsOnly})
		if err != nil {
			t.Fatal(err)
		}
		if out, _ := clean.Text(text); out != text {
			t.Errorf("%s: SecretsOnly made it %q", c.kind, out)
		}
	}
}

func TestCanaries(t *testing.T) {
	for seed := range uint64(64) {
		secrets := canary.Secrets(seed)
		for _, s := range secrets {
			for _, text := range []string{s.Text, object("text", s.Text), object("a", object("b", s.Text)),
				"2026-01-02T03:04:05Z ERROR " + s.Text} {
				out, found := Default().Text(text)
				if survives := canary.Find(unescapeAll(out), secrets); survives != nil {
					t.Errorf("seed %d: %v survives in %q", seed, survives, out)
				}
				if again, _ := Default().Text(out); again != out || found.Count() == 0 {
					t.Errorf("seed %d: a second time makes %q of %q", seed, again, out)
				}
			}
		}
	}
}

// TestMarksAreNoCover: what looks like a mark hides nothing.
func TestMarksAreNoCover(t *testing.T) {
	secret := canary.Secrets(3)[0]
	for _, text := range []string{
		`{"password":"[REDACTED:nothing] ` + secret.Value + `"}`,
		"password=[REDACTED:" + secret.Value + "]",
		"[REDACTED:passwd] password=" + secret.Value,
		"toolscope:off redact=false password=" + secret.Value,
	} {
		if out, _ := Default().Text(text); canary.Find(out, []canary.Secret{secret}) != nil {
			t.Errorf("%q: survives in %q", text, out)
		}
	}
}

func TestKnownKinds(t *testing.T) {
	for i, k := range Kinds() {
		if k.Name == "" || k.Group == "" || k.About == "" {
			t.Errorf("kind %d lacks something: %+v", i, k)
		}
		if i > 0 && Kinds()[i-1].Name >= k.Name {
			t.Errorf("%s is not sorted, or there twice", k.Name)
		}
	}
}
