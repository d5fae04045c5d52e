// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"strings"
	"testing"

	"github.com/toolscope/toolscope/redact/internal/marks"
)

// strict is what the examples are looked for with.
func strict(t *testing.T) *Redactor {
	t.Helper()
	r, err := New(Options{Preset: Strict})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestNationalIDs finds the examples that the issuers publish, and none with another
// check digit; by default none is looked for.
func TestNationalIDs(t *testing.T) {
	r := strict(t)
	for _, c := range []struct{ kind, value, wrong string }{
		{"uk-nino", "AB 12 34 56 C", "DB 12 34 56 C"},
		{"uk-nino", "AB123456C", "AB123456E"},
		{"uk-nhs", "943 476 5919", "943 476 5918"},
		{"ca-sin", "130-692-544", "130-692-543"},
		{"us-itin", "911-70-1234", "911-69-1234"},
		{"de-tax-id", "86095742719", "86095742718"},
		{"fr-nir", "2 55 08 14 168 025 38", "2 55 08 14 168 025 39"},
		{"es-dni", "12345678Z", "12345678A"},
		{"es-nie", "X-1234567-L", "X-1234567-M"},
		{"nl-bsn", "111222333", "111222334"},
		{"br-cpf", "529.982.247-25", "529.982.247-26"},
		{"in-aadhaar", "2341 2341 2346", "2341 2341 2347"},
		{"pl-pesel", "44051401359", "44051401358"},
		{"se-personnummer", "811218-9876", "811218-9875"},
		{"se-personnummer", "19811218-9876", "19811218-9875"},
		{"tr-national-id", "10000000146", "10000000147"},
		{"za-id", "8001015009087", "8001015009086"},
		{"it-codice-fiscale", "RSSMRA85T10A562S", "RSSMRA85T10A562T"},
		{"ipv4", "192.0.2.17", "192.0.2.256"},
		{"ipv6", "2001:db8::17", "2001:db8:::17"},
		{"ipv6", "fe80::1%eth0", "fe80:::1"},
	} {
		out, found := r.Text("number " + c.value + ", as written")
		if out != "number "+marks.Text(c.kind)+", as written" {
			t.Errorf("%s %s: got %q with %v", c.kind, c.value, out, found)
		}
		if out, _ := r.Text("number " + c.wrong + ", as written"); strings.Contains(out, c.kind) {
			t.Errorf("%s %s: got %q, want it to be none", c.kind, c.wrong, out)
		}
		if out, _ := Default().Text("number " + c.value + ", as written"); strings.Contains(out, c.kind) {
			t.Errorf("%s: is looked for by default: %q", c.kind, out)
		}
		doc := object("n", c.value)
		if out, _ := r.JSON([]byte(doc)); string(out) != object("n", marks.Text(c.kind)) {
			t.Errorf("%s in JSON: got %s", c.kind, out)
		}
	}
}

// TestOneOptionalKind: each kind can be had by itself.
func TestOneOptionalKind(t *testing.T) {
	r, err := New(Options{Kinds: []string{"in-aadhaar"}})
	if err != nil {
		t.Fatal(err)
	}
	const text = "2341 2341 2346 and 10.0.0.1 and 12345678Z"
	if out, _ := r.Text(text); out != marks.Text("in-aadhaar")+" and 10.0.0.1 and 12345678Z" {
		t.Errorf("got %q", out)
	}
}

// TestBareRandom: strings that look drawn by chance go in Strict; digests, UUIDs, paths
// and words stay.
func TestBareRandom(t *testing.T) {
	r := strict(t)
	value := "q7Vt" + "9ZkM2x" + "LbW4rT8n" + "Hs6Yd3"
	if out, _ := r.Text("it is " + value + " today"); out != "it is "+marks.Text("random-string")+" today" {
		t.Errorf("got %q", out)
	}
	for _, text := range []string{
		"commit 9fceb02d0ae598e95dc970b74767f19372d61af8", "id 3f2504e0-4f89-11d3-9a0c-0305e82c3301",
		"see internal/redact/documentation/readme2.txt", "the responsibilities_of_everybody_2 are",
	} {
		if out, _ := r.Text(text); out != text {
			t.Errorf("%q became %q", text, out)
		}
	}
	if out, _ := Default().Text("it is " + value + " today"); strings.Contains(out, "random-string") {
		t.Errorf("is looked for by default: %q", out)
	}
}
