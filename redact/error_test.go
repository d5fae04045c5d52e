// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/toolscope/toolscope/internal/canary"
	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/marks"
)

func TestError(t *testing.T) {
	for _, s := range canary.Secrets(21) {
		cause := &fs.PathError{Op: "open", Path: s.Text, Err: fs.ErrNotExist}
		err := Default().Error(fmt.Errorf("calling %s: %w", s.Text, cause))
		for _, verb := range []string{"%v", "%s", "%q", "%+v", "%#v", "%x"} {
			if out := fmt.Sprintf(verb, err); canary.Find(out, []canary.Secret{s}) != nil {
				t.Errorf("%v survives %s: %s", s, verb, out)
			}
		}
		var path *fs.PathError
		if !errors.Is(err, fs.ErrNotExist) || !errors.As(err, &path) || path != cause {
			t.Errorf("%v: the chain cannot be asked", s)
		}
		if errors.Unwrap(err) != nil {
			t.Errorf("%v: the chain can be walked to its texts", s)
		}
		outer := fmt.Errorf("outer: %w", err)
		if canary.Find(outer.Error(), []canary.Secret{s}) != nil || !errors.Is(outer, fs.ErrNotExist) {
			t.Errorf("%v: wrapped again it is lost or survives", s)
		}
	}
}

func TestErrorNil(t *testing.T) {
	var none *Redactor
	if err := none.Error(nil); err != nil {
		t.Errorf("got %v of nil", err)
	}
	if err := none.Error(errors.New("password=hu3nter2Zq")); err.Error() != "password=[REDACTED:passwd]" {
		t.Errorf("a nil redactor gave %q", err)
	}
}

type panickingError struct{}

func (panickingError) Error() string { panic("in Error") }

func TestErrorThatPanics(t *testing.T) {
	if got := Default().Error(panickingError{}).Error(); got != marks.Text(kinds.UnscannedName) {
		t.Errorf("got %q, want the mark of what could not be looked at", got)
	}
}
