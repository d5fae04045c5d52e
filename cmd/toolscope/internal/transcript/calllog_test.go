// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package transcript

import (
	"strings"
	"testing"
	"time"
)

// A call log is read as a session: a call that has no end has no answer, and lines that are no calls are passed over.
func TestReadCallLog(t *testing.T) {
	got, err := Read(strings.NewReader(`{"v":1,"record":"begin","call":"A-1","server":"s","time":"2026-11-22T10:00:00Z","tool":"read","session":"x","arguments":{"n":1}}
{"v":1,"record":"begin","call":"A-2","time":"2026-11-22T10:00:00Z","tool":"_unknown","requested_name":"made up","session":"x"}
{"v":1,"record":"dropped","dropped":3,"time":"2026-11-22T10:00:00Z"}
{"v":1,"record":"request","method":"tools/list","time":"2026-11-22T10:00:00Z"}
{"v":1,"record":"end","call":"A-1","time":"2026-11-22T10:00:01Z","tool":"read","session":"x","outcome":"executed","duration_us":1500,"arguments":{"n":1},"result":"text"}
{"time":"2026-11-22T10:00:02Z","tool":"write","outcome":"executed","duration_us":5,"error_type":"timeout","error":"late","session":"x"}
`))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, b := range got.Batches {
		names = append(names, b.Calls[0].Name+" in "+b.Session.ID)
	}
	if list := strings.Join(names, ", "); list != "read in x, made up in x, write in x" {
		t.Fatalf("got %s", list)
	}
	read, never, failed := got.Batches[0].Answers[0], got.Batches[1].Answers[0], got.Batches[2].Answers[0]
	if read == nil || read.Output != "text" || read.Failed || read.Took != 1500*time.Microsecond {
		t.Errorf("got %+v, want the recorded answer", read)
	}
	if never != nil || failed == nil || !failed.Failed || failed.ErrorType != "timeout" || failed.Output != "late" {
		t.Errorf("got %+v and %+v, want no answer, and a failure", never, failed)
	}
	if args := string(got.Batches[0].Calls[0].Arguments); args != `{"n":1}` {
		t.Errorf("got arguments %s", args)
	}
}
