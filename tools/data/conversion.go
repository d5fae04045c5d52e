// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"fmt"
	"strings"
)

// convert writes a value in the unit that is read: names with powers, with "*" or "/"
// between them.
func (c *calculator) convert(v value) (string, error) {
	begin := c.next
	if t := c.peek(); t.kind == nameToken {
		if u, ok := unitOf(t.text); ok && !u.offset.IsZero() {
			c.next++
			v, err := toDegrees(v, u)
			return v.String() + " " + t.text, err
		}
	}
	v.degrees = false
	from := v.dims
	for divides, more := true, true; more; {
		var err error
		if v, err = c.scaleByUnit(v, divides); err != nil {
			return "", err
		}
		divides, more = c.nextUnit()
	}
	if v.dims != plain {
		return "", wrong(fmt.Sprintf("a value in %q does not fit the unit it is converted to", from))
	}
	var name strings.Builder
	for i, t := range c.tokens[begin:c.next] {
		if i > 0 && t.kind == nameToken && c.tokens[begin+i-1].kind != signToken {
			name.WriteByte(' ')
		}
		name.WriteString(t.text)
	}
	return v.String() + " " + name.String(), nil
}

// scaleByUnit reads a unit with its power, and divides or multiplies a value by it.
func (c *calculator) scaleByUnit(v value, divides bool) (value, error) {
	t := c.peek()
	if t.text == "in" {
		t.text = "inch"
	}
	u, ok := unitOf(t.text)
	if t.kind != nameToken || !ok || !u.offset.IsZero() {
		return v, c.unexpected("a unit that is known")
	}
	c.next++
	power, err := c.unitPower()
	if err != nil {
		return v, err
	}
	if divides {
		power = -power
	}
	return scale(v, u, power)
}

// nextUnit reads what is between units, if another one follows, and reports whether the value
// is to be divided by that one: behind "/" it is multiplied.
func (c *calculator) nextUnit() (divides, more bool) {
	if op, ok := c.takeToken("*", "/"); ok {
		return op == "*", true
	}
	t := c.peek()
	return true, t.kind == nameToken && !keyword(t.text)
}
