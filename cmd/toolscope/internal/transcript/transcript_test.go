// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package transcript_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/transcript"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

const session = `{"session":"s","turn":1,"name":"read","arguments":{"path":"a"},"answer":{"output":"A","duration_ms":1.5}}

{"session":"s","turn":2,"batch":"b","id":"x","name":"read","arguments":"{\"path\": \"b\"}","answer":{"output":"no such file","failed":true}}
{"session":"s","turn":2,"batch":"b","name":"list"}
{"session":"s","turn":3,"batch":"b","name":"list","arguments":null}
{"role":"user","content":"what is in b?"}
{"session":"t","tenant":"acme","calls":[{"id":"1","name":"read","arguments":{"path":"b"},"answer":{"error_type":"timeout"}},{"id":"2","name":"list"}]}
{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"read","arguments":"{\"path\":\"c\"}"}}]}
{"role":"tool","tool_call_id":"call_1","content":[{"type":"text","text":"C"},{"type":"text","text":"D"}]}
{"id":"call_2","type":"function","function":{"name":"read","arguments":"not JSON"},"result":{"rows":1},"success":true,"skipped":false,"execution_time":0.25}`

func TestReadTranscriptKnowsItsForms(t *testing.T) {
	got, err := transcript.Read(strings.NewReader(session))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Batches) != 6 || got.Len() != 8 {
		t.Fatalf("got %d batches of %d calls, want 6 of 8", len(got.Batches), got.Len())
	}
	second := got.Batches[1]
	if want := (toolkit.Session{ID: "s", Turn: 2, Batch: "b"}); second.Session != want || len(second.Calls) != 2 ||
		second.Line != 3 {
		t.Errorf("got %+v", second)
	}
	if c := second.Calls[0]; c.ID != "x" || string(c.Arguments) != `{"path": "b"}` {
		t.Errorf("got the call %s with %s", c.ID, c.Arguments)
	}
	if c := second.Calls[1]; c.ID != "line-4.2" || c.Arguments != nil || second.Answers[1] != nil {
		t.Errorf("got the call %s with %s", c.ID, c.Arguments)
	}
	if a := got.Batches[0].Answers[0]; a.Output != "A" || a.Failed || a.Took != 1500*time.Microsecond {
		t.Errorf("got %+v", a)
	}
	if a := got.Batches[4].Answers[0]; a.Output != "C\nD" {
		t.Errorf("OpenAI's form: got %+v", a)
	}
	if a := got.Batches[5].Answers[0]; a.Output != `{"rows":1}` || a.Failed || a.Took != 250*time.Millisecond {
		t.Errorf("the form with results: got %+v", a)
	}
	if c := got.Batches[5].Calls[0]; string(c.Arguments) != "not JSON" {
		t.Errorf("invalid arguments are the model's: got %s", c.Arguments)
	}
}

func TestReadTranscriptNamesWhatIsWrong(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"no JSON":      {"\n{", "line 2: got no JSON object (unexpected end of JSON input), want one"},
		"no name":      {`{"session":"s"}`, `line 1: got no "name"`},
		"in a batch":   {`{"calls":[{"name":"a"},{}]}`, `line 1: call 2: got no "name"`},
		"both":         {`{"name":"a","calls":[{"name":"b"}]}`, "want one of them"},
		"twice":        {`{"calls":[{"id":"1","name":"a"},{"id":"1","name":"b"}]}`, `call 2: the id "1" is another call's`},
		"answer first": {`{"role":"tool","tool_call_id":"z","content":""}`, `got an answer to "z"`},
		"a long line":  {`{"name":"` + strings.Repeat("a", 17<<20) + `"}`, "want a shorter line"},
	} {
		_, err := transcript.Read(strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q in it", name, err, c.want)
		}
	}
}

func TestPlayGivesRecordedAnswersInTheirSessions(t *testing.T) {
	recorded, err := transcript.Read(strings.NewReader(session))
	if err != nil {
		t.Fatal(err)
	}
	var seen tooltest.Recorder
	executor := &toolkit.Executor{Handler: toolkit.Observe(nil, &seen)(recorded.Answer)}
	var told []string
	err = recorded.Play(t.Context(), executor, func(b transcript.Batch, answers []toolkit.Answer) {
		for i, a := range answers {
			told = append(told, b.Session.ID+":"+b.Calls[i].Name+"="+a.Result.Output+"/"+toolkit.TypeOf(a.Result.Fault))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(told, "\n")
	for _, want := range []string{"s:read=A/\n", "s:read=no such file/tool_error\n", "t:read=/timeout\n",
		":read=C\nD/\n", "no answer was recorded"} {
		if !strings.Contains(got, want) {
			t.Errorf("got\n%s\nwant %q in it", got, want)
		}
	}
	sessions := map[string]int{}
	for _, e := range seen.All() {
		if s := e.Info.Session; s != nil {
			sessions[s.ID]++
		}
	}
	if sessions["s"] != 4 || sessions["t"] != 2 || seen.Len() != 8 {
		t.Errorf("got %v of %d calls", sessions, seen.Len())
	}
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if err := recorded.Play(ctx, executor, nil); err != cause {
		t.Errorf("got %v, want the cause", err)
	}
	if res, _ := recorded.Answer(t.Context(), toolkit.Call{ID: "x"}); res.Fault == nil {
		t.Error("an answer was given outside Play")
	}
}

func FuzzReadTranscript(f *testing.F) {
	for line := range strings.Lines(session) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, text string) {
		recorded, err := transcript.Read(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, b := range recorded.Batches {
			ids := map[string]bool{}
			for _, c := range b.Calls {
				if c.Name == "" || c.ID == "" || ids[c.ID] {
					t.Errorf("got the call %+v in %+v", c, b)
				}
				ids[c.ID] = true
			}
			if len(b.Calls) == 0 || len(b.Answers) != len(b.Calls) {
				t.Errorf("%d calls, %d answers", len(b.Calls), len(b.Answers))
			}
		}
	})
}
