// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package calllog_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/calllog"
	"github.com/toolscope/toolscope/toolkit"
)

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "calls.jsonl")
	log, err := calllog.Open(path, calllog.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	end := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	_, call := toolkit.BeginAt(
		context.Background(),
		end.Add(-time.Millisecond),
		toolkit.Call{Arguments: []byte(`{"password":"hunter2"}`)},
		&toolkit.Definition{Name: "login"},
		log,
	)
	call.EndAt(end, toolkit.Result{Output: "welcome"}, nil)
	fmt.Println(log.Close(), log.Dropped())
	text, err := os.ReadFile(path)
	fmt.Print(regexp.MustCompile(`[A-Z0-9]{8}-1`).ReplaceAllString(string(text), "ID"), err) // random
	// Output:
	// <nil> 0
	// {"v":1,"record":"begin","call":"ID","time":"2026-01-02T03:04:04.999Z","tool":"login","arguments":{"password":"[REDACTED:passwd]"},"arguments_redacted":true}
	// {"v":1,"record":"end","call":"ID","time":"2026-01-02T03:04:05Z","tool":"login","outcome":"executed","duration_us":1000,"arguments":{"password":"[REDACTED:passwd]"},"arguments_redacted":true,"result":"welcome"}
	// <nil>
}
