// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bash_test

import (
	"fmt"

	"github.com/toolscope/toolscope/middleware/permit/internal/bash"
)

func ExampleParse() {
	line := bash.Parse("git log $(cat refs) | xargs -n1 sudo sh -c 'rm \"$1\"' x")
	fmt.Println(line.Programs(), line.Understood())

	line = bash.Parse("X=rm; $X -rf /")
	fmt.Println(line.Programs(), line.Doubts)
	// Output:
	// [git cat xargs sudo sh rm] true
	// [rm] [{command the name of a command is computed: rm}]
}
