// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statspush_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http/httptest"
	"time"

	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/stats/statspush"
	"github.com/toolscope/toolscope/toolkit"
)

// Two jobs that end soon are counted by a receiver.
func Example() {
	ctx, token := context.Background(), rand.Text()
	fleet, _ := stats.New(stats.Options{})
	receiver, _ := statspush.NewReceiver(fleet, token)
	server := httptest.NewServer(receiver)
	defer server.Close()

	for range 2 { // each in a process of its own
		recorder, _ := stats.New(stats.Options{})
		push, err := statspush.New(server.URL, recorder, statspush.Options{Token: token})
		if err != nil {
			fmt.Println(err)
			return
		}
		recorder.End(ctx, &toolkit.Ended{
			Info:  toolkit.CallInfo{Tool: &toolkit.Definition{Name: "search"}},
			Start: time.Now(), End: time.Now(), Disposition: toolkit.Disposition{Run: time.Second},
		})
		if err := push.Close(ctx); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(fleet.Summary(stats.Window{}).Overall.Executed, "calls")
	// Output: 2 calls
}
