// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package overhttp

import (
	"mime"
	"net/http"
	"strings"
)

// readAlike reports whether every reader reads an answer's bytes as they stand: in no other coding, and in
// a character set whose letters of ASCII are themselves. Readers differ in which of several they take.
func readAlike(header http.Header) bool {
	for _, encoding := range header.Values("Content-Encoding") {
		if encoding != "" && !strings.EqualFold(encoding, "identity") {
			return false
		}
	}
	for _, kind := range header.Values("Content-Type") {
		_, params, err := mime.ParseMediaType(kind)
		if kind != "" && err != nil {
			return false
		}
		switch strings.ToLower(params["charset"]) {
		case "", "utf-8", "utf8", "us-ascii", "iso-8859-1":
		default:
			return false
		}
	}
	return true
}

// redirected changes a redirect to the server's own origin so that it leads to the proxy; false for one that would have
// a client ask elsewhere, where no policy judges its calls and no list is compared. Other addresses than the server's
// may redirect users elsewhere to log in (OAuth), which takes no message along.
func (h *Proxy) redirected(resp *http.Response) bool {
	locations := resp.Header.Values("Location")
	if resp.StatusCode < 300 || resp.StatusCode >= 400 || len(locations) == 0 {
		return true
	}
	to, err := resp.Request.URL.Parse(locations[0])
	if err != nil || len(locations) > 1 {
		return false
	}
	if to.Scheme != h.origin.Scheme || !strings.EqualFold(to.Host, h.origin.Host) {
		return resp.Request.Method == http.MethodGet && !h.own(resp.Request.URL)
	}
	text := to.RequestURI()
	if to.Fragment != "" {
		text += "#" + to.EscapedFragment()
	}
	resp.Header.Set("Location", text)
	return strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "//") // which would begin a host
}
