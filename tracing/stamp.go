// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing

import (
	"reflect"
	"time"

	"go.opentelemetry.io/otel/trace"
)

// A stamp is an option that gives a span a time, made once and set for each span:
// [trace.WithTimestamp] allocates one each time. What it returns is a named time.Time, so that
// a pointer to such a value is an option as well, and one to a time.Time.
type stamp struct {
	at     *time.Time
	option trace.SpanEventOption // nil if the API makes its option of something else
}

func newStamp() stamp {
	value := reflect.New(reflect.TypeOf(trace.WithTimestamp(time.Time{})))
	if to := reflect.TypeFor[*time.Time](); value.CanConvert(to) {
		if option, ok := value.Interface().(trace.SpanEventOption); ok {
			return stamp{value.Convert(to).Interface().(*time.Time), option}
		}
	}
	return stamp{}
}

// forTime is the option of a time. It is good until forTime is called again.
func (s *stamp) forTime(t time.Time) trace.SpanEventOption {
	if s.option == nil {
		return trace.WithTimestamp(t)
	}
	*s.at = t
	return s.option
}
