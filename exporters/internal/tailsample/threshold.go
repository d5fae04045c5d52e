// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tailsample

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/trace"
)

// A threshold is the part of all traces that is left out, in 2^-56: a trace is sampled
// if its randomness is not below it.
type threshold uint64

const (
	always threshold = 0
	// never is above all thresholds; it has no form in a tracestate.
	never threshold = 1 << 56
)

// precision is how many hexadecimal digits of a threshold count, after leading f's, as
// the specification recommends.
const precision = 4

// thresholdOf is the threshold of a probability, rounded to the precision.
func thresholdOf(probability float64) threshold {
	switch {
	case probability >= 1:
		return always
	case !(probability > 0):
		return never
	}
	_, exponent := math.Frexp(probability)
	digits := min(precision+max(0, -exponent)/4, 12)
	rejected := math.Round((1 - probability) * math.Exp2(float64(4*digits)))
	rejected = min(rejected, math.Exp2(float64(4*digits))-1)
	return threshold(rejected) << (56 - 4*digits)
}

// String is the threshold as th of a tracestate has it.
func (t threshold) String() string {
	if t == always {
		return "0"
	}
	return strings.TrimRight(fmt.Sprintf("%014x", uint64(t)), "0")
}

// otKey is OpenTelemetry's member of a tracestate.
const otKey = "ot"

// sampling is what a tracestate says of sampling.
type sampling struct {
	threshold  threshold
	known      bool // there is a valid th
	randomness uint64
	explicit   bool // there is a valid rv
}

// samplingOf reads the tracestate of a trace; its randomness is rv, else the id's last 56
// bits, which the specification presumes to be random.
func samplingOf(id trace.TraceID, state trace.TraceState) sampling {
	s := sampling{randomness: binary.BigEndian.Uint64(id[8:]) & (1<<56 - 1)}
	for field := range strings.SplitSeq(state.Get(otKey), ";") {
		name, value, _ := strings.Cut(field, ":")
		switch name {
		case "th":
			if n, ok := hex56(value); ok {
				s.threshold, s.known = threshold(n), true
			}
		case "rv":
			if n, ok := hex56(value); ok && len(value) == 14 {
				s.randomness, s.explicit = n, true
			}
		}
	}
	return s
}

// hex56 reads 1 to 14 lower-case hexadecimal digits, the first ones of 14.
func hex56(digits string) (uint64, bool) {
	if digits == "" || len(digits) > 14 || strings.Trim(digits, "0123456789abcdef") != "" {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 16, 64)
	return n << (4 * (14 - len(digits))), err == nil
}

// sampled reports whether the trace is sampled at t.
func (s sampling) sampled(t threshold) bool { return threshold(s.randomness) >= t }

// certain is the tracestate of a root that is sampled for certain, and has none besides.
var certain = func() trace.TraceState {
	state, err := trace.TraceState{}.Insert(otKey, "th:0")
	if err != nil {
		panic("tailsample: th:0 is no member of a tracestate: " + err.Error())
	}
	return state
}()

// withThreshold is the tracestate with th set, and all else as it was; with known false th
// is removed. A tracestate that has no room for it is returned without th: an unknown
// probability is better than a wrong one.
func withThreshold(state trace.TraceState, t threshold, known bool) trace.TraceState {
	if known && t == always && state.Len() == 0 {
		return certain
	}
	old := state.Get(otKey)
	var kept []string
	for field := range strings.SplitSeq(old, ";") {
		if field != "" && !strings.HasPrefix(field, "th:") {
			kept = append(kept, field)
		}
	}
	rest := strings.Join(kept, ";")
	if known {
		kept = append(kept, "th:"+t.String())
	}
	value := strings.Join(kept, ";")
	if value == old {
		return state
	}
	if known {
		if changed, err := state.Insert(otKey, value); err == nil {
			return changed
		}
	}
	if rest == "" {
		return state.Delete(otKey)
	}
	changed, err := state.Insert(otKey, rest)
	if err != nil {
		return state.Delete(otKey)
	}
	return changed
}
