// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"fmt"
	"strconv"

	"github.com/cockroachdb/apd/v3"
)

// readNumber reads a number and the unit that stands after it.
func (c *calculator) readNumber(negative bool) (v value, err error) {
	t := c.peek()
	c.next++
	n, _, err := apd.NewFromString(t.text)
	if err != nil || n.NumDigits() > exactDigits || n.Exponent > maxExponent || n.Exponent < -maxExponent {
		return v, wrong(fmt.Sprintf("at byte %d: got %.40q, want a number of at most %d digits", t.at, t.text, exactDigits))
	}
	v.number = *n
	if negative {
		v.number.Neg(n)
	}
	name := c.peek()
	if name.kind != nameToken || c.ahead(1).kind == signToken && c.ahead(1).text == "(" {
		return v, nil
	}
	if name.text == "in" && !c.operand(1) {
		name.text = "inch" // "5 in to cm" and "5 in", where nothing is converted to
	}
	if keyword(name.text) {
		return v, nil
	}
	u, ok := unitOf(name.text)
	if !ok {
		w, ok := constants[name.text]
		if !ok {
			return v, c.unknown(name)
		}
		c.next++
		return multiply(v, w)
	}
	c.next++
	if !u.offset.IsZero() {
		return fromDegrees(v, u)
	}
	power, err := c.unitPower()
	if err != nil {
		return v, err
	}
	return scale(v, u, power)
}

// unitPower is the power that stands after a unit; 1 if none does.
func (c *calculator) unitPower() (int, error) {
	if t := c.peek(); t.kind != signToken || t.text != "^" {
		return 1, nil
	}
	c.next++
	_, negative := c.takeToken("-")
	t := c.peek()
	n, err := strconv.Atoi(t.text)
	if t.kind != numberToken || err != nil || n < 1 || n > 9 {
		return 0, c.unexpected("a whole number from 1 to 9 as the power of a unit")
	}
	c.next++
	if negative {
		n = -n
	}
	return n, nil
}
