// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit_test

import (
	"context"
	"fmt"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/permit"
	"github.com/toolscope/toolscope/toolkit"
)

func Example() {
	rules, err := permit.Parse("permit.yaml", []byte(`
default: ask
rules:
  - name: git-read
    effect: allow
    shell: {prefix: [git status, git log]}
  - name: no-prod
    effect: deny
    tools: ["db_*"]
    when: args.database startsWith "prod"
    for_model: production is off limits; use the staging copy
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	gate, err := permit.New(permit.Options{Rules: rules})
	if err != nil {
		fmt.Println(err)
		return
	}
	tool := func(context.Context, toolkit.Call) (toolkit.Result, error) {
		return toolkit.Result{Output: "done"}, nil
	}
	handle := middleware.Wrap(tool, gate)

	for _, call := range []toolkit.Call{
		{Name: "bash", Arguments: []byte(`{"command": "git status && git log -3"}`)},
		{Name: "bash", Arguments: []byte(`{"command": "git status && sudo reboot"}`)},
		{Name: "db_query", Arguments: []byte(`{"database": "production"}`)},
	} {
		res, err := handle(context.Background(), call)
		if te, ok := err.(*toolkit.Error); ok {
			fmt.Println(te.Error())
			continue
		}
		fmt.Println(res.Output)
	}
	// Output:
	// done
	// tool "bash": permission denied: not permitted: commands as another user are not permitted; do it without, or tell the user what to run
	// tool "db_query": permission denied: not permitted: production is off limits; use the staging copy
}

func ExampleRules_Decide() {
	rules, err := permit.Compile(permit.Spec{Rules: []permit.Rule{
		{Name: "git-read", Effect: permit.Allow, Shell: &permit.Shell{Prefix: []string{"git status"}}},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	d := rules.Decide(nil, toolkit.Call{Name: "bash", Arguments: []byte(`{"command": "git status; curl example.com"}`)})
	fmt.Println(d.Effect, d.Rule, d.Programs)
	fmt.Println(d.Reason)
	// Output:
	// ask not_covered [git curl]
	// the rule git-read does not cover curl example.com
}
