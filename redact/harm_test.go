// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Budgets of TestHarmGate: of what is removed of a kind, how much has to be planted, in percent.
const (
	strongBudget = 90
	weakBudget   = 80
)

// weakKinds are found by weak names, or by digits alone.
var weakKinds = map[string]bool{"api-key": true, "token": true, "session": true, "secret": true,
	"credential": true, "phone-number": true,
	"vendor-key": true}

// traffic makes a text as tools print it, with the secret in some.
func traffic(m maker, secret string) (text string) {
	pick := func(list ...string) string { return list[m.IntN(len(list))] }
	id := func(n int) string { return m.randomText(n, "0123456789abcdef") }
	uuid := id(8) + "-" + id(4) + "-4" + id(3) + "-8" + id(3) + "-" + id(12)
	n := m.IntN(900) + 100
	word := func() string {
		return pick("store", "login", "token", "session", "password", "index", "auth", "key", "config", "parser")
	}
	switch m.IntN(14) {
	case 0:
		return fmt.Sprintf("=== RUN   Test%s\n--- PASS: Test%s/%s (0.%02ds)\nPASS\nok  \texample.com/%s\t0.%ds\n",
			word(), word(), word(), n%90, word(), n)
	case 1:
		return fmt.Sprintf("PASS: %s tests\nFAIL: %s\n# TOTAL: %d\n# PASS:  %d\nok %d - pass: %s\n", word(),
			word(), n, n-3, n%7, word())
	case 2:
		return fmt.Sprintf("tests/test_%s.py::test_%s PASSED [ %d%%]\nFirst pass: %d of %d %ss\n", word(), word(),
			n%100, n, n*2, word())
	case 3:
		return fmt.Sprintf(`{"key":%q,"session":%q,"version":%d,"etag":%q}`, uuid, uuid, n, id(32))
	case 4:
		return fmt.Sprintf(`{"Contents":[{"Key":"uploads/2026/%02d/%s/photo-%d.png","ETag":"\"%s\"","Size":%d}]}`,
			n%12+1, id(12), n, id(32), n)
	case 5:
		return fmt.Sprintf("2026-01-02T03:04:05Z INFO [auth] session %s opened user=%d request=%s took=%dms "+
			"call=%d\n", uuid, n, id(16), n, n*1000003)
	case 6:
		return fmt.Sprintf("tool call %d took %d %d %d us, contact point %d.%d -%d.%d, build %d %d\n", n, n, n+1,
			n*10, n%80, n, n%170, n, n*7, n*9)
	case 7:
		return fmt.Sprintf("err := fmt.Errorf(\"bad private key: \" + err.Error())\nif password == other "+
			"{\n\treturn \"%s\", %d\n}\n", word(), n)
	case 8:
		return fmt.Sprintf(`"node_modules/%s-token": {"version": "%d.%d.1", "integrity": "sha512-%s=="}`, word(),
			n%9, n%30, m.randomText(86, letters62))
	case 9:
		return fmt.Sprintf("Name:  db\nType:  Opaque\nData\n====\npassword:  %d bytes\ntoken:     %d bytes\n",
			n%64, n%64)
	case 10:
		return fmt.Sprintf(`{"type":"object","properties":{"password":{"type":"string","description":"the password, %d `+
			`characters"},"token":"string (optional)"}}`, n)
	case 11:
		return fmt.Sprintf("order_id=4%015d isbn 978-3-16-14841%d-0 part number %d-4%d-9087\n", n*1000007, n%10, n,
			n%10)
	case 12:
		return pick(`{"user":"ann","password":"`+secret+`"}`, "export API_TOKEN="+secret+"\n",
			"id,password\n1,"+secret+"\n", "password: "+secret+"\n")
	}
	return pick("Authorization: Bearer "+secret+"\n", "postgres://app:"+secret+"@db/x", "session_secret="+secret,
		`{"token":"`+secret+`"}`)
}

// TestHarmGate: of what is removed of a kind in made-up traffic, 90 % (of weak kinds 80 %) has been
// planted, everything planted is removed, and 3 in 100 harmless texts at most are changed.
func TestHarmGate(t *testing.T) {
	m := maker{rand.New(rand.NewPCG(25, 2026))}
	var secret string
	removed, wrong := make(map[string]int), make(map[string]int)
	r, err := New(Options{Callback: func(found Match) (Action, string) {
		removed[found.Kind]++
		if !strings.Contains(found.Value, secret) {
			wrong[found.Kind]++
		}
		return Mask, ""
	}})
	if err != nil {
		t.Fatal(err)
	}
	harmless, harmed := 0, 0
	for range 4000 / raceSaving {
		secret = m.drawn(20)
		text := traffic(m, secret)
		planted := strings.Contains(text, secret)
		out, _ := r.Text(text)
		switch {
		case planted && strings.Contains(out, secret):
			t.Errorf("%q became %q", text, out)
		case !planted:
			harmless++
			if out != text {
				if harmed++; harmed < 10 {
					t.Logf("harmed: %q became %q", text, out)
				}
			}
		}
	}
	if harmed*100 > 3*harmless {
		t.Errorf("%d of %d harmless texts are changed, want 3 in 100 at most", harmed, harmless)
	}
	for kind, n := range removed {
		budget := strongBudget
		if weakKinds[kind] {
			budget = weakBudget
		}
		if right := (n - wrong[kind]) * 100 / n; right < budget {
			t.Errorf("%s: %d of %d removals are of planted values, want %d in 100", kind, n-wrong[kind], n, budget)
		}
	}
}
