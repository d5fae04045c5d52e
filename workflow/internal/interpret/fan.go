// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package interpret

import (
	"fmt"
	"strconv"

	"github.com/toolscope/toolscope/toolkit"
)

// An end is how one of several strands ended.
type end struct {
	value   any
	failure *Failure
}

// parallel runs the branches of a step, all at once.
func (r *run) parallel(e Engine, f *frame, n *Node, path string) (any, *Failure) {
	won := -1
	ends := r.fan(e, f, len(n.Branches), 0, func(e Engine, f *frame, i int) (any, *Failure) {
		return r.step(e, f, n.Branches[i], path)
	}, func(i int, failure *Failure) Next {
		if n.Merge == First && failure == nil && won < 0 {
			won = i
			return Cancel
		}
		return More
	})
	if ended := e.Ended(); ended != nil {
		return nil, at(ended, path)
	}
	if n.Merge == First && won >= 0 {
		return ends[won].value, nil
	}
	values, failed := []any{}, (*Failure)(nil)
	for _, end := range ends {
		switch {
		case end.failure == nil:
			values = append(values, end.value)
		case failed == nil || end.failure.Final && !failed.Final:
			failed = end.failure
		}
	}
	switch {
	case failed != nil && (failed.Final || n.Merge == All || n.Merge == First):
		return nil, failed
	case n.Merge == All:
		return values, nil
	case 2*len(values) <= len(ends):
		return nil, &Failure{Type: failed.Type, Step: path, Message: fmt.Sprintf("%d of %d branches succeeded, want more than half: %s",
			len(values), len(ends), failed.Message)}
	case n.Merge == Agree:
		return agreed(values, len(ends), path)
	}
	return values, nil
}

// agreed is the value that more than half of n branches gave.
func agreed(values []any, n int, path string) (any, *Failure) {
	votes := map[string]int{}
	for _, v := range values {
		text := string(encode(v))
		if votes[text]++; 2*votes[text] > n {
			return v, nil
		}
	}
	return nil, &Failure{Type: string(toolkit.ErrTool), Step: path,
		Message: fmt.Sprintf("no answer was given by more than half of %d branches", n)}
}

// each runs the body for each element of a list, and then the tool that combines the results.
func (r *run) each(e Engine, f *frame, n *Node, path string) (any, *Failure) {
	value, err := n.In.Eval(f.env)
	if err != nil {
		return nil, invalid(path, err)
	}
	items, ok := value.([]any)
	if !ok || len(items) > n.Max {
		return nil, invalid(path, NotAList(value, n.Max))
	}
	ends := r.fan(e, f, len(items), n.Parallel, func(e Engine, f *frame, i int) (any, *Failure) {
		f.env["item"], f.env["index"] = items[i], i
		return r.step(e, f, n.Body, below(path, strconv.Itoa(i)))
	}, func(_ int, failure *Failure) Next {
		if failure != nil {
			return Last
		}
		return More
	})
	if ended := e.Ended(); ended != nil {
		return nil, at(ended, path)
	}
	results := make([]any, len(items))
	for i, end := range ends {
		if end.failure != nil { // items begin in order, so that the first failure is always the same
			return nil, end.failure
		}
		results[i] = end.value
	}
	if n.Combine == nil {
		return results, nil
	}
	return r.combine(e, f, n, path, results)
}

// combine calls the tool that makes one result of the results.
func (r *run) combine(e Engine, f *frame, n *Node, path string, results []any) (any, *Failure) {
	defer restore(f, "results")()
	f.env["results"] = results
	entry := Entry{Step: below(path, "merge"), Kind: "merge", Tool: n.Combine.Tool, Status: Done, Start: e.Now()}
	value, failure := r.call(e, f, n.Combine, entry.Step, 0)
	if failure != nil {
		entry.Status, entry.ErrorType = Failed, failure.Type
		if e.Ended() != nil {
			entry.Status = Canceled
		}
	}
	entry.Took = e.Now().Sub(entry.Start)
	f.addEntry(entry)
	return value, failure
}

// fan runs n strands with frames of their own, and joins their journals in the order of their places. done is called
// after each, one at a time.
func (r *run) fan(
	e Engine, f *frame, n, limit int,
	do func(e Engine, f *frame, i int) (any, *Failure), done func(i int, failure *Failure) Next,
) []end {
	ends, journals := make([]end, n), make([]*journal, n)
	e.Fan(n, limit, func(e Engine, i int) {
		strand := f.fork()
		journals[i] = strand.journal
		ends[i].value, ends[i].failure = do(e, strand, i)
	}, func(i int) Next { return done(i, ends[i].failure) })
	for _, j := range journals {
		if j != nil {
			f.join(j)
		}
	}
	return ends
}
