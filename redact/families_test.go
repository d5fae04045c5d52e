// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"bytes"
	"compress/gzip"
	b64 "encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// families make hostile texts of size bytes that are more than one piece again and again.
var families = map[string]func(size int) string{
	"nested JSON text":  func(size int) string { return filled(nestedText(8)+",", size) },
	"nested JSON rows":  func(size int) string { return "[" + filled(nestedText(2)+",", size-1) },
	"header rows":       func(size int) string { return "[" + filled(`["password","token"],["a1B2c3D4","e5F6g7H8"],`, size-1) },
	"table pipes":       func(size int) string { return filled("|||||||| ", size) },
	"unclosed quotes":   func(size int) string { return filled("password=\"a1B2 token='c3D4 ", size) },
	"many labels":       func(size int) string { return filled("password token secret api key pin otp cvv: ", size) },
	"personal labels":   func(size int) string { return filled("date of birth: passport no: tax number: IBAN: phone: ", size) },
	"percent and names": func(size int) string { return filled("%70%61%73%73=a1B2&#112;&#97;ss&amp;token=c3D4&", size) },
	"packed pieces":     func(size int) string { return filled(packedPieces(), size) },
	"users in URLs":     func(size int) string { return filled("a://b:c@d://e:f@", size) },
	"keys of keys":      func(size int) string { return filled("key=key:key->", size) },
	"queries":           func(size int) string { return filled("?sig=a1B2&token=c3D4&code=", size) },
	"zero width":        func(size int) string { return filled("pass\u200bword\u00ad: a1\u200dB2c3\ufeff ", size) },
	"short anchors": func(size int) string {
		return filled("AP AC SK key- ghp_ xoxb- sk- eyJ AKIA EAA BSA cio ext_ sdk- ", size)
	},
	"digit runs":  digitRuns,
	"mail-like":   func(size int) string { return filled("a@a@a@b.c@", size) },
	"wide CSV":    func(size int) string { return wideRows(size, "", "\n") },
	"wide INSERT": func(size int) string { return wideRows(size, "INSERT INTO t (", ") VALUES (") },
	"Markdown rows": func(size int) string {
		return filled("| password | token |\n|---|---|\n| a1B2c3D4 | e5F6g7H8 |\n\n", size)
	},
	"mixed pieces": mixedPieces,
}

// nestedText is a secret in JSON within JSON strings, depth times.
func nestedText(depth int) string {
	text := `{"password":"hu3nter2Zq"}`
	for range depth {
		b, _ := json.Marshal(map[string]string{"text": text})
		text = string(b)
	}
	return text
}

// packedPieces are texts in base64, hexadecimal, and gzip in base64.
func packedPieces() string {
	text := []byte("password: hu3nter2Zq and a token of xoxb-17653672481\n")
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write(text)
	w.Close()
	return b64.StdEncoding.EncodeToString(text) + " " + hex.EncodeToString(text) + " " +
		b64.StdEncoding.EncodeToString(packed.Bytes()) + "\n"
}

// digitRuns are runs of 7 to 200 digits with one of several bytes between them.
func digitRuns(size int) string {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, 0, size)
	for len(b) < size {
		for range min(size-len(b), 7+r.IntN(194)) {
			b = append(b, byte('0'+r.IntN(10)))
		}
		if len(b) < size {
			b = append(b, " -./,:"[r.IntN(6)])
		}
	}
	return string(b)
}

// wideRows is a table of 10,000 columns, as many rows of it as fit.
func wideRows(size int, head, between string) string {
	var b strings.Builder
	b.WriteString(head)
	for n := range 10_000 {
		fmt.Fprintf(&b, "password%d,", n)
	}
	b.WriteString("id" + between)
	return (b.String() + filled("a1B2c3D4,", max(0, size-b.Len())))[:size]
}

// mixedPieces are the pieces of hostile, drawn by chance.
func mixedPieces(size int) string {
	var pieces []string
	for _, p := range hostile {
		pieces = append(pieces, p)
	}
	slices.Sort(pieces)
	r := rand.New(rand.NewPCG(3, 4))
	var b strings.Builder
	for b.Len() < size {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()[:size]
}

// hostileTexts are all of these texts, and those of hostile, of size bytes.
func hostileTexts(size int) map[string]string {
	texts := make(map[string]string)
	for name, piece := range hostile {
		texts[name] = filled(piece, size)
	}
	for name, text := range families {
		texts[name] = text(size)
	}
	return texts
}

// TestFamiliesAreBounded counts the steps of families: no more than a text may spend, as it is and in JSON, and
// with a limit on what is shown.
func TestFamiliesAreBounded(t *testing.T) {
	for name, family := range families {
		for _, size := range []int{1 << 10, 1 << 15} {
			for form, text := range map[string]string{"as it is": family(size), "in JSON": object("text", family(size))} {
				most := int64(1<<15 + len(text)*(defaultLimits.Work+8*maxPasses))
				if got := steps(text, Defaults); got > most {
					t.Errorf("%s %s, %d bytes: got %d steps, want %d at most", name, form, size, got, most)
				}
			}
		}
		r, err := New(Options{})
		if err != nil {
			t.Fatal(err)
		}
		if out, _ := r.JSONMax([]byte(object("text", family(1<<17))), 4<<10); len(out) > 4<<10 {
			t.Errorf("%s: got %d bytes, want %d", name, len(out), 4<<10)
		}
	}
}
