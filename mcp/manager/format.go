// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"fmt"
	"log/slog"
)

// Format prints the name and how the server is reached, whatever the verb: never
// arguments, environment, URL or headers, which may hold secrets.
func (s Server) Format(f fmt.State, _ rune) { fmt.Fprintf(f, "Server{%.80q %s}", s.Name, s.kind()) }

// LogValue gives the name and how the server is reached.
func (s Server) LogValue() slog.Value {
	return slog.GroupValue(slog.String("name", clip(s.Name)), slog.String("transport", s.kind()))
}
