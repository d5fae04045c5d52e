// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package replay_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/replay"
)

// recording is what "toolscope mcp" has recorded; a test reads a file.
const recording = `{"v":1,"record":"begin","call":"A-1","time":"2026-11-22T10:00:00Z","tool":"add","arguments":{"a":1,"b":2}}
{"v":1,"record":"end","call":"A-1","time":"2026-11-22T10:00:01Z","tool":"add","outcome":"executed","duration_us":900,"arguments":{"a":1,"b":2},"result":"3"}
`

// An agent's test gets the recorded answers instead of running tools.
func ExampleSession_Answers() {
	session, err := replay.Read(strings.NewReader(recording))
	if err != nil {
		panic(err)
	}
	tools, err := session.Answers()
	if err != nil {
		panic(err)
	}
	for _, arguments := range []string{`{"b":2,"a":1}`, `{"a":5}`} {
		result, _ := tools.Handle(context.Background(), toolkit.Call{Name: "add", Arguments: []byte(arguments)})
		fmt.Println(result.Output)
	}
	// Output:
	// 3
	// the recording has no answer to this call of "add": want the arguments of a recorded call
}

// A program makes the recorded calls again and compares.
func ExampleSession_Replay() {
	session, err := replay.Read(strings.NewReader(recording))
	if err != nil {
		panic(err)
	}
	handler := func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{Output: "4"}, nil }
	for _, r := range session.Replay(context.Background(), handler, nil) {
		fmt.Println(r.Name, r.Sent, r.Same(), r.Got.Output)
	}
	// Output: add true false 4
}
