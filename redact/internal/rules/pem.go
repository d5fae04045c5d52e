// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
)

// What marks a PEM block (RFC 7468). A blank or, in a query, a plus follows.
const (
	PemBegin = "-----BEGIN"
	PemEnd   = "-----END"
)

// MaxPEM is how far the end of a block is looked for, in bytes. A longer one is removed as
// an unfinished one is.
const MaxPEM = 64 << 10

// PemAt finds a private key in PEM form that begins at i: on one line with escaped line
// ends, indented, or cut off. Public keys and certificates stay.
func PemAt(s string, i int) (start, end int, kind string) {
	if !strings.HasPrefix(s[i:], PemBegin) {
		return 0, 0, ""
	}
	head := s[i+len(PemBegin) : min(len(s), i+len(PemBegin)+64)]
	n := strings.Index(head, "-----")
	if n < 0 || !strings.Contains(head[:n], "PRIVATE KEY") && !strings.Contains(head[:n], "PRIVATE+KEY") &&
		!strings.Contains(head[:n], "NKEY SEED") {
		return 0, 0, ""
	}
	body := i + len(PemBegin) + n + len("-----")
	if e := strings.Index(s[body:min(len(s), body+MaxPEM)], PemEnd); e >= 0 {
		end = body + e + len(PemEnd)
		if e < 24 {
			return 0, 0, "" // no key fits into that
		}
		if close := strings.Index(s[end:min(len(s), end+64)], "-----"); close >= 0 {
			return i, end + close + len("-----"), "private-key"
		}
	}
	// Unfinished: as far as it looks like base64 and PEM headers.
	for end = body; end < len(s); end++ {
		if c := s[end]; chars.Class[c]&(chars.URL|chars.Base64) == 0 && !chars.IsSpace(c) &&
			strings.IndexByte("\\:,|>+\"'", c) < 0 {
			break
		}
	}
	return i, end, "private-key"
}
