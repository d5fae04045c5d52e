// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package workflow

import "time"

// A Definition is a workflow. Values of type any are values of JSON, in which a text that begins with a dollar sign is a path
// ($input.url, $find.result.items.0, $var.name) or an expression (${ len(find.result) > 2 }).
type Definition struct {
	// Description is what the model reads of the workflow's tool.
	Description string `yaml:"description" doc:"What the workflow does, for the model that calls it as a tool."`
	// Input is a JSON Schema of the arguments; nil allows any object.
	Input map[string]any `yaml:"input" doc:"JSON Schema of the arguments; default: any object."`
	// Steps run one after the other. There must be one or more.
	Steps []Step `yaml:"steps" doc:"What is done, one after the other."`
	// Output is the result; nil is the result of the last step.
	Output any `yaml:"output" doc:"The result; default: that of the last step."`
	// OnError holds for steps that say nothing else; "" is Stop.
	OnError OnError `yaml:"on_error" allowed:"stop,skip,fallback" doc:"What follows the failure of a step; default stop."`
	// Timeout is how long a run may take; 0 is 30 minutes.
	Timeout time.Duration `yaml:"timeout" doc:"How long a run may take; default 30m."`
	// MaxCalls is how many calls a run may make, at most 10,000; 0 is 1,000.
	MaxCalls int `yaml:"max_calls" doc:"How many calls a run may make; default 1000, at most 10000."`
}

// A Step is one step: exactly one of Call, Parallel, If, Each, Loop, Set and Steps must be set.
type Step struct {
	// ID names the step in values ($ID.result) and in the log. It is a letter followed by letters, digits and _, and unique
	// in the workflow. "" is a step that no value can refer to.
	ID string `yaml:"id" doc:"Name of the step in values, such as $ID.result, and in the log."`

	// Call is the name of a tool, and With its arguments.
	Call string         `yaml:"call" doc:"Calls the tool of this name."`
	With map[string]any `yaml:"with" keys:"any" doc:"Arguments of the call."`
	// Parallel runs branches at the same time.
	Parallel *Parallel `yaml:"parallel" doc:"Runs branches at the same time."`
	// If is a condition: Then runs if it is true, else Else. Without an Else the result is null.
	If   string `yaml:"if" doc:"A condition, such as ${ input.n > 2 }."`
	Then *Step  `yaml:"then" doc:"Runs if the condition is true."`
	Else *Step  `yaml:"else" doc:"Runs if it is false; default: nothing, and the result is null."`
	// Each runs a step for each element of a list.
	Each *Each `yaml:"each" doc:"Runs a step for each element of a list."`
	// Loop runs a step while a condition is true.
	Loop *Loop `yaml:"loop" doc:"Runs a step as long as a condition is true."`
	// Set sets variables, for $var.NAME. The result is the mapping.
	Set map[string]any `yaml:"set" doc:"Sets variables, for $var.NAME."`
	// Steps are a block. Its result is that of its last step.
	Steps []Step `yaml:"steps" doc:"A block: steps one after the other."`

	// OnError is what follows a failure; "" is Fallback for a step with one, Stop for a branch and the body of Each, and else
	// the workflow's.
	OnError OnError `yaml:"on_error" allowed:"stop,skip,fallback" doc:"Default: the workflow's, stop in branches and each."`
	// Fallback is the result after a failure, and FallbackStep a step that makes one. Without both, Fallback means
	// {"fallback": true, "error": TEXT, "error_type": TYPE}.
	Fallback     any   `yaml:"fallback" doc:"The result after a failure."`
	FallbackStep *Step `yaml:"fallback_step" doc:"The step that makes the result after a failure."`
	// Timeout is how long the step may take, waits for slots and approvals included. 0 leaves a call to the Timeout policy,
	// and everything to the workflow's timeout.
	Timeout time.Duration `yaml:"timeout" doc:"How long the step may take, waits included; default: no own limit."`
	// Undo is a call that reverts the step. If the run fails, the undos of all steps that were done run, the last one
	// first.
	Undo *Call `yaml:"undo" doc:"The call that reverts the step if the run fails."`
}

// A Call is a tool with its arguments.
type Call struct {
	Tool string         `yaml:"call" doc:"Calls the tool of this name."`
	With map[string]any `yaml:"with" keys:"any" doc:"Arguments of the call."`
}

// Parallel runs branches at the same time. What they set and their ids stay in them.
type Parallel struct {
	// Branches are at most 50.
	Branches []Step `yaml:"branches" doc:"What runs at the same time; at most 50."`
	// Merge makes one result of those of the branches.
	Merge Merge `yaml:"merge" allowed:"first,all,majority,agree" doc:"How their results become one."`
	// Writes allows First for tools that may write: a loser may have taken effect when it is cancelled.
	Writes bool `yaml:"writes" doc:"Allows merge first for tools that may write; default false."`
}

// Each runs Do for each element of a list, which is $item, its place $index. The result is the list of results.
type Each struct {
	// In is the list.
	In any `yaml:"in" doc:"The list."`
	// Do is the step.
	Do *Step `yaml:"do" doc:"The step for each element, which is $item; its place is $index."`
	// Parallel is how many elements at once, at most 50; 0 is 4.
	Parallel int `yaml:"parallel" doc:"How many elements are processed concurrently; default 4, at most 50."`
	// Max is how many elements the list may have, at most 1,000; 0 is 100.
	Max int `yaml:"max" doc:"How many elements the list may have; default 100, at most 1000."`
	// Merge is a call whose result replaces the list of results, which is $results.
	Merge *Call `yaml:"merge" doc:"A call whose result replaces the list of results, which is $results."`
}

// Loop runs Do as long as While is true, and at most Max times. Both know $iteration, which counts from 0, and $results, the
// results so far. The result is the list of results.
type Loop struct {
	While string        `yaml:"while" doc:"The condition, which knows $iteration and $results."`
	Do    *Step         `yaml:"do" doc:"What is repeated."`
	Max   int           `yaml:"max" doc:"How often at most; required, at most 1000."`
	Delay time.Duration `yaml:"delay" doc:"The wait before each repetition; default none."`
}

// OnError is what follows the failure of a step. A cancelled run always ends.
type OnError string

// What can follow a failure.
const (
	Stop     OnError = "stop"     // the step around it fails, in the end the run
	Skip     OnError = "skip"     // the result is null, and the run goes on
	Fallback OnError = "fallback" // the run goes on with another result
)

// Merge is how the results of branches become one.
type Merge string

// The ways to merge.
const (
	First    Merge = "first"    // the first success; the other branches are cancelled
	All      Merge = "all"      // the list of results; one failure is the step's
	Majority Merge = "majority" // the list of the successes, which must be more than half
	Agree    Merge = "agree"    // the result that more than half of the branches have
)
