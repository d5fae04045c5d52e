// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package logexport_test

import (
	"fmt"
	"os"
	"time"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/logexport"
)

func Example() {
	export := &logexport.Export{
		Filter: logexport.Filter{Tools: []string{"search"}},
		Sink:   logexport.NewText(os.Stdout, time.UTC),
	}
	for _, line := range []string{
		`{"time":"2026-11-21T12:00:00Z","tool":"search","duration_us":1500,"arguments":{"q":"ducks",` +
			`"password":"quack-quack-quack"},"result":"3 found"}`,
		`{"time":"2026-11-21T12:00:01Z","tool":"read_file","duration_us":20}`,
	} {
		if err := export.AddLine([]byte(line)); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(export.Close(), export.Exported, export.Filtered)
	// Output:
	// 2026-11-21 11:59:59.998  search                    executed             1.50 ms
	//     arguments: {"q":"ducks","password":"[REDACTED:passwd]"}
	//     result: 3 found
	// <nil> 1 1
}
