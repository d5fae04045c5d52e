// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package identity_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/toolscope/toolscope/toolkit/identity"
)

// reference is the slow and obviously right identity: decoded by encoding/json, sorted,
// numbers as fractions. ok is false if there is none; sure is false where it does not
// know, because a number is too large to be written out.
func reference(text []byte) (form string, ok, sure bool) {
	if len(bytes.Trim(text, " \t\r\n")) == 0 {
		return "{}", true, true
	}
	if !json.Valid(text) || !utf8.Valid(text) || loneSurrogate(text) {
		return "", false, true
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	r := &referee{dec: dec, sure: true}
	form = r.value(0)
	return form, r.twice == "" && !r.deep, r.sure
}

type referee struct {
	dec   *json.Decoder
	twice string
	deep  bool
	sure  bool
}

func (r *referee) value(depth int) string {
	r.deep = r.deep || depth > 128
	token, err := r.dec.Token()
	if err != nil {
		panic(err)
	}
	switch v := token.(type) {
	case json.Delim:
		var parts []string
		for names := map[string]bool{}; r.dec.More(); {
			if v == '[' {
				parts = append(parts, r.value(depth+1))
				continue
			}
			name, _ := r.dec.Token()
			if names[name.(string)] {
				r.twice = name.(string) + "!"
			}
			names[name.(string)] = true
			parts = append(parts, strconv.Quote(name.(string))+":"+r.value(depth+1))
		}
		_, _ = r.dec.Token()
		if v == '{' {
			slices.Sort(parts)
			return "{" + strings.Join(parts, ",") + "}"
		}
		return "[" + strings.Join(parts, ",") + "]"
	case json.Number:
		_, exponent, _ := strings.Cut(strings.ToLower(v.String()), "e")
		if e, err := strconv.Atoi("0" + strings.TrimLeft(exponent, "+-")); err != nil || e > 2000 {
			r.sure = false
			return "?"
		}
		n, _ := new(big.Rat).SetString(v.String())
		return n.String()
	case string:
		return strconv.Quote(v)
	default:
		return fmt.Sprint(v)
	}
}

// loneSurrogate finds an escape of half a surrogate pair in valid JSON.
func loneSurrogate(text []byte) bool {
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		if i++; text[i] != 'u' {
			continue
		}
		code, _ := strconv.ParseUint(string(text[i+1:i+5]), 16, 32)
		i += 4
		switch {
		case code < 0xd800 || code > 0xdfff:
		case code >= 0xdc00 || i+6 >= len(text) || text[i+1] != '\\' || text[i+2] != 'u':
			return true
		default:
			low, _ := strconv.ParseUint(string(text[i+3:i+7]), 16, 32)
			if low < 0xdc00 || low > 0xdfff {
				return true
			}
			i += 6
		}
	}
	return false
}

// Arguments are equal, have the same hash and the same canonical text if and only if
// the reference says so; the canonical text is equal to what it was made of.
func FuzzIdentity(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"a":1,"b":[true,null,"x"]}`, `{"b":[true,null,"\u0078"],"a":1.0}`},
		{`{"n":9007199254740993}`, `{"n":9007199254740992}`},
		{`{"n":1e300}`, `{"n":10e299}`}, {`-0`, `0.0`}, {`12345678901234567890123e2`, `1234567890123456789012300`},
		{`{"a":{"b":{"c":[1,{"d":2,"e":3}]}}}`, `{"a":{"b":{"c":[1,{"e":3,"d":2}]}}}`},
		{`{"a":1,"a":1}`, `"\ud83d\ude00"`}, {`"\ud83d"`, `"😀"`}, {"", "{}"}, {"\"\xff\"", `"é"`},
	} {
		f.Add([]byte(seed[0]), []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		formA, okA, sureA := reference(a)
		formB, okB, sureB := reference(b)
		x, gotA := identity.Of(a, nil, nil)
		y, gotB := identity.Of(b, nil, nil)
		if sureA && gotA != okA || sureB && gotB != okB {
			t.Fatalf("%q and %q: got identities %t and %t, want %t and %t", a, b, gotA, gotB, okA, okB)
		}
		if !gotA || !gotB {
			if identity.Equal(a, b) {
				t.Fatalf("%q and %q are equal, and one has no identity", a, b)
			}
			return
		}
		spelled := x.AppendCanonical(nil)
		if !json.Valid(spelled) || !identity.Equal(a, spelled) {
			t.Fatalf("%q: the canonical text %q is not equal to it", a, spelled)
		}
		want := formA == formB
		if !sureA || !sureB {
			want = x.Equal(y) // then only that all three agree
		}
		if x.Equal(y) != want || y.Equal(x) != want || (x.Hash() == y.Hash()) != want ||
			bytes.Equal(spelled, y.AppendCanonical(nil)) != want {
			t.Fatalf(
				"%q and %q: got Equal %t, same hash %t, texts %q and %q; want %t", a, b, x.Equal(y),
				x.Hash() == y.Hash(), spelled, y.AppendCanonical(nil), want,
			)
		}
	})
}

// However a document is spelled anew, it stays the same arguments.
func FuzzSpelling(f *testing.F) {
	f.Add([]byte(`{"a":1,"b":[true,null,"x"],"c":{"d":-1.50e3,"e":"é"}}`), uint64(1))
	f.Fuzz(func(t *testing.T, text []byte, choice uint64) {
		x, ok := identity.Of(text, nil, nil)
		if !ok {
			return
		}
		if len(bytes.TrimSpace(text)) == 0 {
			text = []byte("{}")
		}
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.UseNumber()
		var v any
		if err := dec.Decode(&v); err != nil {
			t.Fatalf("%q has an identity and does not decode: %v", text, err)
		}
		s := speller{choice}
		other := s.spell(v)
		y, ok := identity.Of([]byte(other), nil, nil)
		if !ok || !x.Equal(y) || x.Hash() != y.Hash() {
			t.Fatalf("%q and %q: want them to be the same", text, other)
		}
	})
}

// A speller writes a value in one of many ways.
type speller struct{ choice uint64 }

func (s *speller) pick(n uint64) uint64 {
	s.choice = s.choice*6364136223846793005 + 1442695040888963407
	return s.choice >> 33 % n
}

func (s *speller) blank() string { return []string{"", " ", "\n", "\t\r"}[s.pick(4)] }

func (s *speller) text(v string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range v {
		switch {
		case s.pick(4) == 0 && r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04X`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		case s.pick(4) == 0 || r < 0x20 || r == '"' || r == '\\':
			if r > 0xffff {
				b.WriteRune(r)
				continue
			}
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + `"`
}

func (s *speller) spell(v any) string {
	var out string
	switch v := v.(type) {
	case map[string]any:
		var members []string
		for name, value := range v { // in the map's own, random order
			members = append(members, s.blank()+s.text(name)+s.blank()+":"+s.spell(value))
		}
		out = "{" + strings.Join(members, ",") + s.blank() + "}"
	case []any:
		var elements []string
		for _, e := range v {
			elements = append(elements, s.spell(e))
		}
		out = "[" + strings.Join(elements, ",") + s.blank() + "]"
	case string:
		out = s.text(v)
	case json.Number:
		out = v.String()
		if s.pick(2) == 0 && !strings.ContainsAny(out, "eE") {
			if !strings.Contains(out, ".") {
				out += "."
			}
			out += strings.Repeat("0", 1+int(s.pick(25))) + []string{"", "e0", "E+00", "e-0"}[s.pick(4)]
		}
	default:
		out = fmt.Sprint(v)
		if v == nil {
			out = "null"
		}
	}
	return s.blank() + out + s.blank()
}
