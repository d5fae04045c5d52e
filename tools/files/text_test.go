// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import "testing"

// TestWindows1252 reads and writes each of its bytes.
func TestWindows1252(t *testing.T) {
	var content []byte
	for b := range 256 {
		content = append(content, byte(b))
	}
	text := decodeWindows(content)
	if back, err := appendWindows(nil, text); err != nil || string(back) != string(content) {
		t.Errorf("got %q and %v, want each byte again", back, err)
	}
	if got := string([]rune(text)[0x80:0x84]); got != "€\u0081‚ƒ" {
		t.Errorf("got %q", got)
	}
	for _, r := range "\ufffd\u0080ā€ƁЂ" {
		if _, err := appendWindows(nil, string(r)); (err == nil) != (r == '€') {
			t.Errorf("%q: got %v", r, err)
		}
	}
}
