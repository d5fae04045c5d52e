// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"fmt"

	"github.com/cockroachdb/apd/v3"
)

// plainOnly refuses temperatures in degrees.
func plainOnly(values ...value) error {
	for _, v := range values {
		if v.degrees {
			return wrong("a temperature in °C or °F can only be converted, want K to calculate with")
		}
	}
	return nil
}

// pure refuses values with a unit.
func pure(what string, values ...value) error {
	for _, v := range values {
		if v.degrees || v.dims != plain {
			return wrong(what + ": got a value in " + v.dims.String() + ", want a number without a unit")
		}
	}
	return nil
}

func sameDims(v, w value) error {
	if v.dims == w.dims {
		return nil
	}
	name := func(d dims) string {
		if d == plain {
			return "a number without a unit"
		}
		return d.String()
	}
	return wrong("the units do not fit together: " + name(v.dims) + " and " + name(w.dims))
}

func add(v, w value, subtract bool) (value, error) {
	if err := plainOnly(v, w); err != nil {
		return v, err
	}
	if err := sameDims(v, w); err != nil {
		return v, err
	}
	r, err := compute(v.rough || w.rough, func(c *apd.Context, d *apd.Decimal) (apd.Condition, error) {
		if subtract {
			return c.Sub(d, &v.number, &w.number)
		}
		return c.Add(d, &v.number, &w.number)
	})
	r.dims = v.dims
	if r.rough && lost(&r.number, &v.number) {
		r.number = apd.Decimal{} // rounded numbers that are equal but for their last digits
	}
	return r, err
}

// lost reports whether a difference has no digits that count any more.
func lost(d, of *apd.Decimal) bool {
	size := func(d *apd.Decimal) int64 { return d.NumDigits() + int64(d.Exponent) }
	return !of.IsZero() && size(d) < size(of)-(roughDigits-10)
}

func multiply(v, w value) (value, error) {
	r, err := compute(v.rough || w.rough, func(c *apd.Context, d *apd.Decimal) (apd.Condition, error) {
		return c.Mul(d, &v.number, &w.number)
	})
	return withDims(r, err, v, w, 1)
}

func divide(v, w value) (value, error) {
	r, err := compute(v.rough || w.rough, func(c *apd.Context, d *apd.Decimal) (apd.Condition, error) {
		return c.Quo(d, &v.number, &w.number)
	})
	return withDims(r, err, v, w, -1)
}

// withDims adds the dimensions of w, or takes them away, from those of v.
func withDims(r value, err error, v, w value, sign int) (value, error) {
	if err == nil {
		err = plainOnly(v, w)
	}
	for i := range v.dims {
		n := int(v.dims[i]) + sign*int(w.dims[i])
		if n < -9 || n > 9 {
			return r, wrong("a unit has a power beyond 9")
		}
		r.dims[i] = int8(n)
	}
	return r, err
}

// integerDivide gives how often w goes into v, rounded down, or what remains. The remainder has
// the sign of w, as people and Python have it.
func integerDivide(v, w value, remainder bool) (value, error) {
	if err := plainOnly(v, w); err != nil {
		return v, err
	}
	if err := sameDims(v, w); err != nil {
		return v, err
	}
	var q apd.Decimal
	flags, err := exactly.Quo(&q, &v.number, &w.number)
	if err != nil {
		return v, wrong("the result cannot be computed, want smaller numbers")
	}
	if err := oddity(flags); err != nil {
		return v, err
	}
	if q.NumDigits()+int64(q.Exponent) > exactDigits/2 {
		return v, wrong("a remainder of numbers that are too far apart")
	}
	var whole apd.Decimal
	if _, err := exactly.Floor(&whole, &q); err != nil {
		return v, wrong("the result cannot be computed, want smaller numbers")
	}
	n := value{number: whole, rough: v.rough || w.rough}
	if !remainder {
		return n, nil
	}
	n.dims = plain
	product, err := multiply(n, w)
	if err != nil {
		return v, err
	}
	return add(v, product, true)
}

// raise computes a power. The exponent has no unit; that of a value with one is whole.
func raise(v, w value) (value, error) {
	if err := pure("an exponent", w); err != nil {
		return v, err
	}
	if err := plainOnly(v); err != nil {
		return v, err
	}
	var whole apd.Decimal
	n, err := w.number.Int64()
	isWhole := err == nil
	if !isWhole {
		if _, err := exactly.RoundToIntegralValue(&whole, &w.number); err != nil {
			return v, wrong("the result cannot be computed, want smaller numbers")
		}
	}
	var d dims
	for i := range v.dims {
		p := int64(v.dims[i]) * n
		if v.dims != plain && (!isWhole || n < -9 || n > 9) || p < -9 || p > 9 {
			return v, wrong("a unit has a power that is not whole or beyond 9")
		}
		d[i] = int8(p)
	}
	var r value
	if isWhole {
		r, err = compute(v.rough || w.rough, func(c *apd.Context, d *apd.Decimal) (apd.Condition, error) {
			return c.Pow(d, &v.number, &w.number)
		})
	} else {
		r.rough = true
		err = estimate(&r, func(c *apd.Context, d *apd.Decimal) (apd.Condition, error) {
			return c.Pow(d, &v.number, &w.number)
		})
	}
	r.dims = d
	return r, err
}

const maxFactorial = 400 // has 869 digits

func factorial(v value) (value, error) {
	if err := pure("a factorial", v); err != nil {
		return v, err
	}
	n, err := v.number.Int64()
	if err != nil || n < 0 || n > maxFactorial || v.rough {
		return v, wrong(fmt.Sprintf("a factorial: got %s, want a whole number from 0 to %d", v, maxFactorial))
	}
	r := value{number: *apd.New(1, 0)}
	for i := int64(2); i <= n; i++ {
		if r, err = multiply(r, value{number: *apd.New(i, 0)}); err != nil {
			return r, err
		}
	}
	return r, nil
}

// scale multiplies a value by a power of a unit; a power below 0 divides it.
func scale(v value, u *unit, n int) (value, error) {
	times, by := value{number: u.above, dims: u.dims, rough: u.rough}, value{number: u.below}
	if n < 0 {
		n = -n
		times.dims = plain // moved over, so that both are raised with what is theirs
		by.dims, by.number, times.number = u.dims, u.above, u.below
		by.rough, times.rough = u.rough, false
	}
	power := value{number: *apd.New(int64(n), 0)}
	times, err := raise(times, power)
	if err != nil {
		return v, err
	}
	if by, err = raise(by, power); err != nil {
		return v, err
	}
	if v, err = multiply(v, times); err != nil {
		return v, err
	}
	return divide(v, by)
}

// fromDegrees makes kelvin of a temperature in degrees.
func fromDegrees(v value, u *unit) (value, error) {
	shifted, err := add(v, value{number: u.offset}, false)
	if err != nil {
		return v, err
	}
	v, err = scale(shifted, u, 1)
	v.degrees = true
	return v, err
}

// toDegrees makes degrees of kelvin.
func toDegrees(v value, u *unit) (value, error) {
	v.degrees = false
	v, err := scale(v, u, -1)
	if err != nil {
		return v, err
	}
	if v.dims != plain {
		return v, wrong("a temperature is wanted to convert to degrees")
	}
	return add(v, value{number: u.offset}, true)
}
