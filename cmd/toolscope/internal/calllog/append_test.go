// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/toolscope/toolscope/toolkit"
)

// A line that is made without reflection is the one that is made with it.
func TestLinesOfBeginnings(t *testing.T) {
	at := time.Date(2026, 11, 23, 4, 5, 6, 7000, time.UTC)
	for i, r := range []Record{
		{Version: Version, Record: RecordBegin, Time: at},
		{
			Version: Version, Record: RecordBegin, Time: at, Call: "a-1", Parent: "a-0", Server: "files", Tool: "_unknown", Requested: "x<&>'y",
			Session: "s", Agent: "a b", Turn: 3, ID: "7", Intent: "to see", Arguments: jsontext.Value(`{"a":[1,2.50,"b c"],"d":null}`),
			ArgumentsRedacted: true, ArgumentsCut: true, Fingerprint: "ff",
		},
	} {
		want, err := r.Marshal()
		if got := r.appendBegin(); err != nil || string(got) != string(want) {
			t.Errorf("%d: got %s, want %s (%v)", i, got, want, err)
		}
	}
	for _, r := range []Record{
		{Record: RecordEnd}, {Arguments: jsontext.Value("{\n}")}, {Arguments: jsontext.Value(`{"a":"\u0041"}`)}, {Tool: `a"b`},
		{Arguments: jsontext.Value(`{"a":"é"}`)}, {Intent: "a\nb"}, {ID: "\x7f"}, {Session: `a\b`}, {Time: time.Unix(1<<40, 0)},
	} {
		r.Version = Version
		if r.Record == "" {
			r.Record = RecordBegin
		}
		if got := r.appendBegin(); got != nil {
			t.Errorf("got %s, want it left to Marshal", got)
		}
	}
}

// A call that another one makes names it, in each of several logs by the id that it has there.
func TestStepsNameTheirCall(t *testing.T) {
	disks := []*disk{{}, {}}
	logs := []*Log{begin(disks[0], Options{}), begin(disks[1], Options{})}
	ctx := t.Context()
	for _, name := range []string{"outer", "step"} {
		for _, l := range logs {
			ctx = l.Begin(ctx, toolkit.Call{Name: name}, &toolkit.CallInfo{Tool: &toolkit.Definition{Name: name}, Start: time.Unix(1, 0)})
		}
	}
	for i, l := range logs {
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(disks[i].String(), "\n")
		outer, err := ReadRecord([]byte(lines[0]))
		if err != nil || outer.Parent != "" || outer.Call == "" {
			t.Errorf("log %d: got %s (%v), want a call without a parent", i, lines[0], err)
		}
		if step, err := ReadRecord([]byte(lines[1])); err != nil || step.Parent != outer.Call {
			t.Errorf("log %d: got %s (%v), want the parent %s", i, lines[1], err, outer.Call)
		}
	}
}
