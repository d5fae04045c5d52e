// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import "strings"

// What marks a PEM block (RFC 7468). A blank or, in a query, a plus follows.
const (
	pemBegin = "-----BEGIN"
	pemEnd   = "-----END"
)

// maxPEM is how far the end of a block is looked for, in bytes. A longer one is removed as
// an unfinished one is.
const maxPEM = 64 << 10

// pemAt finds a private key in PEM form that begins at i: on one line with escaped line
// ends, indented, or cut off. Public keys and certificates stay.
func pemAt(s string, i int) (start, end int, kind string) {
	if !strings.HasPrefix(s[i:], pemBegin) {
		return 0, 0, ""
	}
	head := s[i+len(pemBegin) : min(len(s), i+len(pemBegin)+64)]
	n := strings.Index(head, "-----")
	if n < 0 || !strings.Contains(head[:n], "PRIVATE KEY") && !strings.Contains(head[:n], "PRIVATE+KEY") && !strings.Contains(head[:n], "NKEY SEED") {
		return 0, 0, ""
	}
	body := i + len(pemBegin) + n + len("-----")
	if e := strings.Index(s[body:min(len(s), body+maxPEM)], pemEnd); e >= 0 {
		end = body + e + len(pemEnd)
		if e < 24 {
			return 0, 0, "" // no key fits into that
		}
		if close := strings.Index(s[end:min(len(s), end+64)], "-----"); close >= 0 {
			return i, end + close + len("-----"), "private-key"
		}
	}
	// Unfinished: as far as it looks like base64 and PEM headers.
	for end = body; end < len(s); end++ {
		if c := s[end]; chars[c]&(chURL|chBase64) == 0 && !isSpace(c) && strings.IndexByte("\\:,|>+\"'", c) < 0 {
			break
		}
	}
	return i, end, "private-key"
}
