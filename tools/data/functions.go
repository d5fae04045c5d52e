// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"fmt"
	"slices"

	"github.com/cockroachdb/apd/v3"
)

// constants are known by name. They are rounded.
var constants = map[string]value{
	"pi": {number: number(pi), rough: true}, "π": {number: number(pi), rough: true},
	"e": {number: number(euler), rough: true}, "tau": {number: number(tau), rough: true},
}

// function is one that expressions can call.
type function struct {
	least, most int // how many arguments
	call        func([]value) (value, error)
}

const maxArguments = 500

// name reads a function with its arguments, a constant, or a unit on its own.
func (c *calculator) name() (value, error) {
	t := c.peek()
	if f, ok := functions[t.text]; ok {
		c.next++
		if _, ok := c.takeToken("("); !ok {
			return value{}, c.unexpected("an opening parenthesis after " + t.text)
		}
		args, err := c.arguments()
		if err != nil {
			return value{}, err
		}
		if len(args) < f.least || len(args) > f.most {
			return value{}, wrong(fmt.Sprintf("%s: got %d arguments, want %d to %d", t.text, len(args), f.least, f.most))
		}
		return f.call(args)
	}
	if v, ok := constants[t.text]; ok {
		c.next++
		return v, nil
	}
	if u, ok := unitOf(t.text); ok && u.offset.IsZero() {
		c.next++
		return scale(value{number: *apd.New(1, 0)}, u, 1)
	}
	return value{}, c.unknown(t)
}

func (c *calculator) arguments() (args []value, err error) {
	if _, ok := c.takeToken(")"); ok {
		return nil, nil
	}
	for {
		v, _, err := c.conversion()
		if err != nil {
			return nil, err
		}
		if err := plainOnly(v); err != nil {
			return nil, err
		}
		args = append(args, v)
		sign, ok := c.takeToken(",", ")")
		switch {
		case !ok:
			return nil, c.unexpected("a comma or a closing parenthesis")
		case sign == ")":
			return args, nil
		case len(args) == maxArguments:
			return nil, wrong(fmt.Sprintf("a function has more than %d arguments", maxArguments))
		}
	}
}

// functions is filled here because some call others by their place in it.
var functions map[string]function

func init() {
	functions = map[string]function{
		"abs":       {1, 1, keeping(func(c *apd.Context, d, x *apd.Decimal) (apd.Condition, error) { return c.Abs(d, x) })},
		"ceil":      {1, 1, keeping(func(c *apd.Context, d, x *apd.Decimal) (apd.Condition, error) { return c.Ceil(d, x) })},
		"floor":     {1, 1, keeping(func(c *apd.Context, d, x *apd.Decimal) (apd.Condition, error) { return c.Floor(d, x) })},
		"trunc":     {1, 1, truncate},
		"round":     {1, 2, round},
		"sign":      {1, 1, sign},
		"sqrt":      {1, 1, func(v []value) (value, error) { return root(v[0], 2) }},
		"cbrt":      {1, 1, func(v []value) (value, error) { return root(v[0], 3) }},
		"exp":       {1, 1, exponential},
		"ln":        {1, 1, logarithm("ln", func(d, x *apd.Decimal) (apd.Condition, error) { return roughly.Ln(d, x) })},
		"log10":     {1, 1, logarithm("log10", func(d, x *apd.Decimal) (apd.Condition, error) { return roughly.Log10(d, x) })},
		"log2":      {1, 1, func(v []value) (value, error) { return logTo(v[0], value{number: *apd.New(2, 0)}) }},
		"log":       {1, 2, log},
		"pow":       {2, 2, func(v []value) (value, error) { return raise(v[0], v[1]) }},
		"mod":       {2, 2, func(v []value) (value, error) { return integerDivide(v[0], v[1], true) }},
		"min":       {1, maxArguments, func(v []value) (value, error) { return extreme(v, -1) }},
		"max":       {1, maxArguments, func(v []value) (value, error) { return extreme(v, 1) }},
		"sum":       {1, maxArguments, sum},
		"mean":      {1, maxArguments, mean},
		"median":    {1, maxArguments, median},
		"gcd":       {2, maxArguments, gcd},
		"lcm":       {2, maxArguments, lcm},
		"factorial": {1, 1, func(v []value) (value, error) { return factorial(v[0]) }},
		"sin":       {1, 1, angle("sin", sine)},
		"cos":       {1, 1, angle("cos", cosine)},
		"tan":       {1, 1, angle("tan", tangent)},
		"atan":      {1, 1, angle("atan", arctangent)},
		"asin":      {1, 1, angle("asin", arcsine)},
		"acos":      {1, 1, angle("acos", arccosine)},
	}
	functions["avg"] = functions["mean"]
}

// keeping is a function of one number that keeps its unit.
func keeping(op func(c *apd.Context, d, x *apd.Decimal) (apd.Condition, error)) func([]value) (value, error) {
	return func(v []value) (value, error) {
		r, err := compute(v[0].rough,
			func(c *apd.Context, d *apd.Decimal) (apd.Condition, error) { return op(c, d, &v[0].number) })
		r.dims = v[0].dims
		return r, err
	}
}

func truncate(v []value) (value, error) {
	if v[0].number.Negative {
		return functions["ceil"].call(v)
	}
	return functions["floor"].call(v)
}

// round rounds halves away from zero, to whole numbers or to some places.
func round(v []value) (value, error) {
	places := int64(0)
	if len(v) == 2 {
		if err := pure("round", v[1]); err != nil {
			return v[0], err
		}
		var err error
		if places, err = v[1].number.Int64(); err != nil || places < -100 || places > 100 {
			return v[0], wrong(fmt.Sprintf("round: got %s places, want a whole number from -100 to 100", v[1]))
		}
	}
	r := value{dims: v[0].dims}
	flags, err := exactly.Quantize(&r.number, &v[0].number, int32(-places))
	if err != nil {
		return r, wrong("the result cannot be computed, want smaller numbers")
	}
	// What was rounded on purpose is exact again.
	return r, oddity(flags)
}

func sign(v []value) (value, error) {
	return value{number: *apd.New(int64(v[0].number.Sign()), 0)}, nil
}

func extreme(v []value, wanted int) (value, error) {
	best := v[0]
	for _, w := range v[1:] {
		if err := sameDims(best, w); err != nil {
			return best, err
		}
		if w.number.Cmp(&best.number) == wanted {
			best = w
		}
	}
	return best, nil
}

func sum(v []value) (value, error) {
	total := v[0]
	for _, w := range v[1:] {
		var err error
		if total, err = add(total, w, false); err != nil {
			return total, err
		}
	}
	return total, nil
}

func mean(v []value) (value, error) {
	total, err := sum(v)
	if err != nil {
		return total, err
	}
	return divide(total, value{number: *apd.New(int64(len(v)), 0)})
}

func median(v []value) (value, error) {
	for _, w := range v {
		if err := sameDims(v[0], w); err != nil {
			return w, err
		}
	}
	sorted := slices.Clone(v)
	slices.SortFunc(sorted, func(a, b value) int { return a.number.Cmp(&b.number) })
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle], nil
	}
	return mean(sorted[middle-1 : middle+1])
}

// whole checks numbers that must be whole and positive.
func whole(name string, v []value) error {
	if err := pure(name, v...); err != nil {
		return err
	}
	for _, w := range v {
		var r apd.Decimal
		if flags, err := exactly.RoundToIntegralExact(&r, &w.number); err != nil || flags.Inexact() || w.rough ||
			w.number.Sign() <= 0 {
			return wrong(fmt.Sprintf("%s: got %s, want whole numbers above 0", name, w))
		}
	}
	return nil
}

func gcd(v []value) (value, error) {
	if err := whole("gcd", v); err != nil {
		return v[0], err
	}
	a := v[0]
	for _, b := range v[1:] {
		for !b.number.IsZero() {
			rest, err := integerDivide(a, b, true)
			if err != nil {
				return a, err
			}
			a, b = b, rest
		}
	}
	return a, nil
}

func lcm(v []value) (value, error) {
	if err := whole("lcm", v); err != nil {
		return v[0], err
	}
	a := v[0]
	for _, b := range v[1:] {
		g, err := gcd([]value{a, b})
		if err != nil {
			return a, err
		}
		part, err := integerDivide(a, g, false)
		if err != nil {
			return a, err
		}
		if a, err = multiply(part, b); err != nil {
			return a, err
		}
		if a.rough {
			return a, wrong(fmt.Sprintf("lcm: the result has more than %d digits", exactDigits))
		}
	}
	return a, nil
}
