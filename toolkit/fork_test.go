// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit_test

import (
	"testing"

	"github.com/toolscope/toolscope/toolkit"
)

func TestAForkOutlivesItsCall(t *testing.T) {
	arguments := []byte(`{"a":1}`)
	var fork toolkit.Call
	recorded(t, t.Context(), func(r toolkit.Record) {
		call := toolkit.Call{ID: "1", Name: "tool", Arguments: arguments, Record: r}
		before, _ := r.Identity(call)
		fork = call.Fork()
		read, ok := fork.Record.Identity(fork)
		if again, _ := fork.Record.Identity(fork); !ok || read != again || !read.Equal(before) {
			t.Error("the arguments are read anew")
		}
		r.Note(func(s *toolkit.Disposition) { s.Attempts = 3 })
	})
	copy(arguments, `{"b":2}`) // the caller's memory, for another call
	if fork.ID != "1" || fork.Name != "tool" || string(fork.Arguments) != `{"a":1}` || fork.Record.Tool() == nil ||
		fork.Record.Disposition().Attempts != 0 {
		t.Errorf("got %+v of %s", fork, fork.Arguments)
	}
	if read, ok := fork.Record.Identity(fork); !ok || string(read.AppendCanonical(nil)) != `{"a":1}` {
		t.Error("the identity is not that of the fork's arguments")
	}
	if other := (toolkit.Call{Name: "nil"}).Fork(); other.Arguments != nil || other.Record != (toolkit.Record{}) {
		t.Errorf("without arguments and record: got %+v", other)
	}
}
