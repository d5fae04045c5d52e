// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package identity_test

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/toolscope/toolscope/toolkit/identity"
)

func of(t testing.TB, text string, volatile ...string) *identity.Arguments {
	t.Helper()
	a, ok := identity.Of([]byte(text), volatile, nil)
	if !ok {
		t.Fatalf("%s has no identity", text)
	}
	return a
}

func canonical(a *identity.Arguments) string { return string(a.AppendCanonical(nil)) }

// same checks Hash, Equal both ways and AppendCanonical at once.
func same(t testing.TB, a, b string, want bool, volatile ...string) {
	t.Helper()
	x, y := of(t, a, volatile...), of(t, b, volatile...)
	if x.Equal(y) != want || y.Equal(x) != want || (x.Hash() == y.Hash()) != want || (canonical(x) == canonical(y)) != want {
		t.Errorf("%s and %s: Equal %t and %t, same hash %t, %s and %s; want %t throughout",
			a, b, x.Equal(y), y.Equal(x), x.Hash() == y.Hash(), canonical(x), canonical(y), want)
	}
}

func TestTheSameArguments(t *testing.T) {
	for _, group := range [][]string{
		{``, ` `, `{}`, "{ \n}\t"},
		{`{"a":1,"b":[true,null]}`, ` { "b" : [ true , null ] , "a" : 1 } `, `{"\u0061":1.0,"b":[true,null]}`},
		{`{"n":1}`, `{"n":1.0}`, `{"n":1e0}`, `{"n":10e-1}`, `{"n":0.1E+1}`, `{"n":100e-0002}`},
		{`{"n":0}`, `{"n":-0}`, `{"n":0.000}`, `{"n":0e999999999999999999999999}`, `{"n":-0.0e-9}`},
		{`{"n":1e999999999}`, `{"n":10e999999998}`, `{"n":0.001e1000000002}`},
		{`{"n":12345678901234567890123}`, `{"n":12345678901234567890123.00}`, `{"n":1.2345678901234567890123e22}`,
			`{"n":0.0012345678901234567890123e+25}`},
		{`{"s":"a/b\n\u00e9\ud83d\ude00"}`, `{"s":"a\/b\u000aé😀"}`},
		{`{"o":{"x":{"p":1,"q":2},"y":"z"}}`, `{"o":{"y":"\u007a","x":{"q":2e0,"p":1}}}`},
		{`[{"a":1,"b":2},[]]`, ` [ {"b":2,"a":1}, [ ] ] `},
		{`"x"`, `"\u0078"`, ` "x" `},
		{`null`, ` null`},
		{`true`, "true\n"},
	} {
		for _, a := range group {
			for _, b := range group {
				same(t, a, b, true)
			}
		}
	}
}

func TestOtherArguments(t *testing.T) {
	texts := []string{
		`{}`, `[]`, `null`, `""`, `0`, `false`, `true`, `[[]]`, `[{}]`, `[null]`, `{"":{}}`,
		`{"n":9007199254740993}`, `{"n":9007199254740992}`, `{"n":"9007199254740992"}`, `{"n":-9007199254740992}`,
		`{"n":1}`, `{"n":10}`, `{"n":"1"}`, `{"n":1e999999999}`, `{"n":1e999999998}`, `{"n":1e-999999999}`,
		`{"n":12345678901234567890123}`, `{"n":12345678901234567890124}`, `{"n":-12345678901234567890123}`,
		`{"n":1234567890123456789012300000}`,
		`{"a":1,"b":2}`, `{"a":2,"b":1}`, `{"a":1}`, `{"a":1,"b":2,"c":3}`, `{"a":{"b":2}}`, `{"A":1}`, `{"b":1}`,
		`[1,2]`, `[2,1]`, `[1,2,3]`, `[12]`, `[[1],2]`, `[1,[2]]`,
		`"\u00e9"`, `"e\u0301"`, `"a"`, `"ab"`, `["a","b"]`, `["ab"]`, `{"a":"b"}`, `{"b":"a"}`,
		`{"a":null}`, `{"a":false}`, `{"a":[]}`, `{"a":{}}`, `{"a":""}`,
	}
	for i, a := range texts {
		for j, b := range texts {
			same(t, a, b, i == j)
		}
	}
}

func TestNoIdentity(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	many := `{"a":0`
	for i := range 40 {
		many += fmt.Sprintf(`,"m%d":0`, i)
	}
	for _, text := range []string{
		`{`, `}`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{a:1}`, `[1,]`, `[1 2]`, `{"a":1}x`, `tru`, `nul`, `+1`, `01`, `1.`, `.5`,
		`1e`, `1e+`, `-`, `--1`, `0x1`, `NaN`,
		`"`, `"\x"`, `"\u12"`, `"\u12g4"`, "\"\x01\"", "\"a\nb\"", `{"a":1}{}`, `'a'`, `{,}`, `[,]`, "\xef\xbb\xbf{}",
		`{"a":1,"a":1}`, `{"a":1,"\u0061":2}`, `{"x":{"a":1,"b":2,"a":3}}`, `[{"a":1,"a":1}]`, many + `,"\u006d7":1}`,
		"\"\xff\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\"", `"\ud800"`, `"\ud800x"`, `"\ud800\u0041"`, `"\udc00\ud800"`,
		"{\"\xff\":1}", `{"\udead":1}`,
		deep(130), strings.Repeat(`{"a":`, 130) + `1` + strings.Repeat(`}`, 130),
		`1e1000000000000000000`, `1e-99999999999999999999999999`,
	} {
		for range 3 { // read, read and remembered, remembered
			if _, ok := identity.Of([]byte(text), nil, nil); ok {
				t.Errorf("%.60q has an identity", text)
			}
		}
		if identity.Equal([]byte(text), []byte(text)) {
			t.Errorf("%.60q is equal to itself, want no identity", text)
		}
	}
	of(t, deep(129))
	of(t, many+"}")
}

func TestVolatileMembersDoNotCount(t *testing.T) {
	same(t, `{"id":1,"q":"x"}`, `{"q":"x","id":2}`, true, "id")
	same(t, `{"q":"x","\u0069d":7}`, `{"q":"x"}`, true, "id")
	same(t, `{"o":{"id":1}}`, `{"o":{"id":2}}`, false, "id")
	same(t, `{"id":1}`, `{}`, true, "id", "at")
	same(t, `[{"id":1}]`, `[{"id":2}]`, false, "id")
	if _, ok := identity.Of([]byte(`{"id":1,"id":2}`), []string{"id"}, nil); ok {
		t.Error("a volatile name that is there twice: got an identity, want none")
	}
	if of(t, `{"id":1}`).Equal(of(t, `{"id":1}`, "id")) {
		t.Error("what is left of two differs, and they are equal")
	}
}

func TestManyMembersInAnyOrder(t *testing.T) {
	forward, backward := "{", "{"
	for i := range 500 {
		forward += fmt.Sprintf(`"m%d":%d,`, i, i)
		backward += fmt.Sprintf(`"\u006d%d":%d.0,`, 499-i, 499-i)
	}
	same(t, forward+`"z":0}`, backward+`"z":0}`, true)
	same(t, forward+`"z":0}`, backward+`"z":1}`, false)
}

func TestScratchIsUsedAgainAndKeptCopiesLast(t *testing.T) {
	text := []byte(`{"scratch":[1,2,3],"x":"y"}`)
	scratch := new(identity.Arguments)
	a, ok := identity.Of(text, nil, scratch)
	if !ok || a != scratch {
		t.Fatalf("got %p, %t, want the scratch %p", a, ok, scratch)
	}
	kept := a.Keep()
	hash, want := kept.Hash(), canonical(kept)
	copy(text, bytes.Repeat([]byte{' '}, len(text)))
	if _, ok := identity.Of([]byte(`{"other":1}`), nil, scratch); !ok {
		t.Fatal("no identity")
	}
	if kept.Hash() != hash || canonical(kept) != want || kept.Keep() != kept {
		t.Errorf("a kept copy changed to %s", canonical(kept))
	}
	if kept.Size() < len(text) {
		t.Errorf("Size: got %d, want at least the text's %d", kept.Size(), len(text))
	}
}

func TestRepeatedSpellingsShareOneReading(t *testing.T) {
	text := `{"repeated":"spelling","of":["one","call"]}`
	for range 2 {
		of(t, text)
	}
	if a, b := of(t, text), of(t, text); a != b || a.Keep() != a {
		t.Error("the same bytes were read again and again")
	}
	if a, b := of(t, text), of(t, text, "of"); a == b || a.Equal(b) {
		t.Error("other volatile names, the same reading")
	}
	big := `{"big":"` + strings.Repeat("x", 5000) + `"}`
	for range 3 {
		of(t, big)
	}
	if a, b := of(t, big), of(t, big); a == b {
		t.Error("long arguments stay in memory")
	}
}

func TestOfIsSafeForConcurrentUse(t *testing.T) {
	var texts []string
	for i := range 3000 { // more than are remembered
		texts = append(texts, fmt.Sprintf(`{"i":%d,"s":"text"}`, i))
	}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			scratch := new(identity.Arguments)
			for i := range texts {
				text := texts[(i*7+g)%len(texts)]
				if a, ok := identity.Of([]byte(text), nil, scratch); !ok || !a.Equal(of(t, text)) ||
					!identity.Equal([]byte(canonical(a)), []byte(text)) {
					t.Errorf("%s read as %s", text, canonical(a))
				}
			}
		})
	}
	wg.Wait()
}
