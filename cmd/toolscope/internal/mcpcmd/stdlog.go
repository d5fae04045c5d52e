// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpcmd

import (
	"log"
	"strings"

	"github.com/toolscope/toolscope/redact"
)

// maxLogged is how much is printed of what net/http logs at a time, in bytes.
const maxLogged = 2 << 10

// logWriter prints what net/http writes to the standard log: some of it quotes what a server sent.
type logWriter func(format string, args ...any)

func (say logWriter) Write(p []byte) (int, error) {
	clean, _ := redact.Default().TextMax(strings.TrimSpace(string(p)), maxLogged)
	say("%s", clean)
	return len(p), nil
}

// sayStandardLog has say print the standard log, redacted. It is the process's.
func sayStandardLog(say func(format string, args ...any)) {
	log.SetFlags(0)
	log.SetOutput(logWriter(say))
}
