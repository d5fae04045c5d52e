// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpcmd

import (
	"fmt"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/calllog"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/stats"
)

// logHealth reports the state of the call log, or of the recording, at /healthz.
type logHealth struct {
	log  *calllog.Log
	name string
}

func (h logHealth) Components() []stats.Component {
	c := stats.Component{Name: h.name, Figures: stats.Figures{
		{Name: "lines", Value: float64(h.log.Written())}, {Name: "lines_dropped", Value: float64(h.log.Dropped())},
	}}
	if err := h.log.Failing(); err != nil {
		c.Problems = []string{"calls are not written: " + err.Error()}
	}
	return []stats.Component{c}
}

// lost returns how much of the call log was not written; "" if all was. It is for the end,
// when the log is closed.
func (h logHealth) lost() string {
	if h.log == nil || h.log.Dropped() == 0 {
		return ""
	}
	dropped := h.log.Dropped()
	text := fmt.Sprintf("--log: %s of %s not written", display.Count(dropped), display.Number(dropped+h.log.Written(), "call"))
	if err := h.log.Failing(); err != nil {
		text += ": " + display.Plain(err.Error())
	}
	return text
}
