// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/toolkit/identity"
)

// shaped is the schema of the seeds: every keyword that shapes know.
const shaped = `{"$defs":{"tree":{"type":"object","properties":{"of":{"type":"array","items":{"$ref":"#/$defs/tree"}}},"additionalProperties":{"type":"integer"}}},
	"type":"object","title":"t","properties":{
	"text":{"type":"string","minLength":2,"maxLength":4,"default":"ab"},
	"word":{"enum":["a","é",null]},"const":{"const":"x"},
	"n":{"type":"integer","minimum":-1,"maximum":10},"open":{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":0.5},
	"maybe":{"anyOf":[{"type":"string"},{"type":"null"}]},"both":{"allOf":[{"type":"number"},{"minimum":3}]},
	"list":{"type":"array","items":{"type":["boolean","string"]},"minItems":1,"maxItems":2},
	"tree":{"$ref":"#/$defs/tree"},"any":true,"no":false,"pattern":{"type":"string","pattern":"^a"}
},"required":["text","free"],"additionalProperties":{"type":"boolean"}}`

// TestAccepts tells what is known to fit without the library, and what only it may judge, right or wrong.
func TestAccepts(t *testing.T) {
	for member, want := range map[string]bool{
		`"a":true`: true, `"a":1`: false,
		`"word":"a"`: true, `"word":"é"`: true, `"word":null`: true, `"word":"b"`: false, `"word":"\u0061"`: false,
		`"const":"x"`: true, `"const":"y"`: false, `"const":{}`: false,
		`"n":10`: true, `"n":-1`: true, `"n":11`: false, `"n":1.0`: false, `"n":1e0`: false, `"n":"1"`: false,
		`"open":0.25`: true, `"open":0`: false, `"open":0.5`: false, `"open":0.4999999999999999999`: false, `"open":1e-9`: false,
		`"maybe":"s"`: true, `"maybe":null`: true, `"maybe":[]`: false,
		`"both":3`: true, `"both":2`: false, `"both":3.1`: true,
		`"list":[true]`: true, `"list":[ "s" , false ]`: true, `"list":[]`: false, `"list":[1]`: false, `"list":["","",""]`: false,
		`"tree":{"of":[{"of":[]},{"x":1}]}`: true, `"tree":{"of":[{"of":[1]}]}`: false, `"tree":{"x":"1"}`: false,
		`"any":{"x":[1,{"y":"]}"}]}`: true, `"any":"\\\""`: true, `"no":1`: false, `"pattern":"ab"`: false, `"\u0061ny":1`: false,
	} {
		text := `{"text":"ab", "free":true, ` + member + ` }`
		if got := agreed(t, shaped, text); got != want {
			t.Errorf("%s: got %v, want %v", member, got, want)
		}
	}
	for text, want := range map[string]bool{
		`{"text":"ab","free":true}`: true, `{"text":"ab"}`: false, `{"free":true}`: false, `{}`: false, `[]`: false, `5`: false,
		`{"text":"äöüß","free":false}`: true, `{"text":"a","free":true}`: false, `{"text":"abcde","free":true}`: false,
		`{"text":"a\n","free":true}`: false,
	} {
		if got := agreed(t, shaped, text); got != want {
			t.Errorf("%s: got %v, want %v", text, got, want)
		}
	}
	for schema, want := range map[string]bool{
		`true`: true, `{}`: true, `false`: false, `{"$ref":"#"}`: false, `{"allOf":[{"$ref":"#"}]}`: false,
		`{"not":{}}`: false, `{"type":["integer","null"]}`: true,
		`{"anyOf":[{"$ref":"#"},{"type":"integer"}]}`: true, `{"minimum":0.1}`: false, `{"multipleOf":1}`: false,
		`{"enum":[1,5]}`: false, `{"format":"email"}`: true,
		`{"$schema":"http://json-schema.org/draft-07/schema#","format":"email"}`:                    false,
		`{"$schema":"http://json-schema.org/draft-04/schema#","minimum":5,"exclusiveMinimum":true}`: false,
	} {
		if got := agreed(t, schema, `5`); got != want {
			t.Errorf("%s: got %v, want %v", schema, got, want)
		}
	}
}

// TestWalkEnds: a schema that asks twice for each value, and for each in it, is left to the library.
func TestWalkEnds(t *testing.T) {
	const depth = 40
	var defs []string
	for n := range depth {
		inner := fmt.Sprintf(`{"$ref":"#/$defs/%d"}`, n+1)
		defs = append(defs, fmt.Sprintf(`"%d":{"anyOf":[{"items":%s,"maxItems":0},{"items":%s}]}`, n, inner, inner))
	}
	s, err := compile(fmt.Appendf(nil, `{"$defs":{%s,"%d":{"type":"integer"}},"$ref":"#/$defs/0"}`, strings.Join(defs, ","), depth))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("[", depth) + "5" + strings.Repeat("]", depth)
	if (shapes{}).forSchema(s).accepts([]byte(text)) {
		t.Error("got accepted, want that it gave up")
	}
}

// agreed reports whether the shape accepts a text, which the library then must, too.
func agreed(t *testing.T, schema, text string) bool {
	t.Helper()
	s, err := compile([]byte(schema))
	if err != nil {
		return false
	}
	if strings.TrimSpace(text) == "" {
		text = "{}" // as the policy does
	}
	if _, alike := identity.Of([]byte(text), nil, nil); !alike || !(shapes{}).forSchema(s).accepts([]byte(text)) {
		return false
	}
	value, err := decode([]byte(text))
	if err != nil {
		t.Errorf("%.200q: accepted, but decoding gave %v", text, err)
	} else if failure := check(s, value); failure != nil {
		t.Errorf("%.200q: accepted by the shape of %.200q, but the library says %v", text, schema, failure)
	}
	return true
}

// TestAcceptsAtRandom holds schemas made of the keywords that tools use against values made of
// what they speak of, so that most decisions are close ones.
func TestAcceptsAtRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	accepted, pairs := 0, 5_000
	for range pairs {
		schema, text := randomSchema(r, 3), randomValue(r, 3)
		if agreed(t, `{"$defs":{"d":`+randomSchema(r, 1)+`},"allOf":[`+schema+`]}`, text) {
			accepted++
		}
	}
	if accepted < pairs/10 || accepted > pairs*9/10 {
		t.Errorf("got %d of %d accepted, want some of both", accepted, pairs)
	}
}

func pick(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }

func randomSchema(r *rand.Rand, depth int) string {
	inner := func() string {
		if depth == 0 {
			return pick(r, "true", "{}", `{"type":"string"}`, `{"type":["integer","null"]}`)
		}
		return randomSchema(r, depth-1)
	}
	var members []string
	for range r.IntN(4) {
		switch r.IntN(12) {
		case 0:
			members = append(members, `"type":`+pick(r, `"object"`, `"array"`, `"string"`, `"number"`, `"integer"`,
				`["string","null"]`, `["object","array","boolean"]`))
		case 1:
			members = append(members, fmt.Sprintf(`"properties":{"a":%s,"b":%s}`, inner(), inner()))
		case 2:
			members = append(members, `"required":`+pick(r, `["a"]`, `["a","c"]`, `[]`))
		case 3:
			members = append(members, `"additionalProperties":`+pick(r, "true", "false", inner()))
		case 4:
			members = append(members, `"items":`+inner())
		case 5:
			members = append(members, pick(r, `"minItems":1`, `"maxItems":1`))
		case 6:
			members = append(members, pick(r, `"minLength":1`, `"maxLength":1`, `"enum":["x","é",null]`, `"const":"x"`, `"enum":["x",1]`))
		case 7:
			members = append(members, pick(r, `"minimum":1`, `"maximum":1.5`, `"exclusiveMinimum":1`, `"exclusiveMaximum":0.1`))
		case 8:
			members = append(members, fmt.Sprintf(`"anyOf":[%s,%s]`, inner(), inner()))
		case 9:
			members = append(members, fmt.Sprintf(`"allOf":[%s]`, inner()))
		case 10:
			members = append(members, pick(r, `"title":"x"`, `"default":1`, `"not":{"type":"string"}`, `"pattern":"x"`,
				`"uniqueItems":true`))
		case 11:
			members = append(members, pick(r, `"$ref":"#/$defs/d"`, `"$ref":"#"`))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

func randomValue(r *rand.Rand, depth int) string {
	kinds := 6
	if depth == 0 {
		kinds = 4
	}
	switch r.IntN(kinds) {
	case 0:
		return pick(r, `"x"`, `"é"`, `""`, `"\u0078"`, `"xy"`)
	case 1:
		return pick(r, "0", "1", "-1", "1.5", "1.0", "0.1", "0.10000000000000000001", "1.5000000000000000001", "1e0",
			"12345678901234567890")
	case 2:
		return pick(r, "true", "false")
	case 3:
		return "null"
	case 4:
		var items []string
		for range r.IntN(3) {
			items = append(items, randomValue(r, depth-1))
		}
		return "[" + strings.Join(items, pick(r, ",", " , ")) + "]"
	}
	var members []string
	for _, name := range []string{`"a"`, `"b"`, `"c"`, `"\u0061a"`} {
		if r.IntN(2) == 0 {
			members = append(members, name+pick(r, ":", " : ")+randomValue(r, depth-1))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

// FuzzAccepts: what a shape accepts, the library accepts; any schema, any text.
func FuzzAccepts(f *testing.F) {
	for _, text := range []string{
		`{"text":"ab","free":true,"n":10,"list":[true],"tree":{"of":[{"x":1}]}}`,
		`{"text":"\u00e4b","free":true,"open":0.1}`, `{"text":"","any":{"a":"\\"}}`,
	} {
		f.Add(shaped, text)
	}
	for _, schema := range []string{`{"minimum":0.1}`, `{"items":[{"type":"null"}],"additionalItems":false}`,
		`{"enum":["a",null,1]}`, `{"anyOf":[{"$ref":"#"},{"const":"a"}]}`} {
		f.Add(schema, `[null, "a", 0.1, 12345678901234567, -0, 1e-9999999]`)
		f.Add(`{"type":"array","items":`+schema+`}`, `["a", 0.1, 0.10000000000000000001, 1E400]`)
	}
	f.Fuzz(func(t *testing.T, schema, text string) { agreed(t, schema, text) })
}

// FuzzAcceptsAnyText: a text that is no JSON at all is walked without harm.
func FuzzAcceptsAnyText(f *testing.F) {
	for _, text := range []string{`{"a":`, `[[[`, `"\`, `{"text":"`, strings.Repeat("[", 1000), `]`, `{"any":{"a":[}`} {
		f.Add(text)
	}
	s, err := compile([]byte(shaped))
	if err != nil {
		f.Fatal(err)
	}
	sh := shapes{}.forSchema(s)
	f.Fuzz(func(_ *testing.T, text string) { sh.accepts([]byte(text)) })
}

// TestCheckSurvivesTheLibrary: the library panics where a number's exponent is huge.
func TestCheckSurvivesTheLibrary(t *testing.T) {
	s, err := compile([]byte(`{"minimum":1}`))
	if err != nil {
		t.Fatal(err)
	}
	value, err := decode([]byte(`1e9999999`))
	if err != nil {
		t.Fatal(err)
	}
	if failure := check(s, value); failure == nil || !strings.Contains(explain(s, failure), "cannot be checked") {
		t.Errorf("got %v, want a failure that says so", failure)
	}
}

// TestAcceptingAllocatesNothing: most calls fit.
func TestAcceptingAllocatesNothing(t *testing.T) {
	s, err := compile([]byte(shaped))
	if err != nil {
		t.Fatal(err)
	}
	sh, text := shapes{}.forSchema(s), []byte(
		`{"text":"äöü","word":"a","n":10,"open":0.25,"maybe":null,"list":["s",true],"tree":{"of":[{"x":1}]},"free":true}`)
	if n := testing.AllocsPerRun(100, func() {
		if !sh.accepts(text) {
			t.Error("got that it may not fit, want that it does")
		}
	}); n > 0 {
		t.Errorf("got %v allocations, want none", n)
	}
}
