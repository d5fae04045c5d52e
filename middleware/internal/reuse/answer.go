// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package reuse

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// An Answer is one that is stored, for stores outside the process.
type Answer struct {
	Result toolkit.Result
	Stamp  uint64
	Stored time.Time
	TTL    time.Duration
	Origin toolkit.SpanRef
}

// encoded is an Answer as JSON.
type encoded struct {
	Version int             `json:"v"`
	Result  toolkit.Result  `json:"result"`
	Fault   *encodedFault   `json:"fault,omitempty"`
	Stamp   uint64          `json:"stamp"`
	Stored  time.Time       `json:"stored"`
	TTL     time.Duration   `json:"ttl"`
	Origin  toolkit.SpanRef `json:"origin"`
}

type encodedFault struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

const encodedVersion = 1

// Encode encodes the answer, with all parts of its result. Of a fault its error.type and its text are kept.
func (e *Answer) Encode() ([]byte, error) {
	x := encoded{Version: encodedVersion, Result: e.Result, Stamp: e.Stamp, Stored: e.Stored.Round(0),
		TTL: e.TTL, Origin: e.Origin}
	if f := e.Result.Fault; f != nil {
		x.Fault = &encodedFault{toolkit.TypeOf(f), f.Error()}
	}
	return json.Marshal(x)
}

// Decode decodes what Encode made. Its fault is an error with the same error.type and text.
func (e *Answer) Decode(data []byte) error {
	var x encoded
	if err := json.Unmarshal(data, &x); err != nil {
		return fmt.Errorf("stored answer: %w", err)
	}
	if x.Version != encodedVersion {
		return fmt.Errorf("stored answer: got version %d, want %d", x.Version, encodedVersion)
	}
	*e = Answer{Result: x.Result, Stamp: x.Stamp, Stored: x.Stored, TTL: x.TTL, Origin: x.Origin}
	if x.Fault != nil {
		e.Result.Fault = &storedFault{toolkit.Kind(x.Fault.Type), errors.New(x.Fault.Message)}
	}
	return nil
}

// storedFault is a fault that was encoded.
type storedFault struct {
	kind toolkit.Kind
	text error
}

func (f *storedFault) Error() string     { return f.text.Error() }
func (f *storedFault) ErrorType() string { return string(f.kind) }
func (f *storedFault) Unwrap() error     { return f.kind }

// Format prints the kind only, whatever the verb: the text may hold arguments or outputs.
func (f *storedFault) Format(s fmt.State, _ rune) { fmt.Fprint(s, f.kind.Error()) }
