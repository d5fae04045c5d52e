// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"fmt"

	"github.com/cockroachdb/apd/v3"
)

// root is a square or cube root; that of a unit is taken along.
func root(v value, n int8) (value, error) {
	var d dims
	for i, p := range v.dims {
		if p%n != 0 {
			return v, wrong(fmt.Sprintf("the unit %s has no root", v.dims))
		}
		d[i] = p / n
	}
	if n == 2 && v.number.Negative && !v.number.IsZero() {
		return v, wrong("sqrt: got a negative number, want 0 or more")
	}
	r := value{dims: d, rough: true}
	err := estimate(&r, func(c *apd.Context, x *apd.Decimal) (apd.Condition, error) {
		if n == 2 {
			return c.Sqrt(x, &v.number)
		}
		return c.Cbrt(x, &v.number)
	})
	if err != nil || v.rough {
		return r, err
	}
	// A root that gives the number back is exact.
	back, err := raise(value{number: r.number}, value{number: *apd.New(int64(n), 0)})
	if err == nil && !back.rough && back.number.Cmp(&v.number) == 0 {
		r.rough = false
	}
	return r, nil
}

func exponential(v []value) (value, error) {
	if err := pure("exp", v[0]); err != nil {
		return v[0], err
	}
	limit := apd.New(12_000, 0) // e^12000 is above 10^5000
	if x := new(apd.Decimal).Abs(&v[0].number); x.Cmp(limit) > 0 {
		return v[0], oddity(apd.Overflow)
	}
	r := value{rough: true}
	err := estimate(&r, func(c *apd.Context, d *apd.Decimal) (apd.Condition, error) { return c.Exp(d, &v[0].number) })
	return r, err
}

func logarithm(name string, op func(d, x *apd.Decimal) (apd.Condition, error)) func([]value) (value, error) {
	return func(v []value) (value, error) {
		if err := pure(name, v[0]); err != nil {
			return v[0], err
		}
		if v[0].number.Sign() <= 0 {
			return v[0], wrong(name + ": got " + v[0].String() + ", want a number above 0")
		}
		r := value{rough: true}
		err := estimate(&r, func(_ *apd.Context, d *apd.Decimal) (apd.Condition, error) { return op(d, &v[0].number) })
		return r, err
	}
}

// log is the logarithm to a base, 10 if none is given.
func log(v []value) (value, error) {
	if len(v) == 1 {
		return functions["log10"].call(v)
	}
	return logTo(v[0], v[1])
}

func logTo(v, base value) (value, error) {
	a, err := functions["ln"].call([]value{v})
	if err != nil {
		return a, err
	}
	b, err := functions["ln"].call([]value{base})
	if err != nil {
		return b, err
	}
	return divide(a, b)
}
