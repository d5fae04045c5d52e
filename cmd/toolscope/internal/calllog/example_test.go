// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package calllog_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
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
	log, err := calllog.Open(path, nil)
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
	fmt.Print(string(text), err)
	// Output:
	// <nil> 0
	// {"time":"2026-01-02T03:04:05Z","tool":"login","outcome":"executed","duration_us":1000,"arguments":{"password":"[REDACTED:passwd]"},"result":"welcome"}
	// <nil>
}
