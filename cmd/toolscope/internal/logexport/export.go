// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package logexport

import (
	"errors"

	"github.com/toolscope/toolscope/internal/calllog"
)

// A Sink takes calls, one at a time, and keeps none of them. It is used by one
// goroutine.
type Sink interface {
	// Add takes a call, which is clean. ErrNoTime says that the sink has no use for
	// one without a time; any other error ends the export.
	Add(c *calllog.Call) error
	// Close hands over what is left. Nothing is added after it.
	Close() error
}

// ErrNoTime is what a sink says of a call that has no time, where it needs one.
var ErrNoTime = errors.New("logexport: the call has no time")

// Export filters and cleans the calls of a log on their way to a sink.
type Export struct {
	Filter  Filter
	Cleaner *Cleaner // nil is the default redactor
	Sink    Sink

	// Exported calls reached the sink; Filtered ones did not pass the filter, Untimed
	// ones had no time.
	Exported, Filtered, Untimed uint64
	// Failed is the error that ended the export; nil if none did.
	Failed error
}

// AddLine exports the call of a line. An error says what is wrong with the line; once the
// sink has failed, Add does nothing more.
func (e *Export) AddLine(line []byte) error {
	if e.Failed != nil {
		return nil
	}
	c, err := calllog.Read(line)
	if err != nil {
		return err
	}
	if !e.Filter.fits(&c) {
		e.Filtered++
		return nil
	}
	if e.Cleaner == nil {
		e.Cleaner = NewCleaner()
	}
	e.Cleaner.clean(&c)
	switch err := e.Sink.Add(&c); {
	case err == nil:
		e.Exported++
	case errors.Is(err, ErrNoTime):
		e.Untimed++
	default:
		e.Failed = err
	}
	return nil
}

// Close closes the sink, and returns the error that ended the export, or the sink's.
func (e *Export) Close() error {
	err := e.Sink.Close()
	if e.Failed != nil {
		return e.Failed
	}
	return err
}
