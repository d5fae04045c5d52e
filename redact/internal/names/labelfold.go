// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package names

// What the Latin letters beyond ASCII are without their accents: of U+00C0 to U+00FF, of U+0100 to U+017F, and of
// U+1EA0 to U+1EF9.
const (
	latin1   = "aaaaaaaceeeeiiiidnooooo-ouuuuypsaaaaaaaceeeeiiiidnooooo-ouuuuypy"
	latinExt = "aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkkllllllllllnnnnnnnnnoooooooorrrrrrssssssss" +
		"ttttttuuuuuuuuuuuuwwyyyzzzzzzs"
	latinMore = "aaaaaaaaaaaaaaaaaaaaaaaaeeeeeeeeeeeeeeeeiiiioooooooooooooooooooooooouuuuuuuuuuuuuuyyyyyyyy"
)

// latinLetter is the letter at i of name without its accent, and how many bytes it has. The letter is 0 for an accent
// by itself. It has no bytes if what stands there is no Latin letter.
func latinLetter(name string, i int) (c byte, n int) {
	if i+1 >= len(name) || name[i+1]&0xc0 != 0x80 {
		return 0, 0
	}
	low := name[i+1] & 0x3f
	switch lead := name[i]; {
	case lead == 0xc3:
		return latin1[low], 2
	case lead == 0xc4 || lead == 0xc5:
		return latinExt[uint(lead&1)<<6|uint(low)], 2
	case lead == 0xc6 && low&^1 == 0x20: // ơ
		return 'o', 2
	case lead == 0xc6 && (low == 0x2f || low == 0x30): // ư
		return 'u', 2
	case lead == 0xc8 && low >= 0x18 && low <= 0x1b: // ș ț
		return "sstt"[low-0x18], 2
	case lead == 0xcc || lead == 0xcd && low < 0x30:
		return 0, 2
	case lead == 0xe1 && (low == 0x3a || low == 0x3b) && i+2 < len(name):
		if at := (int(low&1)<<6 | int(name[i+2]&0x3f)) - 0x20; at >= 0 && at < len(latinMore) {
			return latinMore[at], 3
		}
	}
	return 0, 0
}
