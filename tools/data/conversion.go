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
	for sign := -1; ; {
		t := c.peek()
		if t.text == "in" {
			t.text = "inch"
		}
		u, ok := unitOf(t.text)
		if t.kind != nameToken || !ok || !u.offset.IsZero() {
			return "", c.unexpected("a unit that is known")
		}
		c.next++
		n, err := c.unitPower()
		if err != nil {
			return "", err
		}
		if v, err = scale(v, u, sign*n); err != nil {
			return "", err
		}
		if op, ok := c.take("*", "/"); ok {
			sign = -1
			if op == "/" {
				sign = 1
			}
			continue
		}
		if c.peek().kind != nameToken || keyword(c.peek().text) {
			break
		}
		sign = -1
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
