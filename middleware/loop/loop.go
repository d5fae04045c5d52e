// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package loop

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"strconv"

	"github.com/toolscope/toolscope/toolkit"
)

// Kind is what repeats; the value of the tag loop.kind.
type Kind string

// The kinds, as the package's comment explains them.
const (
	Repeat     Kind = "repeat"
	Cycle      Kind = "cycle"
	Failure    Kind = "error"
	NoProgress Kind = "no_progress"
)

// Action is what was done about a loop; the value of the tag loop.action.
type Action string

// The actions.
const (
	Signal Action = "signal" // tags and callback only
	Advice Action = "advice" // and a line for the model after the result
	Stop   Action = "stop"   // the call was refused
)

// Loop is a loop that a call is part of.
type Loop struct {
	Kind   Kind
	Action Action
	Tool   string // as called
	Count  int    // how often it has come, the first time included
	Length int    // how many calls a cycle has; else 0
}

// text says what repeats.
func (l Loop) text() string {
	switch l.Kind {
	case Repeat:
		return fmt.Sprintf("this very call has come %d times", l.Count)
	case Cycle:
		return fmt.Sprintf("the same %d calls in turn have come %d times", l.Length, l.Count)
	case Failure:
		return fmt.Sprintf("this tool has failed in the same way %d times in a row", l.Count)
	}
	return fmt.Sprintf("this tool has given different arguments the same answer %d times in a row", l.Count)
}

// hint says what to do instead.
func (l Loop) hint() string {
	switch l.Kind {
	case Repeat:
		return "use what it gave, change the arguments, or go another way"
	case Cycle:
		return "use what they gave, or go another way"
	case Failure:
		return "mend what the error names, or do without this tool"
	}
	return "other arguments are not likely to change it; use what you have, or go another way"
}

// refusal is what the model reads instead of a result.
func (l Loop) refusal() string { return l.text() + ", so it was not run: " + l.hint() }

// only is the loop with another action, if it is one.
func (l Loop) only(a Action) Loop {
	if l.Kind != "" {
		l.Action = a
	}
	return l
}

// advise adds the advice to what the model reads, if it can: not to errors of
// others. What a call ended with may be stored or shared, so nothing of it is
// changed.
func (l Loop) advise(res toolkit.Result, err error) (toolkit.Result, error, bool) {
	advice := "[" + l.text() + "; " + l.hint() + "]"
	if err != nil {
		e, ok := err.(*toolkit.Error)
		if !ok || e == nil {
			return res, err, false
		}
		told := *e
		if told.Message == "" && told.Cause != nil {
			told.Message = message(told.Cause)
		}
		told.Message += "\n\n" + advice
		return res, &told, true
	}
	switch {
	case res.Output != "":
		res.Output += "\n\n" + advice
	case len(res.Parts) > 0:
		res.Parts = append(slices.Clip(res.Parts), toolkit.Part{Kind: toolkit.PartText, Text: advice})
	default:
		res.Output = advice
	}
	return res, nil, true
}

// reportLoop tags the call and calls the application's function.
func (p *policy) reportLoop(ctx context.Context, call toolkit.Call, l Loop) {
	if l.Kind == "" {
		return
	}
	call.Record.Tag("loop.kind", string(l.Kind))
	call.Record.Tag("loop.count", roughly(l.Count))
	call.Record.Tag("loop.action", string(l.Action))
	if l.Length > 0 {
		call.Record.Tag("loop.length", strconv.Itoa(l.Length))
	}
	if p.onLoop == nil {
		return
	}
	defer func() { _ = recover() }()
	l.Tool = call.Name
	p.onLoop(ctx, l)
}

// roughly is a count up to 16, and then the power of two that it has reached:
// statistics count each different value.
func roughly(n int) string {
	if n <= 16 {
		return strconv.Itoa(n)
	}
	return strconv.Itoa(1<<(bits.Len(uint(n))-1)) + "+"
}
