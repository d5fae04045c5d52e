// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"context"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash"
	"hash/crc32"
	"html"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/toolscope/toolscope/tools/internal/arg"
)

func unknownEncoding(name string) error {
	return arg.Invalid("encoding", fmt.Sprintf("%.40q", name), "base64, base64url, hex, url or html")
}

func encodeText(in textInput) (string, error) {
	switch in.Encoding {
	case "base64":
		return base64.StdEncoding.EncodeToString([]byte(in.Text)), nil
	case "base64url":
		return base64.RawURLEncoding.EncodeToString([]byte(in.Text)), nil
	case "hex":
		return hex.EncodeToString([]byte(in.Text)), nil
	case "url":
		return strings.ReplaceAll(url.QueryEscape(in.Text), "+", "%20"), nil
	case "html":
		return html.EscapeString(in.Text), nil
	}
	return "", unknownEncoding(in.Encoding)
}

// decodeText decodes; bytes that are no text are written in hexadecimal.
func decodeText(in textInput) (string, error) {
	var decoded []byte
	var err error
	switch packed := strings.Join(strings.Fields(in.Text), ""); in.Encoding {
	case "base64", "base64url":
		// Padding may be missing, and either alphabet is taken.
		packed = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(packed, "="))
		decoded, err = base64.RawStdEncoding.DecodeString(packed)
	case "hex":
		decoded, err = hex.DecodeString(strings.TrimPrefix(packed, "0x"))
	case "url":
		var s string
		s, err = url.QueryUnescape(in.Text)
		decoded = []byte(s)
	case "html":
		decoded = []byte(html.UnescapeString(in.Text))
	default:
		return "", unknownEncoding(in.Encoding)
	}
	if err != nil {
		return "", arg.Invalid("text", "text that is not in "+in.Encoding, "such text")
	}
	if !utf8.Valid(decoded) {
		return fmt.Sprintf("%d bytes that are no text, in hexadecimal:\n%x", len(decoded), decoded), nil
	}
	return string(decoded), nil
}

// hashText tells a hash in hexadecimal, and of the weak ones that they are weak.
func hashText(in textInput) (string, error) {
	var h hash.Hash
	note := ""
	switch in.Algorithm {
	case "sha256", "":
		h = sha256.New()
	case "sha512":
		h = sha512.New()
	case "sha1":
		h, note = sha1.New(), " (broken: not for security)"
	case "md5":
		h, note = md5.New(), " (broken: not for security)"
	case "crc32":
		h, note = crc32.NewIEEE(), " (a checksum: not for security)"
	default:
		return "", arg.Invalid("algorithm", fmt.Sprintf("%.40q", in.Algorithm), "sha256, sha512, sha1, md5 or crc32")
	}
	h.Write([]byte(in.Text))
	return hex.EncodeToString(h.Sum(nil)) + note, nil
}

// extractors find what people call by these names, not all that a standard allows.
var extractors = map[string]string{
	"emails":  `[\pL\d._%+'-]+@[\pL\d-]+(?:\.[\pL\d-]+)*\.\pL{2,}`,
	"urls":    `(?i)\bhttps?://[^\s<>"{}|\^\x60\[\]]*[^\s<>"{}|\^\x60\[\].,;:!?'()*]`,
	"numbers": `[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?\b`,
	"ips":     `\b(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)\b`,
	"dates": `\b\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:[T ` +
		`]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[-+]\d{2}:?\d{2})?)?\b`,
}

// extract lists what is found, each once, in order.
func (t *Toolset) extract(ctx context.Context, in textInput) (string, error) {
	pattern, ok := extractors[in.What]
	if !ok {
		return "", arg.Invalid("what", fmt.Sprintf("%.40q", in.What), "emails, urls, numbers, ips or dates")
	}
	s, err := newSearcher(pattern, false)
	if err != nil {
		return "", err
	}
	seen, list, size := make(map[string]bool), []string{}, 0
	err = s.each(ctx, in.Text, func(m []int) bool {
		word := in.Text[m[0]:m[1]]
		if in.What == "numbers" && m[0] > 0 && strings.IndexByte("+-", word[0]) >= 0 &&
			!strings.ContainsRune(" \t\n(=:,;[", rune(in.Text[m[0]-1])) {
			word = word[1:] // a dash between two numbers is no sign
		}
		if !seen[word] {
			seen[word] = true
			list = append(list, word)
			size += len(word)
		}
		return size <= t.options.MaxOutput
	})
	if err != nil {
		return "", err
	}
	return arg.JSON(list)
}
