// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package signin

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
)

// minMasked is the length of the shortest token that is removed from answers, in bytes: a shorter one may be a word.
const minMasked = 12

// masked is an answer in which asterisks replace the token, for servers that repeat what they were sent. Its length
// stays.
func masked(resp *http.Response, token string) *http.Response {
	if resp == nil || len(token) < minMasked {
		return resp
	}
	stars := strings.Repeat("*", len(token))
	for _, values := range resp.Header {
		for i, v := range values {
			values[i] = strings.ReplaceAll(v, token, stars)
		}
	}
	if resp.StatusCode != http.StatusSwitchingProtocols {
		resp.Body = &maskedBody{ReadCloser: resp.Body, token: []byte(token), stars: []byte(stars)}
	}
	return resp
}

// maskedBody is a body without the token. It holds back only what the token may begin with.
type maskedBody struct {
	io.ReadCloser
	token, stars []byte
	text         []byte // what was read and not returned
	ready        int    // how much of it may be returned
	err          error
}

// maskedRead is how much is read at a time, in bytes.
const maskedRead = 32 << 10

func (b *maskedBody) Read(p []byte) (int, error) {
	for b.ready == 0 && b.err == nil {
		b.fill()
	}
	if b.ready == 0 {
		return 0, b.err
	}
	n := copy(p, b.text[:b.ready])
	b.text, b.ready = append(b.text[:0], b.text[n:]...), b.ready-n
	return n, nil
}

// fill reads once.
func (b *maskedBody) fill() {
	had := len(b.text)
	b.text = slices.Grow(b.text, maskedRead)
	n, err := b.ReadCloser.Read(b.text[had : had+maskedRead])
	b.text, b.err = b.text[:had+n], err
	for rest := b.text; ; {
		i := bytes.Index(rest, b.token)
		if i < 0 {
			break
		}
		rest = rest[i+copy(rest[i:], b.stars):]
	}
	if b.ready = len(b.text); err == nil {
		b.ready -= b.begun()
	}
}

// begun is how many bytes at the end may be the beginning of the token.
func (b *maskedBody) begun() int {
	n := min(len(b.token)-1, len(b.text))
	for n > 0 && !bytes.HasSuffix(b.text, b.token[:n]) {
		n--
	}
	return n
}
