// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"strings"
	"testing"
)

// TestReplayComparesErrors replays a call that fails, and compares the type and the text of its error with those of
// recordings.
func TestReplayComparesErrors(t *testing.T) {
	quietEnvironment(t)
	const line = `{"v":1,"record":"end","call":"A-1","tool":"calculator","session":"s","outcome":"refused",` +
		`"arguments":{"expression":"1 / 0"},"error_type":"TYPE","error":"TEXT"}` + "\n"
	const text = `invalid arguments: expression: division by zero`
	for _, tt := range []struct{ errorType, text, want string }{
		{"invalid_arguments", text, "1 same, 0 with the same outcome only, 0 changed"},
		{"invalid_arguments", "another text", "0 same, 1 with the same outcome only, 0 changed"},
		{"timeout", text, "1 changed, 0 without an answer\n  call 1, calculator: got invalid_arguments, was timeout"},
		{"", text, "1 same, 0 with the same outcome only, 0 changed"},
	} {
		var stdout, stderr bytes.Buffer
		recording := strings.NewReplacer("TYPE", tt.errorType, "TEXT", tt.text).Replace(line)
		code := run([]string{"replay", "--dir", t.TempDir(), "-"}, strings.NewReader(recording), &stdout, &stderr)
		wantCode := exitOK
		if tt.errorType == "timeout" { // the call changed
			wantCode = exitError
		}
		if code != wantCode || !strings.Contains(stdout.String(), tt.want) {
			t.Errorf("%s, %s: got code %d, %s%s, want %q", tt.errorType, tt.text, code, &stdout, &stderr, tt.want)
		}
	}
}
