// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package replay_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/replay"
)

const session = `{"v":1,"record":"session","time":"2026-11-22T10:00:00Z"}
{"v":1,"record":"tool","tool":"read","digest":"x","definition":{"name":"read","description":"reads","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}}
{"v":1,"record":"end","call":"A-1","time":"2026-11-22T10:00:01Z","tool":"read","session":"s","agent":"a","turn":2,"id":"1","duration_us":1000000,"arguments":{"n":1},"result":"one"}
{"v":1,"record":"end","call":"A-2","time":"2026-11-22T10:00:02Z","tool":"read","id":"2","duration_us":1,"arguments":{"n":1},"result":"two"}
{"v":1,"record":"end","call":"A-3","tool":"write","duration_us":1,"arguments":{"t":"[REDACTED]"},"arguments_redacted":true,"arguments_fp":"print","error":"full","error_type":"timeout"}
{"v":1,"record":"end","call":"A-4","tool":"_unknown","requested_name":"made up","duration_us":1,"error":"no such tool","error_type":"not_found"}
{"tool":"old","duration_us":1,"time":1795341600,"arguments":{"a":1},"result":{"b":2}}
{"v":1,"record":"end","call":"A-5","tool":"both","duration_us":1,"result":"x\\ny\\n{}","texts":["x","y"],"structured":{}}
{"v":1,"record":"begin","call":"A-6","tool":"read","arguments":{"n":9}}
{"v":1,"record":"end","call":"A-7","to`

func read(t *testing.T, text string) *replay.Session {
	t.Helper()
	s, err := replay.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRead(t *testing.T) {
	s := read(t, session)
	if len(s.Calls) != 7 || s.Calls[6].Ended || !s.Calls[2].Removed || s.Calls[3].Name != "made up" ||
		s.Calls[0].Session != (toolkit.Session{ID: "s", Agent: "a", Turn: 2}) || s.Calls[0].Began.Second() != 0 {
		t.Errorf("got %d calls: %+v", len(s.Calls), s.Calls[0])
	}
	names := make([]string, 0, len(s.Tools))
	for _, d := range s.Tools {
		names = append(names, d.Name)
	}
	if got := strings.Join(names, " "); got != "read write old both" || s.Tools[0].ReadOnly != toolkit.Yes ||
		s.Tools[0].Description != "reads" {
		t.Errorf("got the tools %s: %+v", got, s.Tools[0])
	}
	for text, want := range map[string]string{
		"nonsense\n":               "replay: line 1: got text that is no record",
		"\n{\"record\":\"end\"}\n": "replay: line 2: tool: got none, want a name",
	} {
		if _, err := replay.Read(strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

// Without the key of the fingerprints, the answer to a call whose arguments were redacted says what is missing.
func TestAnswersWithoutTheKey(t *testing.T) {
	const line = `{"v":1,"record":"end","call":"A-1","tool":"a","arguments":{"p":"[REDACTED:passwd]"},` +
		`"arguments_fp":"abc","arguments_redacted":true,"outcome":"executed","result":"done"}` + "\n"
	s, err := replay.Read(strings.NewReader(line))
	if err != nil {
		t.Fatal(err)
	}
	answers, err := s.Answers()
	if err != nil {
		t.Fatal(err)
	}
	for tool, want := range map[string]bool{"a": true, "b": false} {
		got, err := answers.Handle(t.Context(), toolkit.Call{Name: tool, Arguments: []byte(`{"p":"x"}`)})
		if err != nil || got.Fault == nil || strings.Contains(got.Output, "fingerprint.key") != want {
			t.Errorf("%s: got %+v, %v", tool, got.Output, err)
		}
	}
}

// Equal calls get their answers in the order of the session, and redacted ones by their fingerprint.
func TestAnswers(t *testing.T) {
	s := read(t, session)
	s.Fingerprint = func(arguments []byte) string { return strings.TrimPrefix(string(arguments), "secret ") }
	a, err := s.Answers()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ tool, arguments, want string }{
		{"read", `{"n":1.0}`, "one"}, {"read", `{"n":1}`, "two"}, {"read", `{"n":1}`, "two"}, {"write", "secret print", "full"},
		{"old", `{"a":1}`, `{"b":2}`}, {"read", `{"n":9}`, "the recording has no answer"}, {"made up", "", "no such tool"},
	} {
		r, err := a.Handle(t.Context(), toolkit.Call{Name: c.tool, Arguments: []byte(c.arguments)})
		if err != nil || !strings.HasPrefix(r.Output, c.want) ||
			(r.Fault != nil) != strings.Contains("full no such tool the recording has no answer", c.want) {
			t.Errorf("%s %s: got %+v (%v), want %s", c.tool, c.arguments, r, err, c.want)
		}
	}
	if d := a.Lookup("read"); d == nil || d.Description != "reads" {
		t.Errorf("got the definition %+v", d)
	}
}

// Calls whose arguments are not what was sent are never made, unless they were completed; against the session's own
// answers each other one ends as it did.
func TestReplay(t *testing.T) {
	s := read(t, session)
	a, err := s.Answers()
	if err != nil {
		t.Fatal(err)
	}
	made := 0
	handler := func(ctx context.Context, c toolkit.Call) (toolkit.Result, error) {
		made++
		if s := toolkit.SessionFrom(ctx); (c.ID == "1") != (s != nil && s.ID == "s") {
			t.Errorf("call %s: got the session %+v", c.ID, s)
		}
		return a.Handle(ctx, c)
	}
	for i, r := range s.Replay(t.Context(), handler, nil) {
		if want := i != 2 && i != 6; r.Same() != want || r.Sent != (i != 2) {
			t.Errorf("call %d: got %+v, same %v, want %v", i+1, r, r.Same(), want)
		}
	}
	if made != 6 {
		t.Errorf("got %d calls, want those that were not redacted", made)
	}
	complete := func(c *replay.Call) bool {
		if c.Removed {
			c.Arguments, c.Removed = []byte(`{"t":"x"}`), false
		}
		return c.Name == "write"
	}
	failing := func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{}, errors.New("no") }
	for i, r := range s.Replay(t.Context(), failing, complete) {
		if r.Sent != (i == 2) || r.Same() != (i == 2) {
			t.Errorf("call %d: got %+v, want one that was completed", i+1, r)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if all := s.Replay(ctx, handler, nil); len(all) != 7 || all[0].Sent {
		t.Errorf("got %+v after the context ended, want nothing sent", all[0])
	}
}

// A step is not made again, and its answer is not a client's.
func TestSteps(t *testing.T) {
	s := read(t, `{"record":"begin","call":"A-1","tool":"double","arguments":{"n":2}}
{"record":"end","call":"A-2","parent_call":"A-1","tool":"sum","duration_us":1,"arguments":{"n":2},"result":"4"}
{"record":"end","call":"A-1","tool":"double","duration_us":1,"arguments":{"n":2},"result":"four"}
`)
	if len(s.Calls) != 2 || s.Calls[0].Step || !s.Calls[1].Step {
		t.Fatalf("got %+v, want a call and a step", s.Calls)
	}
	all := s.Replay(t.Context(), func(_ context.Context, c toolkit.Call) (toolkit.Result, error) {
		return toolkit.Result{Output: c.Name}, nil
	}, nil)
	if !all[0].Sent || all[1].Sent {
		t.Errorf("got %v and %v sent, want only the call", all[0].Sent, all[1].Sent)
	}
	a, err := s.Answers()
	if err != nil {
		t.Fatal(err)
	}
	if r, err := a.Handle(t.Context(), toolkit.Call{Name: "sum", Arguments: []byte(`{"n":2}`)}); err != nil || r.Fault == nil {
		t.Errorf("got %+v (%v), want no answer of a step", r, err)
	}
}

// Only a last line that a killed writer left is left out.
func TestTornLines(t *testing.T) {
	const call = `{"record":"end","tool":"x","duration_us":1}`
	for text, torn := range map[string]int{call + "\n" + call: 0, call + "\n" + `{"record":"en`: 13} {
		if s := read(t, text); s.Torn != torn {
			t.Errorf("%q: got %d bytes torn, want %d", text, s.Torn, torn)
		}
	}
	for text, want := range map[string]string{
		`{"record":"en`: "line 1: ", call + "\n{\n" + call: "line 2: ", call + "\n" + `{"a":1}`: "line 2: ",
	} {
		if _, err := replay.Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}
