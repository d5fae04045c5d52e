// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"github.com/cockroachdb/apd/v3"
)

// series is what the functions of angles are computed with: more digits than are kept.
var series = newContext(roughDigits + 30)

// tiny is what a series ends below, and what a result counts as 0 below.
var tiny = number("1e-70")

// steps is a chain of computations, of which the first error counts.
type steps struct{ err error }

func (s *steps) do(op func(d, x, y *apd.Decimal) (apd.Condition, error), x, y *apd.Decimal) *apd.Decimal {
	d := new(apd.Decimal)
	if s.err == nil {
		var flags apd.Condition
		if flags, s.err = op(d, x, y); s.err == nil && !flags.Underflow() {
			s.err = oddity(flags)
		}
	}
	return d
}

func (s *steps) mul(x, y *apd.Decimal) *apd.Decimal        { return s.do(series.Mul, x, y) }
func (s *steps) addNumbers(x, y *apd.Decimal) *apd.Decimal { return s.do(series.Add, x, y) }
func (s *steps) sub(x, y *apd.Decimal) *apd.Decimal        { return s.do(series.Sub, x, y) }
func (s *steps) quo(x, y *apd.Decimal) *apd.Decimal        { return s.do(series.Quo, x, y) }

func (s *steps) sqrt(x *apd.Decimal) *apd.Decimal {
	return s.do(func(d, x, _ *apd.Decimal) (apd.Condition, error) { return series.Sqrt(d, x) }, x, x)
}

// angle is a function of a number without a unit, which is in radians where it is
// an angle.
func angle(name string, f func(*steps, *apd.Decimal) *apd.Decimal) func([]value) (value, error) {
	limit := number("1e30") // beyond, the digits of pi do not suffice
	return func(v []value) (value, error) {
		if err := pure(name, v[0]); err != nil {
			return v[0], err
		}
		if new(apd.Decimal).Abs(&v[0].number).Cmp(&limit) > 0 {
			return v[0], wrong(name + ": got a number beyond 10^30, want a smaller one")
		}
		var s steps
		r := value{rough: true}
		x := f(&s, &v[0].number)
		if s.err != nil {
			return r, s.err
		}
		if new(apd.Decimal).Abs(x).Cmp(&tiny) < 0 {
			return r, nil
		}
		_, err := roughly.Round(&r.number, x)
		return r, err
	}
}

// sine is the Taylor series, after the angle is brought between -pi and pi.
func sine(s *steps, x *apd.Decimal) *apd.Decimal {
	turn, half := number(tau), number(pi)
	turns := s.quo(x, &turn)
	if s.err == nil {
		_, s.err = series.RoundToIntegralValue(turns, turns)
	}
	x = s.sub(x, s.mul(turns, &turn))
	if x.Cmp(&half) > 0 {
		x = s.sub(x, &turn)
	}
	square := s.mul(x, x)
	total, term := x, x
	for n := int64(1); s.err == nil && new(apd.Decimal).Abs(term).Cmp(&tiny) > 0; n++ {
		term = s.quo(s.mul(term, square), apd.New(-2*n*(2*n+1), 0))
		total = s.addNumbers(total, term)
	}
	return total
}

func cosine(s *steps, x *apd.Decimal) *apd.Decimal {
	half := number(pi)
	return sine(s, s.addNumbers(x, s.quo(&half, apd.New(2, 0))))
}

func tangent(s *steps, x *apd.Decimal) *apd.Decimal {
	below, right := cosine(s, x), number("1e-50")
	if s.err == nil && new(apd.Decimal).Abs(below).Cmp(&right) < 0 {
		s.err = wrong("tan: got a right angle, which has no tangent")
	}
	return s.quo(sine(s, x), below)
}

// arctangent halves the angle until the series is short.
func arctangent(s *steps, x *apd.Decimal) *apd.Decimal {
	one, doubled := apd.New(1, 0), apd.New(1, 0)
	for range 4 {
		x = s.quo(x, s.addNumbers(one, s.sqrt(s.addNumbers(one, s.mul(x, x)))))
		doubled = s.addNumbers(doubled, doubled)
	}
	square := s.mul(x, x)
	total, part := x, x
	for n := int64(3); s.err == nil && new(apd.Decimal).Abs(part).Cmp(&tiny) > 0; n += 2 {
		part = s.mul(part, square)
		part.Negative = !part.Negative
		total = s.addNumbers(total, s.quo(part, apd.New(n, 0)))
	}
	return s.mul(total, doubled)
}

func arcsine(s *steps, x *apd.Decimal) *apd.Decimal {
	one := apd.New(1, 0)
	rest := s.sub(one, s.mul(x, x))
	half := number(pi)
	switch {
	case s.err != nil:
	case rest.Negative:
		s.err = wrong("got a number beyond -1 to 1, which is no sine or cosine")
	case rest.IsZero():
		r := s.quo(&half, apd.New(2, 0))
		r.Negative = x.Negative
		return r
	default:
		return arctangent(s, s.quo(x, s.sqrt(rest)))
	}
	return rest
}

func arccosine(s *steps, x *apd.Decimal) *apd.Decimal {
	half := number(pi)
	return s.sub(s.quo(&half, apd.New(2, 0)), arcsine(s, x))
}
