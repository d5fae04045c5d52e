// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package jsontypes_test

import (
	"errors"
	"io"
	"math/big"
	"net/netip"
	"reflect"
	"testing"
	"time"

	"github.com/toolscope/toolscope/internal/jsontypes"
)

type hidden struct {
	A string
	n int
	t time.Time
	p *int
	F func() `json:"-"`
	inner
}

// TestCopy checks that a copy is equal, and shares no memory.
func TestCopy(t *testing.T) {
	n := 1
	for _, v := range []any{
		nil, 1, "a", time.Second, int64(9007199254740993), []byte("hi"),
		map[string]any{"id": int64(1), "d": time.Second, "b": []byte("x")},
		[]any{1, []string(nil), []string{}, map[string]int(nil)}, &n, (*int)(nil), time.Now(), big.NewInt(5), new(big.Int),
		netip.MustParseAddr("::1"), hidden{A: "a", n: 7, t: time.Now(), inner: inner{"b"}},
		&tree{Children: []*tree{{Name: "leaf"}, nil}},
		secret("shown"), lossy{3}, [2][]int{{1}, {2}}, map[*int]int(nil), (io.Reader)(nil), struct{ E error }{},
		struct {
			R io.Reader
			M map[string]*tree
		}{nil, map[string]*tree{"a": {Name: "b"}}},
	} {
		copied, err := jsontypes.Copy(v)
		if err != nil || !reflect.DeepEqual(copied, v) {
			t.Errorf("%T: got %#v, %v, want %#v", v, copied, err, v)
		}
	}
	from := map[string]any{"a": []any{map[string]int{"b": 1}}}
	copied, err := jsontypes.Copy(from)
	if err != nil {
		t.Fatal(err)
	}
	from["a"].([]any)[0].(map[string]int)["b"] = 2
	if got := copied["a"].([]any)[0].(map[string]int)["b"]; got != 1 {
		t.Errorf("got %d: the copy is the memory of the original", got)
	}
}

// TestCopyRefuses checks what cannot be copied without sharing memory or losing something.
func TestCopyRefuses(t *testing.T) {
	n := 1
	cycle := &tree{}
	cycle.Children = []*tree{cycle}
	for name, v := range map[string]any{
		"function": func() {}, "channel": make(chan int), "error": errors.New("a"), "error in a field": struct{ E error }{io.EOF},
		"unexported pointer": hidden{p: &n}, "function in a field": hidden{F: func() {}}, "cycle": cycle,
		"unexported slice": struct{ s []int }{[]int{1}},
	} {
		if copied, err := jsontypes.Copy(v); err == nil {
			t.Errorf("%s: got %#v, want an error", name, copied)
		}
	}
}

// TestCopyRefusesLossyMethods checks that a value with JSON methods that lose something is no copy.
func TestCopyRefusesLossyMethods(t *testing.T) {
	v := lossyInside{p: new(int)}
	if copied, err := jsontypes.Copy(v); err == nil {
		t.Errorf("got %#v, want an error", copied)
	}
}

type lossyInside struct{ p *int }

func (lossyInside) MarshalJSON() ([]byte, error) { return []byte(`1`), nil }
func (*lossyInside) UnmarshalJSON([]byte) error  { return nil }
