// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package signin

import (
	"net/http"
	"strings"
	"sync"
)

// Notice passes requests on over base, and says once that a client which signs in by itself may fail behind a
// proxy, when the server asks for a sign-in.
func Notice(base http.RoundTripper, say func(format string, args ...any)) http.RoundTripper {
	return &notice{base: base, say: oneLine(say)}
}

type notice struct {
	base http.RoundTripper
	say  func(format string, args ...any)
	once sync.Once
}

func (n *notice) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := n.base.RoundTrip(req)
	if err != nil || resp.StatusCode != http.StatusUnauthorized {
		return resp, err
	}
	if asked := strings.Join(resp.Header.Values("WWW-Authenticate"), ", "); asked != "" {
		n.once.Do(func() {
			n.say(
				"%s wants a sign-in, which most clients refuse behind a proxy: start it with --oauth, or give the client "+
					"a token to send (docs/oauth.md). The server's challenge: %s",
				req.URL.Host,
				clean(asked),
			)
		})
	}
	return resp, nil
}
