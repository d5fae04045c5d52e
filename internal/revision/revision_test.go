// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package revision

import (
	"reflect"
	"testing"
	"time"
)

// Each revision answers every question, and the rows are in order of their names, which are dates.
func TestRowsAreComplete(t *testing.T) {
	for r := Unknown; r < count; r++ {
		answers := reflect.ValueOf(rows[r])
		for i := range answers.NumField() {
			if answers.Type().Field(i).Type == reflect.TypeFor[answer]() && answers.Field(i).IsZero() {
				t.Errorf("revision %d %q: %s has no answer", r, rows[r].name, answers.Type().Field(i).Name)
			}
		}
		if r == Unknown || r == Later {
			continue
		}
		if _, err := time.Parse(time.DateOnly, r.String()); err != nil || !(r - 1).Before(r) || r.String() <= (r-1).String() {
			t.Errorf("revision %d: got %q after %q, want a later date", r, r, r-1)
		}
	}
}

func TestParse(t *testing.T) {
	for name, want := range map[string][2]Revision{
		"":           {Unknown, Unknown},
		"2025-06-18": {V20250618, V20250618},
		"2025-06-19": {Unknown, Unknown},
		"2026-07-28": {V20260728, V20260728},
		"2099-01-01": {Unknown, Later},
		"draft":      {Unknown, Later},
	} {
		if got := [2]Revision{Parse(name), ParseLater(name)}; got != want {
			t.Errorf("%q: got %d, want %d", name, got, want)
		}
	}
	if Newest.Before(V20260728) || !LastWithSessions.Before(Newest) || !LastWithSessions.HasSessions() ||
		(LastWithSessions + 1).HasSessions() {
		t.Error("the newest revision and the last one with sessions are others")
	}
}
