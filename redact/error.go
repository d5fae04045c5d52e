// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"errors"
	"fmt"

	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/marks"
)

// Error returns an error whose text is redacted, whatever the verb it is printed
// with. [errors.Is] and [errors.As] find what they would find in err; the chain
// itself is not reachable by Unwrap, since its texts are not redacted. nil stays nil.
func (r *Redactor) Error(err error) error {
	if err == nil {
		return nil
	}
	return &redactedError{text: r.errorText(err), err: err}
}

func (r *Redactor) errorText(err error) (text string) {
	defer func() {
		if recover() != nil {
			text = marks.Text(kinds.UnscannedName)
		}
	}()
	text, _ = r.Text(err.Error())
	return text
}

type redactedError struct {
	text string
	err  error
}

func (e *redactedError) Error() string { return e.text }

func (e *redactedError) Is(target error) bool { return errors.Is(e.err, target) }

func (e *redactedError) As(target any) bool { return errors.As(e.err, target) }

func (e *redactedError) Format(f fmt.State, _ rune) { fmt.Fprint(f, e.text) }
