// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package answer

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// writeTime is how long a client may take to read an answer.
const writeTime = 30 * time.Second

// gzipFrom is the size in bytes from which answers are compressed.
const gzipFrom = 1 << 10

// EntityTag is the tag of a body, or of what determines a body. It is a weak one, because the compressed and the plain
// form are equivalent but not identical.
func EntityTag(content []byte) string {
	sum := sha256.Sum256(content)
	return `W/"` + hex.EncodeToString(sum[:12]) + `"`
}

// Unchanged sets the headers for caches. If the client's copy is current, it answers 304 and returns true.
func Unchanged(w http.ResponseWriter, r *http.Request, tag string) bool {
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

// Write writes a body of the content type, compressed if the client accepts gzip, or reports that the client's copy is
// current. An empty tag stands for that of the body. A client has 30 seconds to read it, unless the server has a
// WriteTimeout.
func Write(w http.ResponseWriter, r *http.Request, contentType, tag string, body []byte) {
	if tag == "" {
		tag = EntityTag(body)
	}
	if Unchanged(w, r, tag) {
		return
	}
	h := w.Header()
	h.Set("Content-Type", contentType)
	if len(body) >= gzipFrom && takesGzip(r.Header.Get("Accept-Encoding")) {
		h.Set("Content-Encoding", "gzip")
		body = zipped(body)
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	defer LimitWriting(w, r)()
	_, _ = w.Write(body) // fails if the client has disconnected
}

// LimitWriting gives the client 30 seconds to read what is written until the returned function is called. A
// WriteTimeout of the server has precedence. The deadline is removed afterwards, because the connection serves other
// requests.
func LimitWriting(w http.ResponseWriter, r *http.Request) func() {
	if s, ok := r.Context().Value(http.ServerContextKey).(*http.Server); ok && s.WriteTimeout > 0 {
		return func() {}
	}
	c := http.NewResponseController(w)
	if c.SetWriteDeadline(time.Now().Add(writeTime)) != nil {
		return func() {} // the writer has no deadlines
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
		panic("statshttp: gzip does not know its own level: " + err.Error())
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
