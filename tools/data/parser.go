// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"fmt"
	"strings"
)

// maxNested is how deep parentheses (which count twice), signs and powers may be nested.
const maxNested = 200

// calculator computes an expression while it reads it.
//
//	conversion = sum { "to" unit }
//	sum        = product { ("+" | "-") product }
//	product    = signed { ("*" | "/" | "//" | "%" | "mod" | "of") signed }
//	signed     = ("-" | "+") signed | power
//	power      = postfix [ "^" signed ]
//	postfix    = primary { "!" | "%" }
//	primary    = number [ unit [ "^" integer ] ] | name | name "(" list ")" | "(" conversion ")"
type calculator struct {
	source string
	tokens []token
	next   int
	nested int
}

// calculate gives the result of an expression, with its unit.
func calculate(source string) (string, error) {
	tokens, err := lex(source)
	if err != nil {
		return "", err
	}
	c := &calculator{source: source, tokens: tokens}
	v, converted, err := c.conversion()
	if err != nil {
		return "", err
	}
	if c.peek().kind != endToken {
		return "", c.unexpected("an operator or the end")
	}
	if converted != "" {
		return converted, nil
	}
	return strings.TrimSpace(v.String() + " " + v.dims.String()), nil
}

func (c *calculator) peek() token { return c.ahead(0) }

func (c *calculator) ahead(n int) token {
	if c.next+n < len(c.tokens) {
		return c.tokens[c.next+n]
	}
	return token{at: len(c.source)}
}

// takeToken goes on if the next token is one of these texts.
func (c *calculator) takeToken(texts ...string) (string, bool) {
	t := c.peek()
	if t.kind != signToken && t.kind != nameToken {
		return "", false
	}
	for _, text := range texts {
		if t.text == text {
			c.next++
			return text, true
		}
	}
	return "", false
}

func (c *calculator) unexpected(want string) error {
	t := c.peek()
	if t.kind == endToken {
		return wrong("the expression ends early, want " + want)
	}
	return wrong(fmt.Sprintf("at byte %d: got %.40q, want %s", t.at, t.text, want))
}

// enter counts nesting.
func (c *calculator) enter() error {
	if c.nested++; c.nested > maxNested {
		return wrong(fmt.Sprintf("the expression is nested deeper than %d", maxNested))
	}
	return nil
}

func (c *calculator) leave() { c.nested-- }

// conversion gives a value, and its text in the unit that it is converted to;
// "" if there is none.
func (c *calculator) conversion() (v value, converted string, err error) {
	if err := c.enter(); err != nil {
		return v, "", err
	}
	defer c.leave()
	if v, err = c.sum(); err != nil {
		return v, "", err
	}
	if _, ok := c.takeToken("to", "in", "as"); ok {
		converted, err = c.convert(v)
	}
	return v, converted, err
}

func (c *calculator) sum() (value, error) {
	v, err := c.product()
	for err == nil {
		op, ok := c.takeToken("+", "-")
		if !ok {
			return v, nil
		}
		var w value
		if w, err = c.product(); err == nil {
			v, err = add(v, w, op == "-")
		}
	}
	return v, err
}

func (c *calculator) product() (value, error) {
	v, err := c.signed()
	for err == nil {
		op, ok := c.takeToken("*", "/", "//", "%", "mod", "of")
		if !ok {
			return v, nil
		}
		var w value
		if w, err = c.signed(); err == nil {
			switch op {
			case "*", "of":
				v, err = multiply(v, w)
			case "/":
				v, err = divide(v, w)
			default:
				v, err = integerDivide(v, w, op != "//")
			}
		}
	}
	return v, err
}

func (c *calculator) signed() (value, error) {
	if err := c.enter(); err != nil {
		return value{}, err
	}
	defer c.leave()
	if _, ok := c.takeToken("+"); ok {
		return c.signed()
	}
	if _, ok := c.takeToken("-"); !ok {
		return c.power()
	}
	if c.peek().kind == numberToken {
		if u, ok := unitOf(c.ahead(1).text); ok && c.ahead(1).kind == nameToken && !u.offset.IsZero() {
			return c.readNumber(true)
		}
	}
	v, err := c.signed()
	if err != nil {
		return v, err
	}
	v.number.Neg(&v.number)
	return v, plainOnly(v)
}

func (c *calculator) power() (value, error) {
	v, err := c.postfix()
	if err != nil {
		return v, err
	}
	if _, ok := c.takeToken("^"); !ok {
		return v, nil
	}
	w, err := c.signed()
	if err != nil {
		return v, err
	}
	return raise(v, w)
}

func (c *calculator) postfix() (value, error) {
	v, err := c.primary()
	for err == nil {
		if _, ok := c.takeToken("!"); ok {
			v, err = factorial(v)
			continue
		}
		if t := c.peek(); t.kind != signToken || t.text != "%" || c.operand(1) {
			return v, nil
		}
		c.next++
		v, err = multiply(v, value{number: number("0.01")})
	}
	return v, err
}

// operand reports whether an operand stands some tokens ahead: then % is the
// remainder, else percent.
func (c *calculator) operand(n int) bool {
	t := c.ahead(n)
	switch t.kind {
	case numberToken:
		return true
	case signToken:
		return t.text == "(" || t.text == "√"
	case nameToken:
		return !keyword(t.text)
	}
	return false
}

func keyword(s string) bool {
	switch s {
	case "to", "in", "as", "of", "mod":
		return true
	}
	return false
}

func (c *calculator) primary() (value, error) {
	t := c.peek()
	switch {
	case t.kind == numberToken:
		return c.readNumber(false)
	case t.kind == nameToken && (!keyword(t.text) || t.text == "mod" && c.ahead(1).text == "("):
		return c.name()
	case t.kind == signToken && t.text == "√":
		c.next++
		v, err := c.primary()
		if err != nil {
			return v, err
		}
		return functions["sqrt"].call([]value{v})
	case t.kind == signToken && t.text == "(":
		c.next++
		v, _, err := c.conversion()
		if err != nil {
			return v, err
		}
		if _, ok := c.takeToken(")"); !ok {
			return v, c.unexpected("a closing parenthesis")
		}
		return v, nil
	}
	return value{}, c.unexpected("a number, a name or an opening parenthesis")
}

func (c *calculator) unknown(t token) error {
	return wrong(fmt.Sprintf("at byte %d: got %.40q, want a unit, constant or function that is known", t.at, t.text))
}
