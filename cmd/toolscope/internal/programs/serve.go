// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"net"
	"net/http"

	"github.com/toolscope/toolscope/stats/statshttp"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
)

// Serve serves a program's statistics and announces them, so that other commands find them. The
// function returned ends both.
func Serve(l net.Listener, h http.Handler, title string) (address string, stop func()) {
	address = "http://" + l.Addr().String() + "/"
	withdraw, err := statshttp.Announce(address, title[:min(len(title), 80)])
	if err != nil { // then "toolscope stats" needs the address
		withdraw = func() {}
	}
	s := cli.Server(h)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = s.Serve(l) // until Close
	}()
	return address, func() {
		withdraw()
		_ = s.Close()
		<-ended
	}
}
