// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package identity_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/toolscope/toolscope/toolkit/identity"
)

// arguments are about 300 bytes, as an agent sends them. spelling orders and counts.
func arguments(spelling int) []byte {
	members := []string{
		`"query":"how to rotate credentials without downtime"`, `"limit":25`, `"offset":0`,
		`"filters":{"language":"en","site":"docs.example.com","since":"2026-01-15T00:00:00Z"}`,
		`"fields":["title","url","snippet","score"]`, `"safe":true`, `"threshold":0.75`,
		`"session":"1f6f6c1e-7b0a-4f6e-9a57-2f3e6d0c9b1a"`,
	}
	out := []byte{'{'}
	for i := range members {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, members[(i+spelling)%len(members)]...)
	}
	// Blanks tell the spellings apart that begin with the same member.
	for range spelling / len(members) {
		out = append(out, ' ')
	}
	return append(out, '}')
}

func BenchmarkOf(b *testing.B) {
	scratch := new(identity.Arguments)
	b.Run("same bytes", func(b *testing.B) {
		args := arguments(0)
		b.SetBytes(int64(len(args)))
		b.ReportAllocs()
		for b.Loop() {
			identity.Of(args, nil, scratch)
		}
	})
	b.Run("other bytes", func(b *testing.B) { // more spellings than are remembered
		var spellings [4096][]byte
		for i := range spellings {
			spellings[i] = fmt.Appendf(nil, `{"n":%d,%s`, i, arguments(0)[1:])
		}
		b.SetBytes(int64(len(spellings[0])))
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			identity.Of(spellings[i%len(spellings)], nil, scratch)
			i++
		}
	})
	b.Run("decode, sort and SHA-256", func(b *testing.B) {
		args := arguments(0)
		b.SetBytes(int64(len(args)))
		b.ReportAllocs()
		for b.Loop() {
			var v any
			if err := json.Unmarshal(args, &v); err != nil {
				b.Fatal(err)
			}
			text, _ := json.Marshal(v)
			sha256.Sum256(text)
		}
	})
}

func BenchmarkEqual(b *testing.B) {
	x, _ := identity.Of(arguments(0), nil, nil)
	for name, args := range map[string][]byte{"same": arguments(0), "reordered": arguments(3)} {
		y, _ := identity.Of(args, nil, nil)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if !x.Equal(y) {
					b.Fatal("not equal")
				}
			}
		})
	}
}

func TestReadingAllocatesNothing(t *testing.T) {
	own := fmt.Appendf(nil, `{"run":%d,`, rand.Int64()) // or they are known from a run before
	var spellings [200][]byte
	for i := range spellings {
		spellings[i] = slices.Concat(own, arguments(i)[1:])
	}
	x, _ := identity.Of(spellings[0], nil, nil)
	x = x.Keep()
	scratch := new(identity.Arguments)
	i := 0
	if got := testing.AllocsPerRun(len(spellings)-1, func() {
		if y, ok := identity.Of(spellings[i], nil, scratch); !ok || !y.Equal(x) {
			t.Errorf("%s is not equal", spellings[i])
		}
		i++
	}); got != 0 {
		t.Errorf("got %v allocations, want 0", got)
	}
}
