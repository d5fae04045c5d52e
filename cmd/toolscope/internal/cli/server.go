// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"net/http"
	"time"
)

// Server returns an HTTP server with the time limits of all commands.
func Server(h http.Handler) *http.Server {
	return &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10}
}
