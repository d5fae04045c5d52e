// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package overhttp

import (
	"bytes"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/mirror"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/watch"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/wire"
)

// methodsPassed are the methods of HTTP that streamable HTTP has, and those that ask about it.
const methodsPassed = "GET, HEAD, OPTIONS, DELETE, POST"

// objection is why a request does not reach the server, and the status of HTTP and the code of JSON-RPC to
// answer with. got is "" for none.
type objection struct {
	status int
	code   int64
	got    string
}

// refusedHead is an objection to a head that leaves open how a server reads the body.
func refusedHead(r *http.Request) objection {
	switch r.Method {
	case http.MethodPost:
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodDelete:
		if r.ContentLength != 0 {
			return objection{
				http.StatusBadRequest, wire.CodeInvalidRequest,
				"a body with another method than POST: want none, so that policies can govern it",
			}
		}
		return mismatch(contradictedHead(r))
	default:
		return objection{
			http.StatusMethodNotAllowed, wire.CodeInvalidRequest,
			"a method of HTTP that MCP does not have: want one of " + methodsPassed,
		}
	}
	for _, encoding := range r.Header.Values("Content-Encoding") {
		if !strings.EqualFold(encoding, "identity") {
			return objection{
				http.StatusUnsupportedMediaType, wire.CodeInvalidRequest,
				"a Content-Encoding: want none, so that policies can govern the message",
			}
		}
	}
	if types := r.Header.Values("Content-Type"); len(types) != 1 || !isPlainJSON(types[0]) {
		return objection{
			http.StatusUnsupportedMediaType, wire.CodeInvalidRequest,
			"another Content-Type, or none: want application/json once, in UTF-8",
		}
	}
	return objection{}
}

// contradictedHead is what the headers of a request without a message say of one; "" for nothing.
func contradictedHead(r *http.Request) string {
	return mirror.Contradicted(r.Header, sessionOf(r.URL.RawQuery) != "", &wire.Message{}, &wire.Params{}, nil)
}

// mismatch is an objection to headers, as revision 2026-07-28 has it; "" is none.
func mismatch(got string) objection {
	return objection{http.StatusBadRequest, wire.CodeHeaderMismatch, got}
}

// isPlainJSON reports whether a content type is the one of MCP, with no more than the only character
// set that JSON has.
func isPlainJSON(contentType string) bool {
	switch strings.ToLower(strings.ReplaceAll(contentType, " ", "")) {
	case "application/json", "application/json;charset=utf-8", `application/json;charset="utf-8"`:
		return true
	}
	return false
}

// MaxForm is how long a form may be to be read, in bytes.
const MaxForm = 64 << 10

// elsewhere reports whether a request is for another address than the server's, as those of an
// authorization server that is at the same origin (OAuth), and no header says that it calls something.
func (h *Proxy) elsewhere(r *http.Request) bool {
	return r.Method == http.MethodPost && !h.own(r.URL) && contradictedHead(r) == ""
}

// own reports whether an address is the server's.
func (h *Proxy) own(u *url.URL) bool {
	return strings.EqualFold(path.Clean("/"+u.Path), path.Clean("/"+h.path))
}

// otherPost reports whether a request is a form for another address, in the letters that forms have once
// they are encoded: no reader, wherever it listens, finds a message in it. The body is put back.
func (h *Proxy) otherPost(out http.ResponseWriter, r *http.Request) bool {
	kinds := r.Header.Values("Content-Type")
	if !h.elsewhere(r) || len(r.Header.Values("Content-Encoding")) > 0 || len(kinds) != 1 {
		return false
	}
	kind, params, err := mime.ParseMediaType(kinds[0])
	if err != nil || kind != "application/x-www-form-urlencoded" || params["charset"] != "" &&
		!strings.EqualFold(params["charset"], "utf-8") {
		return false
	}
	body, err := io.ReadAll(http.MaxBytesReader(out, r.Body, MaxForm))
	if err != nil || bytes.ContainsFunc(
		body, func(c rune) bool { return c <= ' ' || c >= 0x7f || strings.ContainsRune("\"'{}[]<>:", c) },
	) {
		return false
	}
	r.Body, r.ContentLength, r.Trailer = io.NopCloser(bytes.NewReader(body)), int64(len(body)), nil
	return true
}

// otherJSON reports whether a body is an object that no reader takes for a message: none of its members
// can be taken for a method.
func otherJSON(body []byte) bool {
	var object map[string]jsontext.Value
	if json.Unmarshal(body, &object) != nil || object == nil || !wire.NamesOnly(body, "method") {
		return false
	}
	_, has := object["method"]
	return !has
}

// refuse answers a request that policies cannot govern, which does not reach the server.
func (h *Proxy) refuse(out http.ResponseWriter, x *HTTPExchange, o objection, id []byte) {
	x.Session.Record(watch.Note{Kind: watch.NoteRefused, Text: o.got})
	text, err := wire.Refusal(id, o.code, o.got)
	if err != nil { // the id has been read
		return
	}
	if o.status == http.StatusMethodNotAllowed {
		out.Header().Set("Allow", methodsPassed)
	}
	out.Header().Set("Content-Type", "application/json")
	out.WriteHeader(o.status)
	_, _ = out.Write(text) // the client does not wait any more
}
