// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// gzipFrom is the size in bytes from which answers are compressed.
const gzipFrom = 1 << 10

// encodeJSON is v as people can read it, with members in the order of the struct's
// fields, each on a line of its own behind the indent; without an indent all are on one.
// What a terminal would act on is escaped, so that what curl prints is harmless. What a
// page would act on is not: "<path>" reads better than "\u003cpath\u003e", and with its
// Content-Type and nosniff no browser takes the text for a page.
func encodeJSON(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", indent)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return escapeInvisible(b.Bytes()), nil
}

// escapeInvisible writes the characters of a JSON text that are neither graphic nor
// line ends, which can be in strings only, as escapes.
func escapeInvisible(text []byte) []byte {
	return replaceInvisible(text, func(out []byte, r rune) []byte {
		if high, low := utf16.EncodeRune(r); r > 0xffff {
			return fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		}
		return fmt.Appendf(out, `\u%04x`, r)
	})
}

// replaceInvisible replaces the characters of a text that are neither graphic nor line
// ends.
func replaceInvisible(text []byte, by func(out []byte, r rune) []byte) []byte {
	invisible := func(r rune) bool { return r != '\n' && !unicode.IsGraphic(r) }
	if bytes.IndexFunc(text, invisible) < 0 {
		return text
	}
	out := make([]byte, 0, len(text)+64)
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if invisible(r) {
			out = by(out, r)
		} else {
			out = append(out, text[:n]...)
		}
		text = text[n:]
	}
	return out
}

// entityTag is the tag of what is in a body, or of what a body is made of. It is a
// weak one, as the compressed form and the plain one are equal only in meaning.
func entityTag(content []byte) string {
	sum := sha256.Sum256(content)
	return `W/"` + hex.EncodeToString(sum[:12]) + `"`
}

// unchanged sets what caches need to know, and answers if the client's copy is
// still good.
func unchanged(w http.ResponseWriter, r *http.Request, tag string) bool {
	h := w.Header()
	h.Set("ETag", tag)
	h.Set("Cache-Control", "private, no-cache")
	h.Set("Vary", "Accept-Encoding, Authorization")
	if !matches(r.Header.Get("If-None-Match"), tag) {
		return false
	}
	w.WriteHeader(http.StatusNotModified)
	return true
}

// answer writes a body of the type, compressed if the client takes that, or says
// that the client's copy is still good. An empty tag stands for the body's. A client has answerTime to
// take it, unless the server has a limit of its own.
func answer(w http.ResponseWriter, r *http.Request, contentType, tag string, body []byte) {
	if tag == "" {
		tag = entityTag(body)
	}
	if unchanged(w, r, tag) {
		return
	}
	h := w.Header()
	h.Set("Content-Type", contentType)
	if len(body) >= gzipFrom && takesGzip(r.Header.Get("Accept-Encoding")) {
		h.Set("Content-Encoding", "gzip")
		body = zipped(body)
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	defer limitWriting(w, r)()
	_, _ = w.Write(body) // an error is the client's going away
}

// limitWriting gives the client answerTime to take what is written until the
// function returned is called. Where the server limits all its answers, that
// limit stands. A deadline that was set is removed, for the connection serves others.
func limitWriting(w http.ResponseWriter, r *http.Request) func() {
	if s, ok := r.Context().Value(http.ServerContextKey).(*http.Server); ok && s.WriteTimeout > 0 {
		return func() {}
	}
	c := http.NewResponseController(w)
	if c.SetWriteDeadline(time.Now().Add(answerTime)) != nil {
		return func() {} // a writer without deadlines is bounded by whoever made it
	}
	return func() {
		_ = c.Flush() // within the deadline, not after it
		_ = c.SetWriteDeadline(time.Time{})
	}
}

func zipped(body []byte) []byte {
	var b bytes.Buffer
	z := zippers.Get().(*gzip.Writer)
	defer zippers.Put(z)
	z.Reset(&b)
	_, _ = z.Write(body) // a buffer takes everything
	_ = z.Close()
	return b.Bytes()
}

var zippers = sync.Pool{New: func() any {
	z, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		panic("stats: gzip does not know its own level: " + err.Error())
	}
	return z
}}

// matches compares an If-None-Match header with a tag, weakly, as it has to be.
func matches(header, tag string) bool {
	for t := range strings.SplitSeq(header, ",") {
		t = strings.TrimSpace(t)
		if t == "*" || strings.TrimPrefix(t, "W/") == strings.TrimPrefix(tag, "W/") {
			return true
		}
	}
	return false
}

// takesGzip reads an Accept-Encoding header: gzip is taken if it is named, unless
// with a weight of 0.
func takesGzip(header string) bool {
	for c := range strings.SplitSeq(header, ",") {
		name, parameters, _ := strings.Cut(c, ";")
		if !strings.EqualFold(strings.TrimSpace(name), "gzip") {
			continue
		}
		weight := strings.ReplaceAll(parameters, " ", "")
		return !strings.HasPrefix(weight, "q=0") || strings.Trim(strings.TrimPrefix(weight, "q=0"), ".0") != ""
	}
	return false
}
