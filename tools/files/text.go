// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// encoding is how a text file's characters are written.
type encoding uint8

const (
	plainUTF8 encoding = iota
	markedUTF8
	utf16LE // with a byte order mark
	utf16BE
	bareUTF16LE // without one
	bareUTF16BE
	windows1252
)

// String is how the encoding is shown to the model.
func (e encoding) String() string {
	return [...]string{"UTF-8", "UTF-8 with BOM", "UTF-16LE with BOM", "UTF-16BE with BOM", "UTF-16LE", "UTF-16BE",
		"windows-1252 (guessed)"}[e]
}

var marks = map[encoding]string{markedUTF8: "\xef\xbb\xbf", utf16LE: "\xff\xfe", utf16BE: "\xfe\xff"}

// order is the byte order of UTF-16, nil for other encodings.
func (e encoding) order() interface {
	binary.ByteOrder
	binary.AppendByteOrder
} {
	switch e {
	case utf16LE, bareUTF16LE:
		return binary.LittleEndian
	case utf16BE, bareUTF16BE:
		return binary.BigEndian
	}
	return nil
}

// sniffed is how much of a file decides whether it is text.
const sniffed = 8 << 10

// decode makes text of a file's content. It reports false for what is no text, and
// for text that encode would not give back byte for byte.
func decode(content []byte) (string, encoding, bool) {
	e, ok := detect(content)
	if !ok {
		return "", e, false
	}
	body := content[len(marks[e]):]
	switch {
	case e == windows1252:
		return decodeWindows(body), e, true
	case e.order() != nil:
		units := make([]uint16, len(body)/2)
		for i := range units {
			units[i] = e.order().Uint16(body[2*i:])
		}
		text := string(utf16.Decode(units))
		back, err := e.encode(text)
		return text, e, err == nil && bytes.Equal(back, content)
	}
	return string(body), e, true
}

func detect(content []byte) (encoding, bool) {
	for _, e := range []encoding{markedUTF8, utf16LE, utf16BE} {
		if body, ok := bytes.CutPrefix(content, []byte(marks[e])); ok {
			if e == markedUTF8 {
				return e, isUTF8(body)
			}
			return e, len(body)%2 == 0
		}
	}
	if isUTF8(content) {
		return plainUTF8, true
	}
	head := content[:min(len(content), sniffed)]
	if bytes.IndexByte(head, 0) >= 0 {
		return detectUTF16(content)
	}
	return windows1252, looksWindows(content)
}

func isUTF8(content []byte) bool {
	return bytes.IndexByte(content, 0) < 0 && utf8.Valid(content)
}

// detectUTF16 takes content for UTF-16 if its zeros stand in one half of each
// pair only, and in at least two of five pairs, as in most texts in Latin letters.
func detectUTF16(content []byte) (encoding, bool) {
	head := content[:min(len(content), sniffed)]
	var zeros [2]int
	for i, b := range head {
		if b == 0 {
			zeros[i%2]++
		}
	}
	enough := len(head) / 5
	switch {
	case len(content)%2 != 0:
	case zeros[0] == 0 && zeros[1] >= enough:
		return bareUTF16LE, true
	case zeros[1] == 0 && zeros[0] >= enough:
		return bareUTF16BE, true
	}
	return plainUTF8, false
}

// looksWindows takes content without control characters, and with mostly ASCII, for
// text in a one-byte encoding. Which one cannot be known; every byte is kept anyway.
func looksWindows(content []byte) bool {
	high := 0
	for _, b := range content {
		switch {
		case b >= 0x80:
			high++
		case b < ' ' && !strings.ContainsRune("\t\n\r\f\x1b", rune(b)) || b == 0x7f:
			return false
		}
	}
	return high <= len(content)/3
}

// of1252 is what a byte means in windows-1252; the five that mean nothing stay the control characters
// of ISO 8859-1, as browsers have it (https://encoding.spec.whatwg.org/#windows-1252).
func of1252(b byte) rune {
	if r := charmap.Windows1252.DecodeByte(b); r != utf8.RuneError {
		return r
	}
	return rune(b)
}

func decodeWindows(body []byte) string {
	var b strings.Builder
	b.Grow(len(body))
	for _, c := range body {
		b.WriteRune(of1252(c))
	}
	return b.String()
}

// encode writes text in the encoding, with its byte order mark.
func (e encoding) encode(text string) ([]byte, error) {
	out := make([]byte, 0, len(text)+4)
	out = append(out, marks[e]...)
	switch order := e.order(); {
	case e == windows1252:
		return appendWindows(out, text)
	case order != nil:
		for _, unit := range utf16.Encode([]rune(text)) {
			out = order.AppendUint16(out, unit)
		}
		return out, nil
	}
	return append(out, text...), nil
}

func appendWindows(out []byte, text string) ([]byte, error) {
	for _, r := range text {
		c, ok := charmap.Windows1252.EncodeRune(r)
		if !ok {
			c = byte(r)
		}
		if of1252(c) != r {
			return nil, fmt.Errorf("is written in windows-1252, which has no character %q: file_write can replace "+
				"the whole file by UTF-8", r)
		}
		out = append(out, c)
	}
	return out, nil
}

// binaryKind tells what a file that is no text holds, by its first bytes.
func binaryKind(content []byte) string {
	for _, k := range []struct{ mark, name string }{
		{"\x89PNG", "a PNG image"}, {"\xff\xd8\xff", "a JPEG image"}, {"GIF8", "a GIF image"}, {"%PDF", "a PDF document"},
		{"PK\x03\x04", "a ZIP archive or office document"}, {"\x1f\x8b", "a gzip archive"}, {"\x7fELF", "an ELF program"},
		{"MZ", "a Windows program"}, {"SQLite format 3", "an SQLite database"}, {"\x00asm", "a WebAssembly module"},
	} {
		if bytes.HasPrefix(content, []byte(k.mark)) {
			return "binary (" + k.name + ")"
		}
	}
	return "binary"
}

func errBinary(content []byte) error {
	return fmt.Errorf("is %s, %d bytes: only text can be read", binaryKind(content), len(content))
}

// crlf tells whether most lines of a text end with CR LF.
func crlf(text string) bool {
	n := strings.Count(text, "\r\n")
	return n > 0 && 2*n >= strings.Count(text, "\n")
}

// lineEnding is that of most lines of a text.
func lineEnding(text string) string {
	if crlf(text) {
		return "\r\n"
	}
	return "\n"
}

// endLines gives text the line endings of like.
func endLines(text, like string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if ending := lineEnding(like); ending != "\n" {
		text = strings.ReplaceAll(text, "\n", ending)
	}
	return text
}

// cut shortens s to at most n bytes and keeps it valid UTF-8.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
