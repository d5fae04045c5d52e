// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package script

import "strings"

// SedPlain reports whether a script has only addresses, s and y without the flags e
// and w, and commands of one letter that neither run nor write.
func SedPlain(t string) bool {
	for i := 0; i < len(t); {
		switch c := t[i]; {
		case strings.IndexByte(" \t\n;{}!,0123456789$~+pPdDqQ=nNhHgGxlzF", c) >= 0:
			i++
		case c == '/':
			i = sedFlags(t, sedPart(t, i+1, c), "IM")
		case c == '\\' && i+1 < len(t):
			i = sedFlags(t, sedPart(t, i+2, t[i+1]), "IM")
		case (c == 's' || c == 'y') && i+1 < len(t):
			if i = sedPart(t, i+2, t[i+1]); i >= 0 {
				i = sedPart(t, i, t[i-1])
			}
			if i = sedFlags(t, i, "gpiImM0123456789"); i >= 0 && i < len(t) && strings.IndexByte(" \t\n;}", t[i]) < 0 {
				return false
			}
		default:
			return false
		}
		if i < 0 {
			return false
		}
	}
	return true
}

// sedFlags is the place behind the flags; -1 stays.
func sedFlags(t string, i int, flags string) int {
	for i >= 0 && i < len(t) && strings.IndexByte(flags, t[i]) >= 0 {
		i++
	}
	return i
}

// sedPart is the place behind the next delimiter; -1 if there is none, or if it is in
// brackets, where programs read it in different ways.
func sedPart(t string, i int, delim byte) int {
	for ; i < len(t); i++ {
		switch t[i] {
		case '\\':
			i++
		case delim:
			return i + 1
		case '[':
			from := i + 1
			if from < len(t) && t[from] == '^' {
				from++
			}
			if end := strings.IndexByte(t[min(from+1, len(t)):], ']'); end >= 0 {
				if strings.IndexByte(t[i:from+1+end], delim) >= 0 {
					return -1
				}
				i = from + 1 + end
			}
		}
	}
	return -1
}
