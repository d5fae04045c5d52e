// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package interpret

import (
	"fmt"
	"time"

	"github.com/toolscope/toolscope/workflow/internal/expression"
)

// A Program is a compiled workflow. It does not change.
type Program struct {
	Name     string
	Steps    []*Node
	Output   *expression.Value // nil is the result of the last step
	Timeout  time.Duration
	MaxCalls int
}

// Kind is what a step does.
type Kind uint8

// The kinds of steps.
const (
	Call Kind = iota
	Parallel
	If
	Each
	Loop
	Set
	Block
)

var kindNames = [...]string{"call", "parallel", "if", "each", "loop", "set", "steps"}

// String is the kind's name in a definition.
func (k Kind) String() string { return kindNames[k] }

// Merge is how the answers of branches become one.
type Merge uint8

// The ways to merge.
const (
	First    Merge = iota // the first success; the others are cancelled
	All                   // a list, if all succeed
	Majority              // a list of the successes, if they are more than half of the branches
	Agree                 // the answer that more than half of the branches gave
)

// OnError is what follows a step's failure.
type OnError uint8

// The ways to go on.
const (
	Stop     OnError = iota // the step around it fails
	Skip                    // the result is null
	Fallback                // the result is another one
)

// A Node is a step. Which fields count depends on the kind.
type Node struct {
	ID   string // "" for a step without one
	Name string // its part of the path: the id, or its place; "" for one that has the path of the step around it
	Kind Kind

	Call     *ToolCall
	Merge    Merge
	Branches []*Node
	When     *expression.Value // of If and Loop
	Then     *Node
	Else     *Node // nil is none
	In       *expression.Value
	Body     *Node // of Each and Loop
	Parallel int   // of Each
	Max      int   // of Each and Loop
	Combine  *ToolCall
	Delay    time.Duration
	Set      []Variable
	Steps    []*Node

	OnError      OnError
	Fallback     *expression.Value // nil without one
	FallbackStep *Node             // nil without one
	Timeout      time.Duration     // 0 is none
	Undo         *ToolCall
}

// A ToolCall is a tool with its arguments.
type ToolCall struct {
	Tool string
	With *expression.Value
}

// A Variable is a name with its value.
type Variable struct {
	Name  string
	Value *expression.Value
}

// NotAList is the error of a value that is not a list of at most so many elements.
func NotAList(value any, most int) error {
	if items, ok := value.([]any); ok {
		return fmt.Errorf("in: got %d elements, want at most %d (each.max)", len(items), most)
	}
	return fmt.Errorf("in: got %s, want a list", expression.TypeName(value))
}

// NotACondition is the error of a condition's value that is no bool.
func NotACondition(value any) error {
	return fmt.Errorf("the condition is neither true nor false: got %s", expression.TypeName(value))
}
