// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package outputs_test

import (
	"fmt"

	"github.com/toolscope/toolscope/middleware/permit/internal/bash"
	"github.com/toolscope/toolscope/middleware/permit/internal/outputs"
)

func ExampleWrites() {
	for _, file := range outputs.Writes(bash.Parse("tee -a log < in > /dev/null; cp a b /etc/c 2> err")) {
		fmt.Println(file.Text)
	}
	// Output:
	// err
	// log
	// /etc/c
}
