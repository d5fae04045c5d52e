// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"errors"
	"testing"

	"github.com/toolscope/toolscope/redact"
)

// The requests that end with a connection learn of it at any time, also after it is known
// how its process ended: that was written over.
func TestRequestsDoNotWriteOverHowAConnectionEnded(t *testing.T) {
	s := &server{m: &Manager{options: Options{Redactor: redact.Default()}}}
	c := new(connection)
	s.conn = c
	for _, step := range []struct {
		c    *connection
		says string
		want string
	}{
		{c, "it answered with nonsense", "it answered with nonsense"},
		{nil, "its process ended", "its process ended"},
		{c, "the connection was lost", "its process ended"},
	} {
		s.noteOf(step.c, errors.New(step.says))
		if s.lastError != step.want {
			t.Errorf("%s: got %q, want %q", step.says, s.lastError, step.want)
		}
		if step.c == nil {
			continue
		}
		s.disconnected()
	}
}
