// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package signin

import (
	"crypto/rand"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
)

// A server that repeats the token gives it to no client, in whatever pieces the answer arrives.
func TestAnswersWithTheToken(t *testing.T) {
	token := rand.Text()
	stars := strings.Repeat("*", len(token))
	for _, text := range []string{
		"", "x", token, token + token, "a " + token + " b", token[:8], token[:8] + token + token[8:], "no token",
		strings.Repeat("x", maskedRead-3) + token + "y", strings.Repeat(token+" ", 5000),
	} {
		for name, pieces := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r }, "bytes": iotest.OneByteReader,
			"halves": iotest.HalfReader, "end with data": iotest.DataErrReader,
		} {
			resp := masked(&http.Response{
				Header: http.Header{"X-Echo": {"Bearer " + token}},
				Body:   io.NopCloser(pieces(strings.NewReader(text))),
			}, token)
			got, err := io.ReadAll(iotest.HalfReader(resp.Body))
			if want := strings.ReplaceAll(text, token, stars); err != nil || string(got) != want {
				t.Errorf("%s: got %.200q, %v, want %.200q", name, got, err, want)
			}
			if got := resp.Header.Get("X-Echo"); got != "Bearer "+stars {
				t.Errorf("got the header %q, want no token", got)
			}
		}
	}
}

// What cannot be part of the token is not held back: an event arrives when it was sent.
func TestAnswersAreNotHeldBack(t *testing.T) {
	token := rand.Text()
	r, w := io.Pipe()
	defer w.Close()
	resp := masked(&http.Response{Body: r}, token)
	go func() { _, _ = io.WriteString(w, "data: "+token+"\n\n") }()
	got := make([]byte, len(token)+8)
	if _, err := io.ReadFull(resp.Body, got); err != nil || string(got) != "data: "+strings.Repeat("*", len(token))+"\n\n" {
		t.Errorf("got %q, %v", got, err)
	}
}
