// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"strings"

	"github.com/cockroachdb/apd/v3"

	"github.com/toolscope/toolscope/toolkit"
)

const (
	exactDigits = 1000 // digits that an exact number may have
	roughDigits = 60   // digits that others are computed with
	shownDigits = 34   // digits that are shown of those: as many as IEEE 754's decimal128 has
	maxExponent = 5000
)

var (
	exactly = newContext(exactDigits)
	roughly = newContext(roughDigits)
	shown   = newContext(shownDigits)
)

func newContext(digits uint32) *apd.Context {
	return &apd.Context{Precision: digits, MaxExponent: maxExponent, MinExponent: -maxExponent, Rounding: apd.RoundHalfUp}
}

// dims are the powers of metre, kilogram, second, kelvin, ampere and byte.
type dims [6]int8

var dimNames = [len(dims{})]string{"m", "kg", "s", "K", "A", "B"}

// String writes dims as a unit, such as "kg m^2/s^2".
func (d dims) String() string {
	var above, below []string
	for i, n := range d {
		switch {
		case n > 0:
			above = append(above, power(dimNames[i], n))
		case n < 0:
			below = append(below, power(dimNames[i], -n))
		}
	}
	if len(below) == 0 {
		return strings.Join(above, " ")
	}
	if len(above) == 0 {
		above = []string{"1"}
	}
	return strings.Join(above, " ") + "/" + strings.Join(below, "/")
}

func power(name string, n int8) string {
	if n == 1 {
		return name
	}
	return name + "^" + string('0'+rune(n))
}

// value is a number with its dimensions, in their base units.
type value struct {
	number apd.Decimal
	dims   dims
	rough  bool // the number was rounded
	// degrees says that the value is a temperature in °C or °F, which has another zero
	// than the kelvin it is kept in: it can be converted and nothing else.
	degrees bool
}

// operation computes a number, and says what was odd about it.
type operation func(*apd.Context, *apd.Decimal) (apd.Condition, error)

// compute makes a number exactly if its operands are exact and it has not too many
// digits, else roughly.
func compute(rough bool, op operation) (value, error) {
	v := value{rough: rough}
	if !rough {
		flags, err := op(exactly, &v.number)
		if err == nil && !flags.Inexact() {
			return v, v.finite(flags)
		}
		v.rough = true
	}
	return v, estimate(&v, op)
}

// estimate makes a number roughly.
func estimate(v *value, op operation) error {
	flags, err := op(roughly, &v.number)
	if err != nil {
		return wrong("the result cannot be computed, want smaller numbers")
	}
	return v.finite(flags)
}

// finite is an error for what is no number, or an infinite one.
func (v *value) finite(flags apd.Condition) error {
	if err := oddity(flags); err != nil || v.number.Form == apd.Finite {
		return err
	}
	return wrong("the result is no finite number")
}

// oddity is an error for what a computation says of itself.
func oddity(flags apd.Condition) error {
	switch {
	case flags.DivisionByZero(), flags.DivisionUndefined():
		return wrong("division by zero")
	case flags.Overflow(), flags.SystemOverflow():
		return wrong("the result is larger than 10^5000")
	case flags.Underflow(), flags.SystemUnderflow():
		return wrong("the result is closer to 0 than 10^-5000")
	case flags.InvalidOperation(), flags.DivisionImpossible():
		return wrong("the result is no real number")
	}
	return nil
}

// String is the number: all digits of an exact one, else 34 after a sign that says so.
func (v value) String() string {
	n, sign := new(apd.Decimal), ""
	if v.rough {
		sign = "≈ "
		_, _ = shown.Round(n, &v.number)
	} else {
		n.Set(&v.number)
	}
	n.Reduce(n)
	return sign + decimal(n)
}

// decimal writes a number as people do, or with an exponent where it would get long.
func decimal(n *apd.Decimal) string {
	if n.IsZero() {
		return "0"
	}
	digits := n.NumDigits()
	first := digits + int64(n.Exponent) // places before the point
	if n.Exponent > 0 && first > exactDigits || n.Exponent > 40 || first < -20 {
		return strings.Replace(n.Text('e'), "e+", "e", 1)
	}
	return n.Text('f')
}

// wrong is the answer to an expression that cannot be computed.
func wrong(text string) error {
	return &toolkit.Error{Kind: toolkit.ErrInvalidArguments, Message: "expression: " + text}
}
