// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package wire

import "bytes"

// A Completion finds out when a JSON object or array that comes in pieces is complete. It does not check that the text is
// JSON. The zero value has read nothing.
type Completion struct {
	depth    int  // how many objects and arrays are open
	quoted   bool // inside a string
	escaped  bool // after a backslash in a string
	complete bool // depth was above 0
}

// Add reads on, and reports whether all brackets that were opened are closed. It never does for a text without any.
func (c *Completion) Add(data []byte) bool {
	depth := c.depth
	for i := 0; i < len(data); {
		if c.quoted {
			i += c.pastString(data[i:])
			continue
		}
		b := data[i]
		i++
		switch b {
		case '"':
			c.quoted = true
		case '{', '[':
			depth++
		case '}', ']':
			if depth > 0 {
				depth--
				c.complete = true
			}
		}
	}
	c.depth = depth
	return c.complete && depth == 0 && !c.quoted
}

// shortString is how many bytes of a string are read one by one.
const shortString = 24

// pastString is how many bytes of data belong to the string that is open: up to the next quote, or all.
func (c *Completion) pastString(data []byte) int {
	if c.escaped {
		c.escaped = false
		return 1
	}
	for i, b := range data[:min(len(data), shortString)] {
		if b == '"' {
			c.quoted = false
			return i + 1
		}
		if b == '\\' {
			break
		}
	}
	end := bytes.IndexByte(data, '"')
	text := data
	if end >= 0 {
		text = data[:end]
	}
	escaped := (len(text)-len(bytes.TrimRight(text, `\`)))%2 == 1
	if end < 0 {
		c.escaped = escaped
		return len(data)
	}
	c.quoted = escaped
	return end + 1
}
