// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"cmp"
	"fmt"
	"time"

	_ "time/tzdata" // time zones where the machine has none: Windows, small containers

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/internal/arg"
)

// The defaults of [Options].
const (
	defaultMaxInput  = 1 << 20
	defaultMaxOutput = 256 << 10
	defaultTimeout   = 5 * time.Second
)

// Options say how the tools work. The zero value works.
type Options struct {
	// MaxInput is how many bytes one argument may have; 0 is 1 MiB.
	MaxInput int
	// MaxOutput is how many bytes an answer may have; 0 is 256 KiB. More is
	// a failure that says so.
	MaxOutput int
	// Timeout is the longest that a regular expression or a jq program may run; 0 is
	// 5 seconds.
	Timeout time.Duration
	// JQ lets the tool json run jq programs. Their time is limited and their memory is
	// not: a program of a few bytes can ask for more than a machine has. False, the
	// default, leaves queries to JSONPath, whose work is known before it begins.
	JQ bool
	// Location is the time zone that dates are in unless they say another; nil is UTC.
	Location *time.Location
}

// A Toolset is the tools. It is safe for concurrent use and holds nothing that
// needs closing.
type Toolset struct {
	options Options
}

// New makes the tools.
func New(o Options) (*Toolset, error) {
	for _, n := range []struct {
		field string
		value int64
	}{{"MaxInput", int64(o.MaxInput)}, {"MaxOutput", int64(o.MaxOutput)}, {"Timeout", int64(o.Timeout)}} {
		if n.value < 0 {
			return nil, fmt.Errorf("data: Options.%s: got %d, want a value above 0, or 0 for the default", n.field, n.value)
		}
	}
	o.MaxInput = cmp.Or(o.MaxInput, defaultMaxInput)
	o.MaxOutput = cmp.Or(o.MaxOutput, defaultMaxOutput)
	o.Timeout = cmp.Or(o.Timeout, defaultTimeout)
	o.Location = cmp.Or(o.Location, time.UTC)
	return &Toolset{o}, nil
}

// checkInputs refuses arguments that are too large.
func (t *Toolset) checkInputs(fields ...string) error {
	for i := 0; i < len(fields); i += 2 {
		if n := len(fields[i+1]); n > t.options.MaxInput {
			return arg.Invalid(fields[i], fmt.Sprintf("%d bytes", n), fmt.Sprintf("at most %d", t.options.MaxInput))
		}
	}
	return nil
}

// answer gives a text that is not too long.
func (t *Toolset) answer(text string, err error) (string, error) {
	if err == nil && len(text) > t.options.MaxOutput {
		return "", t.tooLong(fmt.Sprint(len(text)))
	}
	return text, err
}

func (t *Toolset) tooLong(size string) error {
	return &toolkit.Error{Kind: toolkit.ErrTool, Message: fmt.Sprintf("the result has %s bytes, want at most %d: "+
		"ask for less", size, t.options.MaxOutput)}
}
