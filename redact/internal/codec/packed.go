// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package codec

import (
	"bytes"
	"compress/gzip"
	b64 "encoding/base64"
	"encoding/hex"
	"io"
	"strings"
	"sync"

	"github.com/toolscope/toolscope/internal/chars"
)

// maxOpened is how much of a compressed text is opened, in bytes.
const maxOpened = 64 << 10

// unpackers have the memory of what was unpacked before.
var unpackers = sync.Pool{New: func() any { return new(gzip.Reader) }}

// OpenHex is the text that a run of hexadecimal digits stands for; "" if it stands for none.
func OpenHex(run string) string {
	if len(run) < 2*MinEncoded/2 || len(run)%2 != 0 || run[0] < '2' || run[0] > '7' || !chars.IsHex(run) {
		return ""
	}
	text := make([]byte, len(run)/2)
	if _, err := hex.Decode(text, []byte(run)); err != nil || !printable(text) {
		return ""
	}
	return string(text)
}

// OpenGzip is the text that a run of base64 stands for which holds gzip (RFC 1952); "" if it holds
// none. Of a long one it is the beginning.
func OpenGzip(run string) string {
	if !strings.HasPrefix(run, "H4sI") {
		return ""
	}
	standard := []byte(run)
	for i := range standard {
		standard[i] = StandardAlphabet(standard[i])
	}
	packed, err := b64.RawStdEncoding.DecodeString(string(standard[:len(standard)-len(standard)%4]))
	if rest := standard[len(standard)-len(standard)%4:]; err == nil && len(rest) > 1 {
		more, _ := b64.RawStdEncoding.DecodeString(string(rest))
		packed = append(packed, more...)
	}
	if err != nil {
		return ""
	}
	r := unpackers.Get().(*gzip.Reader)
	defer unpackers.Put(r)
	if r.Reset(bytes.NewReader(packed)) != nil {
		return ""
	}
	text, _ := io.ReadAll(io.LimitReader(r, maxOpened)) // of one that is cut off, what there is
	return string(text)
}
