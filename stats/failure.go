// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"fmt"
	"time"

	"github.com/toolscope/toolscope/internal/errorgroups"
	"github.com/toolscope/toolscope/toolkit"
)

// failure is a call's error once it was redacted and grouped.
type failure struct {
	text  string
	group uint64
	kind  string // its error.type as it is exported
}

// countFailure counts the error of a call. The text is redacted before anything else is done with
// it, by the rules for the tool as called.
func (r *Recorder) countFailure(e *toolkit.Ended, t *tool, now int64) failure {
	kind := r.config.types.Export(e.ErrorType)
	text, _ := r.config.Redactor.ForTool(e.Call.Name).TextMax(errorText(e), errorgroups.MaxText)
	group := r.errors.CountError(errorgroups.Error{Tool: t.name, Kind: kind, Text: text, At: now, Span: e.Info.Span})
	return failure{text, group, kind}
}

// errorViews are the groups of a table that trends has counts of, the most frequent first, and how
// often an error that is not listed can have occurred at most.
func errorViews(t *errorgroups.Table, trends map[uint64][]uint64, wall func(int64) time.Time) ([]ErrorGroup, uint64) {
	views, unlisted := t.Views(trends, wall)
	groups := make([]ErrorGroup, len(views))
	for i, v := range views {
		groups[i] = ErrorGroup(v)
	}
	return groups, unlisted
}

// endingTexts are the texts of failures that have neither an error nor a panic, by their endings.
var endingTexts = [...]string{"", "", "", "the tool ended its goroutine", "the call was never ended"}

var _ [toolkit.EndingCount]struct{} = [len(endingTexts)]struct{}{}

// errorText is what a call's failure says of itself. Methods of errors are the
// application's code and may panic.
func errorText(e *toolkit.Ended) (text string) {
	defer func() {
		if recover() != nil {
			text = "the error's text could not be read: its method panicked"
		}
	}()
	switch v := e.Panic.(type) {
	case nil:
	case error:
		return v.Error()
	case string:
		return v
	case fmt.Stringer:
		return v.String()
	default:
		return "a panic with a value that is no text"
	}
	if e.Err != nil {
		return e.Err.Error()
	}
	if int(e.Ending) < len(endingTexts) {
		return endingTexts[e.Ending]
	}
	return ""
}
