// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package replaycmd

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/calllog"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/foreign"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/transcript"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/toolkit"
)

// compare compares an answer with the recorded one.
func (r *replay) compare(b *transcript.Batch, i int, a toolkit.Answer, end ending) {
	then, c := b.Answers[i], &r.compared
	if r.dryRun || then == nil {
		c.Unknown++
		return
	}
	failed := end.errorType != ""
	text := calllog.ResultText(a.Result)
	switch {
	case failed != then.Failed || failed && then.ErrorType != "" && then.ErrorType != end.errorType:
		c.Changed = append(c.Changed, fmt.Sprintf("call %d, %s: got %s, was %s", b.Notes[i].Number,
			display.Clip(a.Name, 60), endingText(failed, end.errorType), endingText(then.Failed, then.ErrorType)))
	case then.Cut:
		c.Ended++
	case r.shown(text, a.Name, then.Redacted) == then.Output:
		c.Same++
	case failed: // texts of errors can have what differs each time, such as durations
		c.Ended++
	default:
		c.Changed = append(c.Changed, fmt.Sprintf("call %d, %s: got the result %s, was %s", b.Notes[i].Number,
			display.Clip(a.Name, 60), r.excerpt(text), r.excerpt(then.Output)))
	}
}

// differs reports whether tools ran and a call changed, or there were calls and none could be sent. Where no tool runs,
// what changed was decided by the policies that are tried.
func (r *replay) differs() bool {
	c := &r.compared
	unsent := c.Withheld > 0 && c.Same+c.Ended+c.Unknown == 0
	return !r.answers && !r.dryRun && (len(c.Changed) > 0 || unsent)
}

// shown is a result as a recording would have it.
func (r *replay) shown(text, tool string, redacted bool) string {
	if redacted {
		text, _ = r.redactor.ForTool(tool).Text(text)
	}
	return text
}

// excerpt is the beginning of a result, redacted.
func (r *replay) excerpt(text string) string { return display.Quoted(display.Clip(r.text(text), 60)) }

func endingText(failed bool, errorType string) string {
	if !failed {
		return "a success"
	}
	if errorType == "" {
		errorType = "a failure"
	}
	return errorType
}

// text is the comparison for a person.
func (c *comparison) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\ncompared with the recording: %d same, %d with the same outcome only, %d changed, %d without an answer",
		c.Same, c.Ended, len(c.Changed), c.Unknown)
	if c.Withheld > 0 {
		fmt.Fprintf(&b, "; %s not sent", display.Number(uint64(c.Withheld), "call"))
	}
	b.WriteByte('\n')
	for _, line := range c.Changed[:min(len(c.Changed), 20)] {
		b.WriteString("  " + line + "\n")
	}
	return b.String()
}

// places are the pointers to what was removed of arguments, for --value.
func places(arguments []byte, number int) string {
	var root any
	if json.Unmarshal(arguments, &root) != nil {
		return fmt.Sprintf(" (--value '%d:=JSON')", number)
	}
	var found []string
	markedPlaces(root, "", &found)
	if len(found) == 0 {
		return fmt.Sprintf(" (--value '%d:=JSON')", number)
	}
	for i := range found {
		found[i] = fmt.Sprintf("--value '%d:%s=…'", number, display.Plain(found[i]))
	}
	return " (" + strings.Join(found[:min(len(found), 8)], " ") + ")"
}

func markedPlaces(value any, pointer string, found *[]string) {
	switch v := value.(type) {
	case string:
		if redacted, cut := foreign.Marked([]byte(v)); redacted || cut {
			*found = append(*found, pointer)
		}
	case []any:
		for i := range v {
			markedPlaces(v[i], fmt.Sprintf("%s/%d", pointer, i), found)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			markedPlaces(v[name], pointer+"/"+escaped.Replace(name), found)
		}
	}
}
