// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bash

import "strings"

// ansi decodes what stands between $' and '. It is not sure of escapes that versions
// of bash read in different ways.
func ansi(v string) (text string, sure bool) {
	if strings.IndexByte(v, '\\') < 0 {
		return v, true
	}
	sure = true
	var out []byte
	for i := 0; i < len(v); i++ {
		if v[i] != '\\' || i+1 == len(v) {
			out = append(out, v[i])
			continue
		}
		i++
		switch c := v[i]; c {
		case 'a':
			out = append(out, 7)
		case 'b':
			out = append(out, 8)
		case 'e', 'E':
			out = append(out, 27)
		case 'f':
			out = append(out, 12)
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'v':
			out = append(out, 11)
		case '\\', '\'', '"', '?':
			out = append(out, c)
		case 'c':
			sure = false
			if i+1 < len(v) {
				i++
				out = append(out, v[i]&0x1f)
			}
		case 'x':
			if strings.HasPrefix(v[i+1:], "{") {
				i++
				sure = false
			}
			n, size := digits(v[i+1:], 2, 16)
			i += size
			sure = sure && size > 0
			out = append(out, byte(n))
		case 'u', 'U':
			n, size := digits(v[i+1:], map[byte]int{'u': 4, 'U': 8}[c], 16)
			i += size
			sure = sure && size > 0
			out = append(out, string(n)...)
		case '0', '1', '2', '3', '4', '5', '6', '7':
			n, size := digits(v[i:], 3, 8)
			i += size - 1
			out = append(out, byte(n))
		default:
			out = append(out, '\\', c)
		}
		if n := len(out); n > 0 && out[n-1] == 0 {
			return string(out[:n-1]), false // bash ends the text at a zero byte
		}
	}
	return string(out), sure
}

// digits reads up to most digits of a base.
func digits(v string, most int, base rune) (n rune, size int) {
	for size < len(v) && size < most {
		d := rune(strings.IndexByte("0123456789abcdef", v[size]|0x20))
		if v[size] <= '9' {
			d = rune(v[size]) - '0'
		}
		if d < 0 || d >= base {
			break
		}
		n = n*base + d
		size++
	}
	return n, size
}
