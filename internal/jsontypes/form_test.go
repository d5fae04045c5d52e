// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package jsontypes_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/internal/jsontypes"
)

type (
	secret string
	lossy  struct{ N int }
	zeroer struct{ N int }
	keyed  struct{ K string }
	inner  struct{ ID string }
	outer  struct {
		inner
		Name string
	}
	hides struct {
		inner
		ID int
	}
	tree struct {
		Name     string
		Children []*tree
	}
)

func (secret) MarshalJSON() ([]byte, error)      { return []byte(`"***"`), nil }
func (lossy) MarshalJSON() ([]byte, error)       { return []byte(`"lossy"`), nil }
func (*lossy) UnmarshalJSON([]byte) error        { return nil }
func (zeroer) IsZero() bool                      { return true }
func (k keyed) MarshalText() ([]byte, error)     { return []byte("key"), nil }
func (k *keyed) UnmarshalText(text []byte) error { k.K = string(text); return nil }

// TestOf checks which types are refused, and that the error names the field.
func TestOf(t *testing.T) {
	for _, tt := range []struct {
		value any
		path  string // in the error; "" for none
	}{
		{"", ""}, {0, ""}, {[]byte(nil), ""}, {map[string]any{}, ""}, {map[int]string{}, ""}, {&tree{}, ""},
		{json.RawMessage{}, ""}, {json.Number(""), ""}, {time.Time{}, ""}, {time.Second, ""}, {&big.Int{}, ""}, {netip.Addr{}, ""},
		{outer{}, ""}, {lossy{}, ""}, {map[netip.Addr]bool{}, ""},
		{struct{ N *big.Int }{}, ""}, {struct{ N big.Int }{}, ""},
		{struct {
			_ struct{}
			A int `json:"a,omitempty"`
			B string
		}{}, ""},

		{struct{ a int }{}, ".a"},
		{struct {
			A int `json:"-"`
		}{}, ".A"},
		{struct {
			A []map[string]struct{ b int }
		}{}, ".A[][].b"},
		{struct{ A error }{}, ".A"}, {struct{ A chan int }{}, ".A"}, {struct{ A func() }{}, ".A"}, {struct{ A complex128 }{}, ".A"},
		{secret(""), "jsontypes_test.secret"}, {hides{}, ".ID"},
		{struct {
			A int
			B int `json:"A"`
		}{}, ".B"},
		{struct {
			A zeroer `json:",omitzero"`
		}{}, ".A"},
		{struct{ *inner }{}, ".inner"},
		{map[string]big.Int{}, "[]"},         // its method needs a pointer: JSON writes {}
		{map[*keyed]string{}, "map["},        // two keys, one name
		{map[struct{}]string{}, "map["},      // JSON cannot encode it
		{map[bool]string{}, "map["},          // JSON cannot encode it
		{[]any(nil), ""}, {[2]error{}, "[]"}, // arrays as slices
	} {
		_, err := jsontypes.Of(reflect.TypeOf(tt.value))
		var wrong *jsontypes.Error
		switch {
		case tt.path == "" && err != nil:
			t.Errorf("%T: got %v, want none", tt.value, err)
		case tt.path != "" && (!errors.As(err, &wrong) || !strings.Contains(wrong.Path, tt.path)):
			t.Errorf("%T: got %v, want an error at %s", tt.value, err, tt.path)
		}
	}
}

// TestCheck checks which values are refused although their type is not.
func TestCheck(t *testing.T) {
	type holder struct{ V any }
	loop := map[string]any{}
	loop["self"] = loop
	for _, tt := range []struct {
		value any
		path  string // in the error; "" for none
	}{
		{nil, ""}, {true, ""}, {"text", ""}, {`\ufffd`, ""}, {"\ufffd", ""}, {int64(9007199254740993), ""}, {1.5, ""},
		{json.Number("1e400"), ""},
		{json.RawMessage(`{"a": 1}`), ""}, {[]any{1, "a", nil}, ""}, {map[string]any{"a": []string{"b"}}, ""},
		{map[int]string{1: "a"}, ""},
		{struct{ A int }{1}, ""}, {[2]int{}, ""},

		{math.NaN(), ".V"}, {math.Inf(1), ".V"}, {[]any{1, math.NaN()}, ".V[1]"}, {map[string]float64{"a": math.NaN()}, `.V["a"]`},
		{"\xff", ".V"}, {map[string]any{"a": "\xff"}, `.V["a"]`}, {map[string]any{"\xff": 1}, ".V["},
		{[]byte("hi"), ".V"}, {time.Second, ".V"}, {time.Now(), ".V"}, {inner{}, ".V"}, {new(int), ".V"}, {[]time.Duration{1}, ".V[]"},
		{errors.New("a"), ".V"}, {func() {}, ".V"}, {make(chan int), ".V"}, {json.Number("x"), ".V"}, {json.RawMessage("{"), ".V"},
		{struct{ a int }{1}, ".V.a"}, {loop, ".V["}, {secret("a"), ".V"},
	} {
		form, err := jsontypes.Of(reflect.TypeFor[holder]())
		if err != nil {
			t.Fatal(err)
		}
		text, err := encode(form, &holder{tt.value})
		var wrong *jsontypes.Error
		switch {
		case tt.path == "" && err != nil:
			t.Errorf("%T %.20v: got %v, want none", tt.value, tt.value, err)
		case tt.path == "" && !json.Valid(text):
			t.Errorf("%T: got %s", tt.value, text)
		case tt.path != "" && (!errors.As(err, &wrong) || !strings.Contains(wrong.Path, "holder"+tt.path)):
			t.Errorf("%T: got %v, want an error at %s", tt.value, err, tt.path)
		}
	}
}

// encode encodes a value as the users of the package do.
func encode(form *jsontypes.Form, p any) ([]byte, error) {
	text, err := json.Marshal(p)
	if err != nil {
		text = nil
	}
	if found := form.Check(p, text); found != nil {
		return nil, found
	}
	return text, err
}

func check[T any](t *testing.T, v T, ok bool) {
	t.Helper()
	form, err := jsontypes.Of(reflect.TypeFor[T]())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := encode(form, &v); (err == nil) != ok {
		t.Errorf("%T: got %v, want none: %v", v, err, ok)
	}
}

// TestOwnMethods checks that values with JSON methods are refused if their JSON does not hold all.
func TestOwnMethods(t *testing.T) {
	check(t, lossy{0}, true)
	check(t, lossy{1}, false)
	check(t, map[string]lossy{"a": {1}}, false)
	check(t, big.NewInt(0), true)
	check(t, big.NewInt(1<<62), true)
	check(t, struct{ N big.Int }{*new(big.Int).Lsh(big.NewInt(1), 100)}, true)
	check(t, netip.MustParseAddr("::1%eth0"), true)
	check(t, map[netip.Addr]int{netip.MustParseAddr("10.0.0.1"): 1}, true)
	check(t, map[keyed]int{{"a"}: 1, {"b"}: 2}, false)
	check(t, time.Now(), true)
	check(t, time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), false)
	check(t, (*lossy)(nil), true)
	check(t, "\xff", false)
	check(t, []float64{math.NaN()}, false)
}

// TestPointerMethods checks that a big.Int held by value is written by its method, which needs its
// address.
func TestPointerMethods(t *testing.T) {
	v := struct{ N big.Int }{*big.NewInt(7)}
	form, err := jsontypes.Of(reflect.TypeOf(v))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := encode(form, &v); err != nil || string(text) != `{"N":7}` {
		t.Errorf("got %s, %v", text, err)
	}
}
