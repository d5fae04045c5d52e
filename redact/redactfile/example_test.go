// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redactfile_test

import (
	"fmt"

	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/redact/redactfile"
)

func ExampleParse() {
	options, err := redactfile.Parse("redact.yaml", []byte(`
preset: secrets-only
kinds:
  on: [email]
rules:
  - tool: db.*
    path: $.sql
    action: mask
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := redact.New(options)
	if err != nil {
		fmt.Println(err)
		return
	}
	clean, _ := r.ForTool("db.query").Text(`{"sql":"select 1","for":"jane@mail.example.org"}`)
	fmt.Println(clean)
	_, err = redactfile.Parse("redact.yaml", []byte("kinds:\n  of: [email]\n"))
	fmt.Println(err)
	// Output:
	// {"sql":"[REDACTED:rule]","for":"[REDACTED:email]"}
	// redact.yaml:2: kinds.of: got an unknown field (did you mean "on"?), want one of on, off
}
