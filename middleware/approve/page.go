// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package approve

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"net/http"
	"strings"
)

// pageText is the page: it shows what api/v1/approvals has, and posts answers there.
//
//go:embed page.html
var pageText string

// page is the page with the policy that allows its own script and style, and nothing else.
type page struct{ text, policy string }

func makePage() *page {
	return &page{pageText, "default-src 'none'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; " +
		"script-src " + hashOf(pageText, "script") + "; style-src " + hashOf(pageText, "style")}
}

// hashOf is the source expression for the content of the page's only element of a name.
func hashOf(text, element string) string {
	_, rest, _ := strings.Cut(text, "<"+element+">")
	content, _, _ := strings.Cut(rest, "</"+element+">")
	sum := sha256.Sum256([]byte(content))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func (s *server) servePage(w http.ResponseWriter, _ *http.Request) {
	p := s.page()
	w.Header().Set("Content-Security-Policy", p.policy)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte(p.text))
}
