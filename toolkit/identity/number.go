// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package identity

import "hash/maphash"

// number is a JSON number in its one decimal form: its significant digits, without
// zeros at either end, as an integer, times ten to the power of exp.
type number struct {
	negative bool
	digits   uint64 // if there are at most 19 of them; 0 is the number 0
	long     []byte // the digits as written, with zeros and a point, if there are more
	exp      int64
}

const (
	maxDigits   = 19 // that fit into 64 bits
	maxExponent = 17 // digits
)

// readNumber reads the number that begins at i; end is -1 if there is none, or none
// whose exponent can be determined.
func readNumber(p []byte, i int) (n number, end int) {
	if i < len(p) && p[i] == '-' {
		n.negative = true
		i++
	}
	start := i
	var d digits
	i = d.read(p, i)
	if i == start || p[start] == '0' && i > start+1 {
		return n, -1
	}
	after := int64(0) // digits after the point
	if i < len(p) && p[i] == '.' {
		point := i
		i = d.read(p, i+1)
		if after = int64(i - point - 1); after == 0 {
			return n, -1
		}
	}
	n.digits = d.value
	if d.significant > maxDigits {
		n.long = p[start:i]
	}
	if i < len(p) && (p[i] == 'e' || p[i] == 'E') {
		if n.exp, i = readExponent(p, i+1); i < 0 {
			return n, -1
		}
	}
	switch {
	case d.significant == 0: // 0, whatever its sign and exponent
		return number{}, i
	case n.exp == noExponent:
		return n, -1
	}
	n.exp += d.zeros - after
	return n, i
}

// digits are those of a number as far as they are read.
type digits struct {
	value       uint64
	significant int   // digits in value
	zeros       int64 // since then
}

// read reads the digits at i, and returns the place behind them.
func (d *digits) read(p []byte, i int) int {
	for ; i < len(p) && isDigit(p[i]); i++ {
		if p[i] == '0' {
			if d.significant > 0 {
				d.zeros++
			}
			continue
		}
		for ; d.zeros > 0; d.zeros-- {
			d.value *= 10
			d.significant++
		}
		d.value = d.value*10 + uint64(p[i]-'0')
		d.significant++
	}
	return i
}

// noExponent stands for one with too many digits.
const noExponent = 1 << 62

func readExponent(p []byte, i int) (exp int64, end int) {
	negative := i < len(p) && p[i] == '-'
	if i < len(p) && (p[i] == '-' || p[i] == '+') {
		i++
	}
	start := i
	for i < len(p) && p[i] == '0' {
		i++
	}
	first := i
	for ; i < len(p) && isDigit(p[i]); i++ {
		if i-first < maxExponent {
			exp = exp*10 + int64(p[i]-'0')
		}
	}
	switch {
	case i == start:
		return 0, -1
	case i-first > maxExponent:
		return noExponent, i
	case negative:
		return -exp, i
	}
	return exp, i
}

func isDigit(c byte) bool { return c-'0' <= 9 }

func (n number) hash() uint64 {
	h := n.digits
	if n.long != nil {
		var digits maphash.Hash
		digits.SetSeed(seed)
		n.eachDigit(func(c byte) bool { _ = digits.WriteByte(c); return true })
		h = digits.Sum64()
	}
	if n.negative {
		h = ^h
	}
	return mix(h^keyNumber, uint64(n.exp))
}

// eachDigit calls f for the significant digits of a long number until it is false.
func (n number) eachDigit(f func(byte) bool) {
	zeros, begun := 0, false
	for _, c := range n.long {
		switch {
		case c == '.':
		case c == '0':
			zeros++
		default:
			for ; zeros > 0; zeros-- {
				if begun && !f('0') {
					return
				}
			}
			begun = true
			if !f(c) {
				return
			}
		}
	}
}

func (n number) equal(m number) bool {
	if n.negative != m.negative || n.exp != m.exp || (n.long == nil) != (m.long == nil) {
		return false
	}
	if n.long == nil {
		return n.digits == m.digits
	}
	return string(n.appendDigits(nil)) == string(m.appendDigits(nil))
}

// appendDigits appends the significant digits of a long number.
func (n number) appendDigits(dst []byte) []byte {
	n.eachDigit(func(c byte) bool { dst = append(dst, c); return true })
	return dst
}
