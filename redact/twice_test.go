// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"math/rand/v2"
	"testing"

	"github.com/toolscope/toolscope/redact/internal/marks"
)

// TestTwiceIsOnce redacts texts made of what numbers, escapes and names consist of, where
// a mark once made a new number or word of what stood beside it.
func TestTwiceIsOnce(t *testing.T) {
	alphabets := []string{"0000000  \x00\x00-.", "04155 (+)-.", "0415fa:-. ", "Dd89 0123", "%2520a@b.:c",
		"\\u003a\"x=: key", "GB82WEST 1234+-", "4111 1111-\x00.:/"}
	all := strict(t)
	n := uint64(100_000 / raceSaving)
	if testing.Short() {
		n = 20_000 / raceSaving
	}
	for seed := range n {
		rnd := rand.New(rand.NewPCG(seed, 1))
		alphabet := alphabets[seed%uint64(len(alphabets))]
		text := make([]byte, 10+rnd.IntN(60))
		for i := range text {
			text[i] = alphabet[rnd.IntN(len(alphabet))]
		}
		for name, r := range map[string]*Redactor{"default": Default(), "strict": all} {
			once, _ := r.Text(string(text))
			if twice, found := r.Text(once); twice != once {
				t.Fatalf("%s: %q became %q, and then %q with %v", name, text, once, twice, found)
			}
		}
	}
}

// TestMarksSayNothing: the words of a mark are no word that announces a phone number,
// wherever the mark begins.
func TestMarksSayNothing(t *testing.T) {
	for gap := range marks.NearBy {
		text := marks.Text("phone-number") + string(make([]byte, gap)) + " 20 7946 09"
		if out, found := Default().Text(text); out != text {
			t.Fatalf("%d bytes behind a mark: %v", gap, found)
		}
	}
}

func TestMarksAreShort(t *testing.T) {
	for _, k := range Kinds() {
		if n := len(marks.Text(k.Name)) + 1 + 2*marks.TagBytes; n > marks.Max {
			t.Errorf("%s: the mark has %d bytes, want %d or fewer", k.Name, n, marks.Max)
		}
	}
}
