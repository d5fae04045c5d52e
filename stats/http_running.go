// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

// runningList answers /api/v1/running.
type runningList struct {
	Running []RunningCall `json:"running"` // calls that have begun and not ended, the longest running first
	// More is how many calls run beyond those listed.
	More int `json:"more"`
}

func (h *handler) running(r *request) (any, *problem) {
	if h.config.Running == nil {
		return nil, notFound("running calls are not told apart here: the handler was made without HandlerOptions.Running; /api/v1/tools has how many there are")
	}
	limit := r.query.number("limit", listed, 1, maxListed)
	if r.query.problem != nil {
		return nil, nil
	}
	calls, more := h.config.Running.Calls(r.now)
	list := head(calls, limit)
	return runningList{list, more + len(calls) - len(list)}, nil
}
